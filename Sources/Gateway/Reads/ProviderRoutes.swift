package import Brokerage

/// For each capability the providers in the order in which they are asked.
package struct ProviderRoutes: Sendable {
    private var orders: [MarketDataCapability: [ProviderID]]

    /// Brokers before data services, since their quotas are wide; the scarcest last.
    package static let standard = ProviderRoutes([
        .quotes: [.alpaca, .saxo, .yahoo, .alphaVantage],
        .charts: [.alpaca, .saxo, .yahoo, .polygon, .alphaVantage],
        .instruments: [.alpaca, .saxo, .yahoo, .polygon, .alphaVantage],
        .fundamentals: [.polygon, .alphaVantage, .yahoo],
        .news: [.alpaca, .polygon],
        .clock: [.alpaca, .saxo],
    ])

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
