package import Brokerage
package import Upstream

extension PolygonClient: InstrumentSource {
    /// `GET /v3/reference/tickers`: what is traded now, in Polygon's order.
    package func search(
        _ text: String, limit: Int, in context: CallContext
    ) async throws(ProviderFailure) -> [SearchHit] {
        let limit = min(max(limit, 1), Self.maximumTickers)
        let items = [("search", Optional(text)), ("active", "true"), ("limit", String(limit))]
        let list = try await get(
            "search", { $0.appending(path: "v3", "reference", "tickers")?.appending(query: items) },
            in: context
        ) { reader throws(JSONError) in try PolygonTickerList(json: &reader) }
        let fetchedAt = clock.wallTime()
        let hits = list.tickers.lazy.compactMap { ticker in
            ticker.instrument(symbolMapping, fetchedAt: fetchedAt).map { SearchHit(instrument: $0) }
        }
        return Array(hits.prefix(limit))
    }

    /// More are refused.
    private static var maximumTickers: Int { 1_000 }

    /// `GET /v3/reference/tickers/{ticker}`.
    package func instrument(
        _ symbol: Symbol, in context: CallContext
    ) async throws(ProviderFailure) -> Instrument {
        let details = try await details(of: symbol, in: context)
        guard let instrument = details.instrument(symbolMapping, fetchedAt: clock.wallTime()) else {
            throw ProviderFailure(.polygon, .notFound)
        }
        return instrument
    }
}

extension PolygonClient: FundamentalsSource {
    /// What the details of a share tell of its company.
    package func fundamentals(
        of symbol: Symbol, in context: CallContext
    ) async throws(ProviderFailure) -> Fundamentals {
        // Currencies, coins and indices have details too, but are no companies.
        guard case .listing? = SymbolKind(symbol) else { throw ProviderFailure(.polygon, .notFound) }
        return try await details(of: symbol, in: context)
            .fundamentals(of: symbol, fetchedAt: clock.wallTime())
    }
}
