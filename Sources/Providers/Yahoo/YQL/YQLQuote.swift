import Brokerage
import Upstream

/// A row of the table `yahoo.finance.quotes`.
package struct YQLQuote: JSONObjectDecodable, Hashable {
    /// In Yahoo's form.
    var symbol = ""
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

    static let json = JSONFields(Self()) {
        $0.optional("symbol", \.symbol)
        $0.optional("Symbol", \.symbol)
        $0.optional("Name", \.name)
        $0.optional("Currency", \.currency)
        $0.optional("LastTradeWithTime", \.lastTradeWithTime)
        $0.optional("LastTradeDate", \.lastTradeDate)
        $0.optional("LastTradeTime", \.lastTradeTime)
        $0.optional("LastTradePriceOnly", \.lastTrade, JSONReader.queryFigure)
        $0.optional("Bid", \.bid, JSONReader.queryFigure)
        $0.optional("Ask", \.ask, JSONReader.queryFigure)
        $0.optional("Open", \.open, JSONReader.queryFigure)
        $0.optional("DaysHigh", \.high, JSONReader.queryFigure)
        $0.optional("DaysLow", \.low, JSONReader.queryFigure)
        $0.optional("PreviousClose", \.previousClose, JSONReader.queryFigure)
        $0.optional("Volume", \.volume, JSONReader.queryFigure)
        $0.optional("MarketCapitalization", \.marketCap, JSONReader.queryFigure)
        $0.optional("EarningsShare", \.earningsPerShare, JSONReader.queryFigure)
        $0.optional("DividendShare", \.dividendPerShare, JSONReader.queryFigure)
        $0.optional("PERatio", \.priceEarningsRatio, JSONReader.queryFigure)
        $0.optional("YearHigh", \.yearHigh, JSONReader.queryFigure)
        $0.optional("YearLow", \.yearLow, JSONReader.queryFigure)
    }

    private init() {}

    init(json reader: inout JSONReader) throws(JSONError) {
        self = try Self.json.read(from: &reader)
        _ = try reader.required(symbol.isEmpty ? nil : symbol, "symbol")
    }

    /// The last trade, from any of its members.
    var price: Decimal? {
        lastTrade ?? lastTradeWithTime.flatMap(YQLNumber.bold)
    }

    /// False for an unknown instrument, whose row has only nulls.
    var isKnown: Bool { price != nil || name != nil }
}

/// The response to a query: one row is an object, several rows are an array, no row is null.
package struct YQLQuotes: JSONDecodable {
    private let rows: JSONRows<YQLQuote>

    package var quotes: [YQLQuote] { rows.elements }
    var failures: [JSONError] { rows.failures }

    init(json reader: inout JSONReader) throws(JSONError) {
        var quotes: JSONRows<YQLQuote>?
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
        rows = try reader.required(quotes, "query.results")
    }

    private static func results(json reader: inout JSONReader) throws(JSONError) -> JSONRows<YQLQuote> {
        var quotes = JSONRows<YQLQuote>()
        if try reader.null() { return quotes }
        try reader.object { key, reader throws(JSONError) in
            switch key {
            case "quote":
                switch try reader.kind() {
                case .array: quotes = try reader.rows()
                case .object, .string, .number, .true, .false, .null:
                    quotes.elements = [try YQLQuote(json: &reader)]
                }
            default: try reader.skip()
            }
        }
        return quotes
    }
}

extension YQLQuote {
    /// The row as a `Quote` of Portico; nil if its prices have too many digits or an unknown unit.
    func quote(of symbol: Symbol, fetchedAt: Instant) -> Quote? {
        guard let scale = YahooPriceScale(of: symbol, currency: currency, digits: nil) else { return nil }
        var quote = Quote(
            symbol: symbol,
            provenance: Provenance(source: .yahoo, fetchedAt: fetchedAt, asOf: time(of: symbol)))
        do throws(Decimal.Overflow) {
            quote.price = try scale.amount(price)
            quote.bid = try scale.amount(bid)
            quote.ask = try scale.amount(ask)
            quote.open = try scale.amount(open)
            quote.high = try scale.amount(high)
            quote.low = try scale.amount(low)
            quote.previousClose = try scale.amount(previousClose)
        } catch {
            return nil
        }
        quote.volume = volume
        quote.currency = scale.unit?.currency
        return quote
    }

    /// The company data as `Fundamentals` of Portico; nil as above.
    func fundamentals(of symbol: Symbol, fetchedAt: Instant) -> Fundamentals? {
        guard let scale = YahooPriceScale(of: symbol, currency: currency, digits: nil) else { return nil }
        var fundamentals = Fundamentals(
            symbol: symbol, provenance: Provenance(source: .yahoo, fetchedAt: fetchedAt))
        fundamentals.name = name
        fundamentals.currency = scale.unit?.currency
        fundamentals.priceEarningsRatio = priceEarningsRatio
        // Whether it was in pence too is not known.
        fundamentals.marketCap = scale.unit?.isHundredth == true ? nil : marketCap
        do throws(Decimal.Overflow) {
            fundamentals.earningsPerShare = try scale.amount(earningsPerShare)
            fundamentals.dividendPerShare = try scale.amount(dividendPerShare)
            fundamentals.yearHigh = try scale.amount(yearHigh)
            fundamentals.yearLow = try scale.amount(yearLow)
        } catch {
            return nil
        }
        return fundamentals
    }

    /// Nil except for American listings: the row does not contain the time zone of others.
    private func time(of symbol: Symbol) -> Instant? {
        guard case .listing(_, market: nil)? = SymbolKind(symbol), let lastTradeDate, let lastTradeTime else {
            return nil
        }
        return YQLNumber.newYorkTime(date: lastTradeDate, time: lastTradeTime)
    }
}
