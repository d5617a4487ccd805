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
