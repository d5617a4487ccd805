package import Brokerage
package import Upstream

/// The response of `GET /v1/finance/search`: listings, and private companies, which have no symbol.
struct YahooSearch: JSONDecodable {
    private let rows: JSONRows<Match>

    var matches: [Match] { rows.elements }
    var unreadable: [String] { rows.unreadable(in: "quotes") }

    struct Match: Hashable {
        /// In Yahoo's form; nil for a private company.
        var symbol: String?
        var name = YahooName()
        var type: String?
        var exchange: String?
        var exchangeName: String?
    }

    init(json reader: inout JSONReader) throws(JSONError) {
        var matches: JSONRows<Match>?
        try reader.object { key, reader throws(JSONError) in
            switch key {
            case "quotes": matches = try reader.rows()
            default: try reader.skip()
            }
        }
        rows = try reader.required(matches, "quotes")
    }
}

extension YahooSearch.Match: JSONDecodable {
    init(json reader: inout JSONReader) throws(JSONError) {
        try reader.object { key, reader throws(JSONError) in
            switch key {
            case "symbol": symbol = try reader.stringOrNil()
            // In lower case here, unlike in other responses.
            case "longname": name.long = try reader.stringOrNil()
            case "shortname": name.short = try reader.stringOrNil()
            case "quoteType": type = try reader.stringOrNil()
            case "exchange": exchange = try reader.stringOrNil()
            case "exchDisp": exchangeName = try reader.stringOrNil()
            default: try reader.skip()
            }
        }
    }

    /// The match as an `Instrument` of Portico; nil if it is not traded, or has no symbol in Portico.
    func instrument(_ symbolMapping: YahooSymbols, fetchedAt: Instant) -> Instrument? {
        guard let spelling = symbol, let symbol = symbolMapping.symbol(for: spelling) else { return nil }
        var instrument = Instrument(
            symbol: symbol, assetClass: YahooAssetType.assetClass(type),
            provenance: Provenance(source: .yahoo, fetchedAt: fetchedAt))
        instrument.name = name.best
        instrument.exchange = YahooAssetType.exchange(of: symbol, code: exchange, name: exchangeName)
        instrument.marketCode = YahooAssetType.marketCode(of: symbol, code: exchange)
        instrument.listing = Listing(provider: .yahoo, key: spelling)
        return instrument
    }
}

extension YahooClient: InstrumentSource {
    /// `GET /v1/finance/search`.
    package func search(
        _ text: String, limit: Int, in context: CallContext
    ) async throws(ProviderFailure) -> SearchHits {
        let limit = max(limit, 1)
        let items = [("q", Optional(text)), ("quotesCount", String(limit)), ("newsCount", "0")]
        let response = try await get(
            "search", { $0.appending(path: "v1", "finance", "search")?.appending(query: items) }, in: context
        ) { reader throws(JSONError) in try YahooSearch(json: &reader) }
        let fetchedAt = clock.wallTime()
        let hits = response.matches.lazy.compactMap { match in
            match.instrument(symbolMapping, fetchedAt: fetchedAt).map { SearchHit(instrument: $0) }
        }
        return SearchHits(Array(hits.prefix(limit)), unreadable: response.unreadable)
    }

    /// The instrument of a quote.
    package func instrument(
        _ symbol: Symbol, in context: CallContext
    ) async throws(ProviderFailure) -> Instrument {
        let batch = try await instruments([symbol], in: context)
        if let failure = batch.failures[symbol] { throw failure }
        guard let instrument = batch[symbol] else { throw ProviderFailure(.yahoo, .notFound) }
        return instrument
    }

    package var searchOmitsDetails: Bool { true }

    package var instrumentsPerCall: Int { symbolsPerCall }

    /// The instruments of quotes, which one call has for many symbols, and none those of prices that were read a moment ago.
    package func instruments(
        _ symbols: [Symbol], in context: CallContext
    ) async throws(ProviderFailure) -> KeyedResults<Symbol, Instrument> {
        let known = recentEntries.entries(of: symbols, for: context, at: clock.now())
        let unknown = symbols.filter { known[$0] == nil }
        var entries = unknown.isEmpty ? [:] : try await entries(of: unknown, "instrument", in: context)
        entries.found.merge(known) { _, known in known }
        let fetchedAt = clock.wallTime()
        var instruments = KeyedResults<Symbol, Instrument>(failures: entries.failures)
        for (symbol, entry) in entries.found {
            instruments[symbol] = entry.instrument(of: symbol, fetchedAt: fetchedAt)
        }
        return instruments
    }
}
