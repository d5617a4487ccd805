package import Brokerage
package import GraphQL
import Upstream

extension MarketClock: GraphQLObject {
    package static let graphQL = ObjectType<MarketClock>("MarketClock") {
        Field("id") { NodeID(.marketClock, $0.provider.name.text).text }
        Field("provider", \.provider)
        Field("open", \.isOpen)
        Field("state", \.state)
        Field("nextOpen", \.nextOpen)
        Field("nextClose", \.nextClose)
        Field("now", \.now)
    }
}

extension QuoteService {
    /// Whether the main market of a provider trades.
    func marketClock(of provider: ProviderID?) throws -> MaybeAsync<MarketClock?> {
        try reads.result(for: SingleValueQuery(), named: { _ in "market clock" }) { () throws(FieldError) in
            RoutedRead(
                sources: try reads.sources(for: .clock, from: provider), cache: caches.clocks,
                load: { source, queries, call throws(ProviderFailure) in
                    guard let clock = try await source.clock?.clock(in: call) else { return [:] }
                    return KeyedResults(
                        Dictionary(queries.map { ($0, clock) }, uniquingKeysWith: { first, _ in first }))
                })
        }.map { $0 }
    }
}
