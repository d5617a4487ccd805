package import Brokerage
package import Upstream

extension YahooClient: InstrumentSource {
    /// `GET /v1/finance/search`.
    package func search(
        _ text: String, limit: Int, in context: CallContext
    ) async throws(ProviderFailure) -> [SearchHit] {
        let limit = max(limit, 1)
        let items = [("q", Optional(text)), ("quotesCount", String(limit)), ("newsCount", "0")]
        let answer = try await get(
            "search", { $0.appending(path: "v1", "finance", "search")?.appending(query: items) }, in: context
        ) { reader throws(JSONError) in try YahooSearch(json: &reader) }
        let fetchedAt = clock.wallTime()
        let hits = answer.matches.lazy.compactMap { match in
            match.instrument(symbolMapping, fetchedAt: fetchedAt).map { SearchHit(instrument: $0) }
        }
        return Array(hits.prefix(limit))
    }

    /// What a quote tells of its instrument.
    package func instrument(
        _ symbol: Symbol, in context: CallContext
    ) async throws(ProviderFailure) -> Instrument {
        guard let entry = try await entries(of: [symbol], "instrument", in: context)[symbol] else {
            throw ProviderFailure(.yahoo, .notFound)
        }
        return entry.instrument(of: symbol, fetchedAt: clock.wallTime())
    }
}
