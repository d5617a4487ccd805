package import Brokerage
package import Upstream

extension AlphaVantageClient: FundamentalsSource {
    /// `OVERVIEW`: companies only; funds and indices are `notFound`.
    package func fundamentals(
        of symbol: Symbol, in context: CallContext
    ) async throws(ProviderFailure) -> Fundamentals {
        let items = [("symbol", try Optional(providerSymbol(for: symbol)))]
        let found: Fundamentals? = try await get("fundamentals", "OVERVIEW", items, in: context) {
            reader throws(JSONError) -> Fundamentals? in
            let overview = try AlphaVantageOverview(json: &reader)
            guard overview.symbol != nil else { return nil }
            let figures = try? overview.fundamentals(of: symbol, fetchedAt: clock.wallTime())
            return try reader.required(figures, "amounts that can be told in whole currency")
        }
        guard let found else { throw ProviderFailure(.alphaVantage, .notFound) }
        return found
    }
}
