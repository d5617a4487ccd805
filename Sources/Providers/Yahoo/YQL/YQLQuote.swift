import Brokerage
import Upstream

/// A row of the table `yahoo.finance.quotes`.
package struct YQLQuote: JSONDecodable, Hashable {
    /// In Yahoo's spelling.
    var symbol: String
    var name: String?
    var currency: String?
    var lastTrade: Decimal?
    /// `4:00pm - <b>143.46</b>`.
    var lastTradeWithTime: String?
    var lastTradeDate: String?
    var lastTradeTime: String?
    var bid: Decimal?
    var ask: Decimal?
    var open: Decimal?
    var high: Decimal?
    var low: Decimal?
    var previousClose: Decimal?
    var volume: Decimal?
    var marketCap: Decimal?
    var earningsPerShare: Decimal?
    var dividendPerShare: Decimal?
    var priceEarningsRatio: Decimal?
    var yearHigh: Decimal?
    var yearLow: Decimal?

    init(json reader: inout JSONReader) throws(JSONError) {
        // Set by the object below, or refused behind it.
        symbol = ""
        try reader.object { key, reader throws(JSONError) in
            switch key {
            case "symbol", "Symbol": symbol = try reader.stringOrNil() ?? symbol
            case "Name": name = try reader.stringOrNil()
            case "Currency": currency = try reader.stringOrNil()
            case "LastTradeWithTime": lastTradeWithTime = try reader.stringOrNil()
            case "LastTradeDate": lastTradeDate = try reader.stringOrNil()
            case "LastTradeTime": lastTradeTime = try reader.stringOrNil()
            case "LastTradePriceOnly": lastTrade = try reader.queryFigureOrNil()
            case "Bid": bid = try reader.queryFigureOrNil()
            case "Ask": ask = try reader.queryFigureOrNil()
            case "Open": open = try reader.queryFigureOrNil()
            case "DaysHigh": high = try reader.queryFigureOrNil()
            case "DaysLow": low = try reader.queryFigureOrNil()
            case "PreviousClose": previousClose = try reader.queryFigureOrNil()
            case "Volume": volume = try reader.queryFigureOrNil()
            default: try readFundamental(key, &reader)
            }
        }
        _ = try reader.required(symbol.isEmpty ? nil : symbol, "symbol")
    }

    private mutating func readFundamental(_ key: JSONKey, _ reader: inout JSONReader) throws(JSONError) {
        switch key {
        case "MarketCapitalization": marketCap = try reader.queryFigureOrNil()
        case "EarningsShare": earningsPerShare = try reader.queryFigureOrNil()
        case "DividendShare": dividendPerShare = try reader.queryFigureOrNil()
        case "PERatio": priceEarningsRatio = try reader.queryFigureOrNil()
        case "YearHigh": yearHigh = try reader.queryFigureOrNil()
        case "YearLow": yearLow = try reader.queryFigureOrNil()
        default: try reader.skip()
        }
    }

    /// The last trade, wherever it stands.
    var price: Decimal? {
        lastTrade ?? lastTradeWithTime.flatMap(YQLNumber.bold)
    }

    /// Whether there is such an instrument: what is unknown has a row of nulls.
    var isKnown: Bool { price != nil || name != nil }
}

/// The answer of a query: one row is an object, several are an array, none is null.
package struct YQLQuotes: JSONDecodable {
    package var quotes: [YQLQuote]

    init(json reader: inout JSONReader) throws(JSONError) {
        var quotes: [YQLQuote]?
        try reader.object { key, reader throws(JSONError) in
            switch key {
            case "query":
                try reader.object { key, reader throws(JSONError) in
                    switch key {
                    case "results": quotes = try Self.results(json: &reader)
                    default: try reader.skip()
                    }
                }
            default: try reader.skip()
            }
        }
        self.quotes = try reader.required(quotes, "query.results")
    }

    private static func results(json reader: inout JSONReader) throws(JSONError) -> [YQLQuote] {
        var quotes: [YQLQuote] = []
        if try reader.null() { return quotes }
        try reader.object { key, reader throws(JSONError) in
            switch key {
            case "quote":
                switch try reader.kind() {
                case .array: quotes = try reader.array(of: YQLQuote.self)
                case .object, .string, .number, .true, .false, .null:
                    quotes = [try YQLQuote(json: &reader)]
                }
            default: try reader.skip()
            }
        }
        return quotes
    }
}

extension YQLQuote {
    /// The row in Portico's words; nil where its figures cannot be told: too many digits, or in what nobody knows.
    func quote(of symbol: Symbol, fetchedAt: Instant) -> Quote? {
        guard let told = YahooPriceScale(of: symbol, currency: currency, digits: nil) else { return nil }
        var quote = Quote(
            symbol: symbol,
            provenance: Provenance(source: .yahoo, fetchedAt: fetchedAt, asOf: time(of: symbol)))
        do throws(Decimal.Overflow) {
            quote.price = try told.amount(price)
            quote.bid = try told.amount(bid)
            quote.ask = try told.amount(ask)
            quote.open = try told.amount(open)
            quote.high = try told.amount(high)
            quote.low = try told.amount(low)
            quote.previousClose = try told.amount(previousClose)
        } catch {
            return nil
        }
        quote.volume = volume
        quote.currency = told.unit?.currency
        return quote
    }

    /// The company's figures in Portico's words; nil as above.
    func fundamentals(of symbol: Symbol, fetchedAt: Instant) -> Fundamentals? {
        guard let told = YahooPriceScale(of: symbol, currency: currency, digits: nil) else { return nil }
        var fundamentals = Fundamentals(
            symbol: symbol, provenance: Provenance(source: .yahoo, fetchedAt: fetchedAt))
        fundamentals.name = name
        fundamentals.currency = told.unit?.currency
        fundamentals.priceEarningsRatio = priceEarningsRatio
        // Whether it was in pence too is not known.
        fundamentals.marketCap = told.unit?.isHundredth == true ? nil : marketCap
        do throws(Decimal.Overflow) {
            fundamentals.earningsPerShare = try told.amount(earningsPerShare)
            fundamentals.dividendPerShare = try told.amount(dividendPerShare)
            fundamentals.yearHigh = try told.amount(yearHigh)
            fundamentals.yearLow = try told.amount(yearLow)
        } catch {
            return nil
        }
        return fundamentals
    }

    /// Of American listings only: the times of others are by clocks that the row does not tell of.
    private func time(of symbol: Symbol) -> Instant? {
        guard case .listing(_, market: nil)? = SymbolKind(symbol), let lastTradeDate, let lastTradeTime else {
            return nil
        }
        return YQLNumber.newYorkTime(date: lastTradeDate, time: lastTradeTime)
    }
}
