package import Brokerage
package import Upstream

extension YahooClient: FundamentalsSource {
    /// `GET /v10/finance/quoteSummary/{symbol}`, with a crumb: what the company does, and where; no figures.
    package func fundamentals(
        of symbol: Symbol, in context: CallContext
    ) async throws(ProviderFailure) -> Fundamentals {
        let spelling = try providerSymbol(for: symbol)
        let items = [("modules", Optional("assetProfile")), ("formatted", "false")]
        let profile = try await getWithCrumb(
            "fundamentals",
            { $0.appending(path: "v10", "finance", "quoteSummary", spelling)?.appending(query: items) },
            in: context
        ) { reader throws(JSONError) in try YahooProfile.response(json: &reader) }
        return profile.fundamentals(of: symbol, fetchedAt: clock.wallTime())
    }
}
