package import Brokerage
import Upstream

/// What stands behind the schema: connections to brokers, sources of market data, and what was read from them a
/// moment ago.
package struct Backends: Sendable {
    /// The connections of all users.
    private let connections: [BrokerConnection]
    /// The server's own sources of market data.
    let market: [MarketSource]
    let routes: Routes
    let reads: KeptReads
    /// What users have entrusted to Portico.
    let household: Household
    let live: QuoteHubs
    let watches: Watches
    /// How a provider fares; the limits are those of the server's own key and of the connections named.
    let condition: @Sendable (Provider, _ connections: [String]) -> ProviderCondition

    package init(
        connections: [BrokerConnection], market: [MarketSource], routes: Routes = .standard, reads: KeptReads,
        household: Household,
        condition: @escaping @Sendable (Provider, _ connections: [String]) -> ProviderCondition
    ) {
        self.connections = connections
        self.market = market
        self.routes = routes
        self.reads = reads
        self.household = household
        live = QuoteHubs(quotes: reads.quotes)
        watches = Watches(clock: reads.clock)
        self.condition = condition
    }

    /// The connections that a user may see: their own.
    func connections(of owner: OwnerID, with provider: Provider?) -> [BrokerConnection] {
        connections.filter { $0.owner == owner && (provider == nil || $0.provider == provider) }
    }
}
