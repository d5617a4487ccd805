package import Brokerage
package import GraphQL
import Upstream

extension QuoteService {
    /// The order book of each instrument, from the first source of the route of quotes that reads order books.
    func marketDepths(
        of symbols: [Symbol], from provider: ProviderID?
    ) -> MaybeAsync<BatchResults<MarketDepth?>> {
        reads.results(for: symbols, named: \.phrase, as: Optional.some) { () throws(FieldError) in
            let sources = try reads.sources(for: .quotes, from: provider).filter { $0.depth != nil }
            guard !sources.isEmpty else { throw FieldError.noMarketDepth(provider) }
            return RoutedRead(
                sources: sources, cache: caches.depths, supports: { $0.has($1) },
                load: { source, symbols, call throws(ProviderFailure) in
                    var found = KeyedResults<Symbol, MarketDepth>()
                    for symbol in symbols {
                        found[symbol] = try await source.depth?.marketDepth(of: symbol, in: call)
                    }
                    return found
                })
        }
    }
}

extension FieldError {
    fileprivate static func noMarketDepth(_ provider: ProviderID?) -> FieldError {
        guard let provider else {
            return FieldError(.unsupported, "No provider of order books is configured or connected.")
        }
        return FieldError(.unsupported, "\(provider.name.text) has no order books.", provider: provider)
    }
}

extension MarketDepth: GraphQLObject {
    package static let graphQL = ObjectType<MarketDepth>("MarketDepth") {
        Field("bids") { $0.unavailability == nil ? $0.bids : nil }
        Field("asks") { $0.unavailability == nil ? $0.asks : nil }
        Field("unavailability", \.unavailability)
        Field("currency", \.currency)
        Field("asOf", \.provenance.asOf)
        Field("fetchedAt", \.provenance.fetchedAt)
        Field("source", \.provenance.source)
        Field("stale", \.provenance.isStale)
    }
}

extension MarketDepth.Level: GraphQLObject {
    package static let graphQL = ObjectType<MarketDepth.Level>("MarketDepthLevel") {
        Field("price", \.price)
        Field("quantity", \.quantity)
        Field("orderCount", \.orderCount)
    }
}
