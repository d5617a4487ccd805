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
        recentEntries.store(entries.found, at: clock.now())
        let fetchedAt = clock.wallTime()
        var quotes = KeyedResults<Symbol, Quote>(failures: entries.failures)
        for (symbol, entry) in entries.found {
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
    ) async throws(ProviderFailure) -> KeyedResults<Symbol, YahooQuote> {
        var wanted: [String: Symbol] = [:]
        for symbol in symbols {
            if let spelling = symbolMapping.providerSymbol(for: symbol) { wanted[spelling] = symbol }
        }
        guard !wanted.isEmpty else { return [:] }
        let items = [("symbols", Optional(wanted.keys.sorted().joined(separator: ",")))]
        do throws(ProviderFailure) {
            return try await getWithCrumb(
                operation, { $0.appending(path: "v7", "finance", "quote")?.appending(query: items) },
                in: context
            ) { reader throws(JSONError) in
                try YahooQuotes(json: &reader).entries(wanted, by: symbolMapping)
            }
        } catch {
            guard error.cause == .notEntitled else { throw error }
            return await chartEntries(wanted, operation, in: context)
        }
    }

    /// The entries in the charts of a day, which need no crumb, but one call for each instrument.
    ///
    /// At most ``maximumCharts``, so that a long list does not use up the quota; the others fail.
    private func chartEntries(
        _ wanted: [String: Symbol], _ operation: String, in context: CallContext
    ) async -> KeyedResults<Symbol, YahooQuote> {
        let spellings = wanted.keys.sorted()
        let requested = Array(spellings.prefix(Self.maximumCharts))
        let items = [("interval", Optional("1d")), ("range", "1d")]
        let results = await concurrently(requested, atMost: 4) {
            spelling async throws(ProviderFailure) -> YahooQuote? in
            try await getChart(operation, spelling, items, in: context) { chart, _ throws(JSONError) in
                chart.meta.quote
            }
        }
        var entries = KeyedResults<Symbol, YahooQuote>()
        for (spelling, result) in zip(requested, results) {
            if let symbol = wanted[spelling] { entries.add(result, for: symbol) }
        }
        entries.fail(
            spellings.dropFirst(Self.maximumCharts).compactMap { wanted[$0] },
            ProviderFailure(.yahoo, .notEntitled))
        return entries
    }

    /// The most charts that are read in place of one call with a crumb.
    private static var maximumCharts: Int { 10 }
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
    /// `Nasdaq Real Time Price`, `Delayed Quote`.
    var feed: String?
    /// `REGULAR`, `CLOSED`, `PRE`, `PREPRE`, `POST` or `POSTPOST`.
    var state: String?

    package static let json = JSONFields(Self()) {
        $0.required("symbol", \.symbol) { reader throws(JSONError) in
            let symbol = try reader.string()
            return symbol.isEmpty ? nil : symbol
        }
        $0.optional("quoteType", \.type) { reader throws(JSONError) in
            try reader.name(where: { YahooAssetType.assetClass($0) != .other })
        }
        $0.optional("longName", \.name.long)
        $0.optional("shortName", \.name.short)
        $0.optional("exchange", \.exchange)
        $0.optional("fullExchangeName", \.exchangeName)
        $0.optional("currency", \.currency)
        $0.optional("priceHint", \.digits)
        $0.optional("exchangeDataDelayedBy", \.delayMinutes)
        $0.optional("quoteSourceName", \.feed)
        $0.optional("marketState", \.state) { reader throws(JSONError) in
            try reader.name(where: { Self.marketState($0) != nil })
        }
        $0.optional("regularMarketTime", \.time) { reader throws(JSONError) in
            try reader.instant(since1970: .seconds)
        }
        $0.optional("regularMarketPrice", \.price, JSONReader.nonzeroPrice)
        $0.optional("bid", \.bid, JSONReader.nonzeroPrice)
        $0.optional("ask", \.ask, JSONReader.nonzeroPrice)
        $0.optional("regularMarketOpen", \.open, JSONReader.nonzeroPrice)
        $0.optional("regularMarketDayHigh", \.high, JSONReader.nonzeroPrice)
        $0.optional("regularMarketDayLow", \.low, JSONReader.nonzeroPrice)
        $0.optional("regularMarketPreviousClose", \.previousClose, JSONReader.nonzeroPrice)
        $0.optional("regularMarketVolume", \.volume)
        $0.optional("preMarketPrice", \.preMarketPrice, JSONReader.nonzeroPrice)
        $0.optional("postMarketPrice", \.postMarketPrice, JSONReader.nonzeroPrice)
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
    private let rows: JSONRows<YahooQuote>

    package var quotes: [YahooQuote] { rows.elements }

    package init(json reader: inout JSONReader) throws(JSONError) {
        var quotes: JSONRows<YahooQuote>?
        try reader.object { key, reader throws(JSONError) in
            switch key {
            case "quoteResponse":
                quotes = try reader.result { reader throws(JSONError) in
                    try reader.rows(of: YahooQuote.self)
                }
            default: try reader.skip()
            }
        }
        rows = try reader.required(quotes, "quoteResponse")
    }

    /// The entry of each listed symbol, under its requested name.
    ///
    /// Yahoo has two names of a pair of the dollar, and may return the entry of `USDJPY=X` under the other one, `JPY=X`
    /// (sstrickx/yahoofinance-api, issue 172).
    ///
    /// - Parameters:
    ///   - wanted: The requested symbols, by Yahoo's names of them.
    ///   - mapping: Finds the requested name of an entry that has another one.
    /// - Returns: The entries, and the failures of the symbols without one if a row could not be read.
    func entries(_ wanted: [String: Symbol], by mapping: YahooSymbols) -> KeyedResults<Symbol, YahooQuote> {
        var entries = KeyedResults<Symbol, YahooQuote>()
        var read: [String] = []
        for var entry in quotes {
            if wanted[entry.symbol] == nil {
                let other = mapping.symbol(for: entry.symbol).flatMap(mapping.providerSymbol(for:))
                if let other { entry.symbol = other }
            }
            guard let symbol = wanted[entry.symbol] else { continue }
            read.append(entry.symbol)
            if entry.isListed { entries[symbol] = entry }
        }
        entries.fail(wanted, except: read, rows.failures, of: .yahoo)
        return entries
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
    static func nonzeroPrice(_ reader: inout JSONReader) throws(JSONError) -> Decimal? {
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
        quote.marketState = Self.marketState(state)
        quote.delayMinutes = delayMinutes
        quote.timeliness = delayMinutes.map { $0 == 0 ? .realTime : .delayed }
        quote.feed = feed.flatMap { $0.isEmpty ? nil : $0 }
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

    private static func marketState(_ name: String?) -> MarketState? {
        switch name {
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
