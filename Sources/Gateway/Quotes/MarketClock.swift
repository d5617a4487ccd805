package import Brokerage
package import GraphQL
import Upstream

extension MarketClock: GraphQLObject {
    package typealias Context = GatewayContext

    package static let graphQL = ObjectType<MarketClock>("MarketClock") {
        Field("provider", \.provider)
        Field("open", \.isOpen)
        Field("state", \.state)
        Field("nextOpen", \.nextOpen)
        Field("nextClose", \.nextClose)
        Field("now", \.now)
    }
}

extension GatewayContext {
    /// Whether the main market of a provider trades.
    func marketClock(of provider: ProviderID?) throws -> MaybeAsync<MarketClock?> {
        try result(for: ClockQuery(), named: { _ in "market clock" }) { () throws(FieldError) in
            RoutedRead(
                sources: try sources(for: .clock, from: provider), reads: services.reads.clocks,
                subject: { _ in "clock" },
                fetch: { source, queries, call throws(ProviderFailure) in
                    guard let clock = try await source.clock?.clock(in: call) else { return [:] }
                    return KeyedResults(
                        Dictionary(queries.map { ($0, clock) }, uniquingKeysWith: { first, _ in first }))
                })
        }.map { $0 }
    }
}

/// A provider has one main market: there is nothing to say.
struct ClockQuery: Hashable, Sendable {}
