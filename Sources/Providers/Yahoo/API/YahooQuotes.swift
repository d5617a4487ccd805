package import Brokerage
package import Upstream

extension YahooClient: QuoteSource {
    /// Yahoo documents no limit; lists of this length are in use.
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

    /// Returns the entries of instruments; those that are unknown or no longer listed are omitted.
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
package struct YahooQuote: JSONObjectDecodable, Hashable {
    /// In Yahoo's form.
    var symbol = ""
    /// `EQUITY` and others; `NONE` for an instrument that is no longer listed.
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

    package static let json = JSONFields(Self()) {
        $0.required("symbol", \.symbol) { reader throws(JSONError) in
            let symbol = try reader.string()
            return symbol.isEmpty ? nil : symbol
        }
        $0.optional("quoteType", \.type)
        $0.optional("longName", \.name.long)
        $0.optional("shortName", \.name.short)
        $0.optional("exchange", \.exchange)
        $0.optional("fullExchangeName", \.exchangeName)
        $0.optional("currency", \.currency)
        $0.optional("priceHint", \.digits)
        $0.optional("exchangeDataDelayedBy", \.delayMinutes)
        $0.optional("marketState", \.state)
        $0.optional("regularMarketTime", \.time) { reader throws(JSONError) in
            try reader.instant(since1970: .seconds)
        }
        $0.optional("regularMarketPrice", \.price)
        $0.optional("bid", \.bid, JSONReader.nonzeroPrice)
        $0.optional("ask", \.ask, JSONReader.nonzeroPrice)
        $0.optional("regularMarketOpen", \.open)
        $0.optional("regularMarketDayHigh", \.high)
        $0.optional("regularMarketDayLow", \.low)
        $0.optional("regularMarketPreviousClose", \.previousClose)
        $0.optional("regularMarketVolume", \.volume)
        $0.optional("preMarketPrice", \.preMarketPrice)
        $0.optional("postMarketPrice", \.postMarketPrice)
    }

    /// Whether it is still listed; an instrument that is not listed has an entry too.
    var isListed: Bool { type != "NONE" }
}

/// The long and the short name of a company.
struct YahooName: Hashable {
    var long: String?
    var short: String?

    var best: String? { long ?? short }
}

/// The response of `GET /v7/finance/quote`, which omits unknown symbols.
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

    /// Reads a price; nil for null, and for 0, with which Yahoo means no price.
    fileprivate static func nonzeroPrice(_ reader: inout JSONReader) throws(JSONError) -> Decimal? {
        let price = try reader.decimal()
        return price.isZero ? nil : price
    }
}

extension YahooQuote {
    /// The entry as a `Quote` of Portico; nil if its prices have too many digits or an unknown unit.
    func quote(of symbol: Symbol, fetchedAt: Instant) -> Quote? {
        guard let scale = YahooPriceScale(of: symbol, currency: currency, digits: digits) else { return nil }
        var quote = Quote(
            symbol: symbol, provenance: Provenance(source: .yahoo, fetchedAt: fetchedAt, asOf: time))
        do throws(Decimal.Overflow) {
            quote.price = try scale.amount(price)
            quote.bid = try scale.amount(bid)
            quote.ask = try scale.amount(ask)
            quote.open = try scale.amount(open)
            quote.high = try scale.amount(high)
            quote.low = try scale.amount(low)
            quote.previousClose = try scale.amount(previousClose)
            quote.extendedHoursPrice = try scale.amount(extendedHoursPrice)
        } catch {
            return nil
        }
        quote.volume = volume
        quote.currency = scale.unit?.currency
        quote.marketState = marketState
        quote.delayMinutes = delayMinutes
        quote.timeliness = delayMinutes.map { $0 == 0 ? .realTime : .delayed }
        return quote
    }

    /// The entry as an `Instrument` of Portico.
    func instrument(of symbol: Symbol, fetchedAt: Instant) -> Instrument {
        var instrument = Instrument(
            symbol: symbol, assetClass: YahooAssetType.assetClass(type),
            provenance: Provenance(source: .yahoo, fetchedAt: fetchedAt))
        instrument.name = name.best
        instrument.exchange = YahooAssetType.exchange(of: symbol, code: exchange, name: exchangeName)
        instrument.marketCode = YahooAssetType.marketCode(of: symbol, code: exchange)
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

/// Yahoo's names of asset types and exchanges.
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

    /// A market identifier code if there is one, otherwise Yahoo's name.
    static func exchange(of symbol: Symbol, code: String?, name: String?) -> String? {
        marketCode(of: symbol, code: code) ?? name ?? code
    }

    /// The market identifier code; nil if Yahoo's name of the exchange has none.
    static func marketCode(of symbol: Symbol, code: String?) -> String? {
        if case .listing(_, let market?)? = SymbolKind(symbol) { return market }
        return code.flatMap { Exchange(yahooCode: $0)?.code }
    }
}
