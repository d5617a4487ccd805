package import Brokerage
package import Upstream

extension YahooClient: QuoteSource {
    /// Yahoo names no limit; lists of so many are in use.
    package var symbolsPerCall: Int { 50 }

    /// `GET /v7/finance/quote`, with a crumb.
    package func quotes(
        for symbols: [Symbol], in context: CallContext
    ) async throws(ProviderFailure) -> KeyedResults<Symbol, Quote> {
        let entries = try await entries(of: symbols, "quotes", in: context)
        let fetchedAt = clock.wallTime()
        var quotes = KeyedResults<Symbol, Quote>()
        for (symbol, entry) in entries {
            if let quote = entry.quote(of: symbol, fetchedAt: fetchedAt) {
                quotes[symbol] = quote
            } else {
                quotes.failures[symbol] = ProviderFailure(.yahoo, .invalidResponse(nil))
            }
        }
        return quotes
    }

    /// What Yahoo tells of instruments; those that it does not know or no longer lists are left out.
    func entries(
        of symbols: [Symbol], _ operation: String, in context: CallContext
    ) async throws(ProviderFailure) -> [Symbol: YahooQuote] {
        var wanted: [String: Symbol] = [:]
        for symbol in symbols {
            if let spelling = symbolMapping.providerSymbol(for: symbol) { wanted[spelling] = symbol }
        }
        guard !wanted.isEmpty else { return [:] }
        let items = [("symbols", Optional(wanted.keys.sorted().joined(separator: ",")))]
        let answer = try await getWithCrumb(
            operation, { $0.appending(path: "v7", "finance", "quote")?.appending(query: items) }, in: context
        ) { reader throws(JSONError) in try YahooQuotes(json: &reader) }
        var entries: [Symbol: YahooQuote] = [:]
        for entry in answer.quotes where entry.isListed {
            if let symbol = wanted[entry.symbol] { entries[symbol] = entry }
        }
        return entries
    }
}

/// An entry of `GET /v7/finance/quote`.
package struct YahooQuote: JSONDecodable, Hashable {
    /// In Yahoo's spelling.
    var symbol: String
    /// `EQUITY` and the like; `NONE` for what is no longer listed.
    var type: String?
    var name: YahooName = YahooName()
    var exchange: String?
    var exchangeName: String?
    var currency: String?
    var digits: Int?
    var price: Decimal?
    var bid: Decimal?
    var ask: Decimal?
    var open: Decimal?
    var high: Decimal?
    var low: Decimal?
    var previousClose: Decimal?
    var volume: Decimal?
    var preMarketPrice: Decimal?
    var postMarketPrice: Decimal?
    var time: Instant?
    var delayMinutes: Int?
    /// `REGULAR`, `CLOSED`, `PRE`, `PREPRE`, `POST` or `POSTPOST`.
    var state: String?

    package init(json reader: inout JSONReader) throws(JSONError) {
        // Set by the object below, or refused behind it.
        symbol = ""
        try reader.object { key, reader throws(JSONError) in
            switch key {
            case "symbol": symbol = try reader.string()
            case "quoteType": type = try reader.stringOrNil()
            case "longName": name.long = try reader.stringOrNil()
            case "shortName": name.short = try reader.stringOrNil()
            case "exchange": exchange = try reader.stringOrNil()
            case "fullExchangeName": exchangeName = try reader.stringOrNil()
            case "currency": currency = try reader.stringOrNil()
            case "priceHint": digits = try reader.intOrNil()
            case "exchangeDataDelayedBy": delayMinutes = try reader.intOrNil()
            case "marketState": state = try reader.stringOrNil()
            case "regularMarketTime":
                time = try reader.optional { reader throws(JSONError) in
                    try reader.instant(since1970: .seconds)
                }
            default: try readPrice(key, &reader)
            }
        }
        _ = try reader.required(symbol.isEmpty ? nil : symbol, "symbol")
    }

    private mutating func readPrice(_ key: JSONKey, _ reader: inout JSONReader) throws(JSONError) {
        switch key {
        case "regularMarketPrice": price = try reader.decimalOrNil()
        case "bid": bid = try reader.priceOrNil()
        case "ask": ask = try reader.priceOrNil()
        case "regularMarketOpen": open = try reader.decimalOrNil()
        case "regularMarketDayHigh": high = try reader.decimalOrNil()
        case "regularMarketDayLow": low = try reader.decimalOrNil()
        case "regularMarketPreviousClose": previousClose = try reader.decimalOrNil()
        case "regularMarketVolume": volume = try reader.decimalOrNil()
        case "preMarketPrice": preMarketPrice = try reader.decimalOrNil()
        case "postMarketPrice": postMarketPrice = try reader.decimalOrNil()
        default: try reader.skip()
        }
    }

    /// Whether it is still listed: what is not has an entry all the same.
    var isListed: Bool { type != "NONE" }
}

/// What Yahoo calls a company, at length and in short.
struct YahooName: Hashable {
    var long: String?
    var short: String?

    var best: String? { long ?? short }
}

/// The answer of `GET /v7/finance/quote`; what Yahoo does not know is not in it.
package struct YahooQuotes: JSONDecodable {
    package var quotes: [YahooQuote]

    package init(json reader: inout JSONReader) throws(JSONError) {
        var quotes: [YahooQuote]?
        try reader.object { key, reader throws(JSONError) in
            switch key {
            case "quoteResponse":
                quotes = try reader.result { reader throws(JSONError) in
                    try reader.array(of: YahooQuote.self)
                }
            default: try reader.skip()
            }
        }
        self.quotes = try reader.required(quotes, "quoteResponse")
    }
}

extension JSONReader {
    /// Reads an envelope: `{"result":…,"error":null}`.
    mutating func result<Value>(
        _ read: (inout JSONReader) throws(JSONError) -> Value
    ) throws(JSONError) -> Value {
        var value: Value?
        try object { key, reader throws(JSONError) in
            switch key {
            case "result": value = try reader.optional(read)
            default: try reader.skip()
            }
        }
        return try required(value, "result")
    }

    /// Reads a price where 0 stands for none; nil for null too.
    mutating func priceOrNil() throws(JSONError) -> Decimal? {
        guard let price = try decimalOrNil(), !price.isZero else { return nil }
        return price
    }
}

extension YahooQuote {
    /// The quote in Portico's words; nil where its figures cannot be told: too many digits, or in what nobody knows.
    func quote(of symbol: Symbol, fetchedAt: Instant) -> Quote? {
        guard let told = YahooPriceScale(of: symbol, currency: currency, digits: digits) else { return nil }
        var quote = Quote(
            symbol: symbol, provenance: Provenance(source: .yahoo, fetchedAt: fetchedAt, asOf: time))
        do throws(Decimal.Overflow) {
            quote.price = try told.amount(price)
            quote.bid = try told.amount(bid)
            quote.ask = try told.amount(ask)
            quote.open = try told.amount(open)
            quote.high = try told.amount(high)
            quote.low = try told.amount(low)
            quote.previousClose = try told.amount(previousClose)
            quote.extendedHoursPrice = try told.amount(extendedHoursPrice)
        } catch {
            return nil
        }
        quote.volume = volume
        quote.currency = told.unit?.currency
        quote.marketState = marketState
        quote.delayMinutes = delayMinutes
        quote.timeliness = delayMinutes.map { $0 == 0 ? .realTime : .delayed }
        return quote
    }

    /// The instrument in Portico's words.
    func instrument(of symbol: Symbol, fetchedAt: Instant) -> Instrument {
        var instrument = Instrument(
            symbol: symbol, assetClass: YahooAssetType.assetClass(type),
            provenance: Provenance(source: .yahoo, fetchedAt: fetchedAt))
        instrument.name = name.best
        instrument.exchange = YahooAssetType.exchange(of: symbol, code: exchange, name: exchangeName)
        instrument.currency = currency.flatMap(PriceUnit.init)?.currency
        instrument.decimals = digits
        instrument.listing = Listing(provider: .yahoo, key: self.symbol)
        return instrument
    }

    /// The one of the session that runs, else of the last that ran.
    private var extendedHoursPrice: Decimal? {
        switch state {
        case "PRE": preMarketPrice
        case "REGULAR": nil
        default: postMarketPrice ?? preMarketPrice
        }
    }

    private var marketState: MarketState? {
        switch state {
        case "REGULAR": .open
        case "PRE": .pre
        case "POST": .post
        // The night, before the first session and after the last.
        case "CLOSED", "PREPRE", "POSTPOST": .closed
        default: nil
        }
    }
}

/// Yahoo's words for kinds and exchanges.
enum YahooAssetType {
    static func assetClass(_ type: String?) -> AssetClass {
        switch type {
        case "EQUITY": .equity
        case "ETF": .etf
        case "MUTUALFUND": .fund
        case "INDEX": .index
        case "CURRENCY": .fx
        case "CRYPTOCURRENCY": .crypto
        case "FUTURE": .future
        case "OPTION": .option
        default: .other
        }
    }

    /// A market identifier code where there is one, else Yahoo's own name.
    static func exchange(of symbol: Symbol, code: String?, name: String?) -> String? {
        if case .listing(_, let market?)? = SymbolKind(symbol) { return market }
        return code.flatMap(YahooMarket.american) ?? name ?? code
    }
}
