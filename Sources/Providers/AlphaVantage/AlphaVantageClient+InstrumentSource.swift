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
