package import Brokerage
package import Upstream

extension AlphaVantageClient: InstrumentSource {
    /// `SYMBOL_SEARCH`; what is listed where Portico has no code for the market is left out.
    package func search(
        _ text: String, limit: Int, in context: CallContext
    ) async throws(ProviderFailure) -> [SearchHit] {
        let matches = try await matches("search", text, in: context)
        let fetchedAt = clock.wallTime()
        let hits = matches.lazy.compactMap { match in
            match.instrument(symbolMapping, fetchedAt: fetchedAt).map { instrument in
                SearchHit(instrument: instrument, matchScore: match.score, region: match.region)
            }
        }
        return Array(hits.prefix(max(limit, 0)))
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

/// The answer of `SYMBOL_SEARCH`.
struct AlphaVantageMatches: JSONDecodable, Hashable {
    var best: [AlphaVantageMatch]

    init(json reader: inout JSONReader) throws(JSONError) {
        var best: [AlphaVantageMatch]?
        try reader.object { key, reader throws(JSONError) in
            switch key {
            case "bestMatches": best = try reader.array(of: AlphaVantageMatch.self)
            default: try reader.skip()
            }
        }
        self.best = try reader.required(best, "bestMatches")
    }
}

/// A listing as a search tells of it.
struct AlphaVantageMatch: JSONDecodable, Hashable {
    /// In Alpha Vantage's spelling.
    var symbol: String
    var name: String?
    var type: String?
    var region: String?
    /// `USD`, or `GBX` for pence.
    var currency: String?
    var score: Decimal?

    init(json reader: inout JSONReader) throws(JSONError) {
        var (symbol, name, type) = (String?.none, String?.none, String?.none)
        var (region, currency, score) = (String?.none, String?.none, Decimal?.none)
        try reader.object { key, reader throws(JSONError) in
            switch key {
            case "1. symbol": symbol = try reader.string()
            case "2. name": name = try reader.textOrNil()
            case "3. type": type = try reader.textOrNil()
            case "4. region": region = try reader.textOrNil()
            case "8. currency": currency = try reader.textOrNil()
            case "9. matchScore": score = try reader.figureOrNil()
            default: try reader.skip()
            }
        }
        self.symbol = try reader.required(symbol, "1. symbol")
        self.name = name
        self.type = type
        self.region = region
        self.currency = currency
        self.score = score
    }

    var unit: PriceUnit? { currency.flatMap(PriceUnit.init) }

    /// About how many bytes it takes.
    var weight: Int {
        MemoryLayout<Self>.stride
            + [symbol, name, type, region, currency].reduce(0) { $0 + ($1?.utf8.count ?? 0) }
    }

    /// The match in Portico's words; nil for an exchange that it has no code for.
    func instrument(_ dialect: AlphaVantageSymbols, fetchedAt: Instant) -> Instrument? {
        guard let symbol = dialect.symbol(for: symbol), let form = SymbolKind(symbol) else { return nil }
        var instrument = Instrument(
            symbol: symbol, assetClass: assetClass,
            provenance: Provenance(source: .alphaVantage, fetchedAt: fetchedAt))
        instrument.name = name
        if case .listing(_, let market) = form { instrument.exchange = market }
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
