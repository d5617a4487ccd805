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
    /// Returns the sources of a kind of data, in the order of the route.
    ///
    /// For each provider, the source with the server's own key precedes the user's connections.
    ///
    /// - Throws: `FieldError` with UNSUPPORTED if there is none.
    func sources(for capability: MarketDataCapability, from provider: ProviderID?) throws(FieldError)
        -> [MarketDataSource]
    {
        if let provider { try check(provider) }
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
                ? "\(provider.name.text) has no \(capability.name)."
                : "\(provider.name.text) is neither configured nor connected.", provider: provider)
    }

    /// Checks that a provider exists, whether or not it is configured.
    ///
    /// - Throws: `FieldError` with BAD_USER_INPUT for a name of none.
    func check(_ provider: ProviderID, of argument: String = "provider") throws(FieldError) {
        guard !services.providers.contains(provider) else { return }
        let names = services.providers.map { "\"\($0)\"" }.joined(separator: ", ")
        throw .argument(argument, "There is no provider \"\(provider)\". The providers are \(names).")
    }

    /// All sources that the session may use, those of the server first.
    var allSources: [MarketDataSource] {
        services.market + ownLinks.compactMap(\.market)
    }

    /// The connections of the session's user; none without a session.
    var ownLinks: [ProviderConnection] { session.owner.map { services.links(of: $0) } ?? [] }
}
