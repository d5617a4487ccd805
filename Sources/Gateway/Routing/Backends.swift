package import Brokerage
package import Upstream

/// What stands behind the schema: connections to brokers, sources of market data, and what was read from them a
/// moment ago.
package struct Backends: Sendable {
    /// The connections of all users.
    private let connections: [BrokerConnection]
    /// The server's own sources of market data.
    let market: [MarketSource]
    let routes: Routes
    let reads: KeptReads
    /// How a provider fares, as the one who asks may know: by the server's own keys and the user's.
    let condition: @Sendable (Provider, OwnerID?) -> ProviderCondition

    package init(
        connections: [BrokerConnection], market: [MarketSource], routes: Routes = .standard, reads: KeptReads,
        condition: @escaping @Sendable (Provider, OwnerID?) -> ProviderCondition = { _, _ in
            ProviderCondition(health: .up)
        }
    ) {
        self.connections = connections
        self.market = market
        self.routes = routes
        self.reads = reads
        self.condition = condition
    }

    /// The connections that a user may see: their own.
    func connections(of owner: OwnerID, with provider: Provider?) -> [BrokerConnection] {
        connections.filter { $0.owner == owner && (provider == nil || $0.provider == provider) }
    }
}
