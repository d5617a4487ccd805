package import Brokerage

/// The providers of each kind of market data, in the order of the calls.
package struct ProviderRoutes: Sendable {
    private var orders: [MarketDataCapability: [ProviderID]]

    /// The standard routes, by the ranks of the providers' traits.
    package static let standard = ProviderRoutes(
        Dictionary(
            uniqueKeysWithValues: MarketDataCapability.allCases.map { capability in
                let ranks = ProviderID.allCases.compactMap { provider in
                    provider.traits.ranks[capability].map { (provider, $0) }
                }
                return (capability, ranks.sorted { $0.1 < $1.1 }.map(\.0))
            }))

    package init(_ orders: [MarketDataCapability: [ProviderID]]) {
        self.orders = orders
    }

    package subscript(capability: MarketDataCapability) -> [ProviderID] {
        get { orders[capability] ?? [] }
        set { orders[capability] = newValue }
    }
}

extension GatewayContext {
    /// The sources that can be asked for something, best first.
    ///
    /// Of each provider the server's own key, which all users share, before the user's connections.
    ///
    /// - Throws: `FieldError` with UNSUPPORTED where there is none.
    func sources(for capability: MarketDataCapability, from provider: ProviderID?) throws(FieldError)
        -> [MarketDataSource]
    {
        let order = provider.map { [$0] } ?? services.routes[capability]
        let known = allSources
        let sources = order.flatMap { provider in
            known.filter { $0.provider == provider && capability.isServed(by: $0) }
        }
        guard sources.isEmpty else { return sources }
        guard let provider else {
            throw FieldError(.unsupported, "No provider of \(capability.name) is configured.")
        }
        let isKnown = known.contains { $0.provider == provider }
        throw FieldError(
            .unsupported,
            isKnown
                ? "\(provider.rawValue) has no \(capability.name)."
                : "\(provider.rawValue) is neither configured nor connected.", provider: provider)
    }

    /// All that the one who asks may ask, one source for each provider first.
    var allSources: [MarketDataSource] {
        services.market + ownLinks.compactMap(\.market)
    }

    /// The links of the user who asks; none without a session.
    var ownLinks: [ProviderConnection] { session.owner.map { services.links(of: $0) } ?? [] }
}
