package import Brokerage
package import Upstream

extension AlphaVantageClient: InstrumentSource {
    /// `SYMBOL_SEARCH`, without listings at markets for which Portico has no code.
    package func search(
        _ text: String, limit: Int, in context: CallContext
    ) async throws(ProviderFailure) -> SearchHits {
        let matches = try await matches("search", text, in: context)
        let fetchedAt = clock.wallTime()
        let hits = matches.best.lazy.compactMap { match in
            match.instrument(symbolMapping, fetchedAt: fetchedAt).map { instrument in
                SearchHit(instrument: instrument, matchScore: match.score, region: match.region)
            }
        }
        return SearchHits(Array(hits.prefix(max(limit, 0))), unreadable: matches.unreadable)
    }

    /// The listing that a search finds by its own symbol.
    package func instrument(
        _ symbol: Symbol, in context: CallContext
    ) async throws(ProviderFailure) -> Instrument {
        let match = try await listing(for: providerSymbol(for: symbol), in: context)
        guard let instrument = match.instrument(symbolMapping, fetchedAt: clock.wallTime()) else {
            throw ProviderFailure(.alphaVantage, .notFound)
        }
        return instrument
    }
}

/// The response of `SYMBOL_SEARCH`.
struct AlphaVantageMatches: JSONDecodable {
    private let rows: JSONRows<AlphaVantageMatch>

    var best: [AlphaVantageMatch] { rows.elements }
    var failures: [JSONError] { rows.failures }
    var unreadable: [String] { rows.unreadable(in: "bestMatches") }

    init(json reader: inout JSONReader) throws(JSONError) {
        var best: JSONRows<AlphaVantageMatch>?
        try reader.object { key, reader throws(JSONError) in
            switch key {
            case "bestMatches": best = try reader.rows()
            default: try reader.skip()
            }
        }
        rows = try reader.required(best, "bestMatches")
    }
}

/// A listing in a search result.
struct AlphaVantageMatch: JSONObjectDecodable, Hashable {
    /// In Alpha Vantage's form.
    var symbol = ""
    var name: String?
    var type: String?
    var region: String?
    /// `USD`, or `GBX` for pence.
    var currency: String?
    var score: Decimal?

    static let json = JSONFields(Self()) {
        $0.required("1. symbol", \.symbol)
        $0.optional("2. name", \.name, JSONReader.meaningfulText)
        $0.optional("3. type", \.type, JSONReader.meaningfulText)
        $0.optional("4. region", \.region, JSONReader.meaningfulText)
        $0.optional("8. currency", \.currency, JSONReader.meaningfulText)
        $0.optional("9. matchScore", \.score, JSONReader.figure)
    }

    var unit: PriceUnit? { currency.flatMap(PriceUnit.init) }

    /// The approximate size in bytes.
    var weight: Int {
        MemoryLayout<Self>.stride
            + [symbol, name, type, region, currency].reduce(0) { $0 + ($1?.utf8.count ?? 0) }
    }

    /// The match as an `Instrument` of Portico; nil for an exchange without a code.
    func instrument(_ symbolMapping: AlphaVantageSymbols, fetchedAt: Instant) -> Instrument? {
        guard let symbol = symbolMapping.symbol(for: symbol), let form = SymbolKind(symbol) else {
            return nil
        }
        var instrument = Instrument(
            symbol: symbol, assetClass: assetClass,
            provenance: Provenance(source: .alphaVantage, fetchedAt: fetchedAt))
        instrument.name = name
        if case .listing(_, let market) = form { instrument.exchange = market }
        instrument.marketCode = instrument.exchange
        instrument.currency = unit?.currency
        instrument.listing = Listing(provider: .alphaVantage, key: self.symbol)
        return instrument
    }

    private var assetClass: AssetClass {
        switch type {
        case "Equity": .equity
        case "ETF": .etf
        case "Mutual Fund": .fund
        default: .other
        }
    }
}
