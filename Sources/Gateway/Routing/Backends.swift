package import Brokerage
package import Upstream

/// What stands behind the schema: connections to brokers, sources of market data, and what was read from them a
/// moment ago.
package struct Backends: Sendable {
    /// The connections of all users.
    private let connections: [BrokerConnection]
    /// Where quotes come from, best first.
    private let quoteRoutes: [QuoteRoute]
    let reads: KeptReads

    package init(connections: [BrokerConnection], quoteRoutes: [QuoteRoute], reads: KeptReads) {
        self.connections = connections
        self.quoteRoutes = quoteRoutes
        self.reads = reads
    }

    /// The connections that a user may see: their own.
    func connections(of owner: OwnerID, with provider: Provider?) -> [BrokerConnection] {
        connections.filter { $0.owner == owner && (provider == nil || $0.provider == provider) }
    }

    /// The best source of quotes, or the one named; nil where there is none.
    func quoteRoute(_ provider: Provider?) -> QuoteRoute? {
        quoteRoutes.first { provider == nil || $0.provider == provider }
    }
}

/// A source of quotes.
package struct QuoteRoute: Sendable {
    package let provider: Provider
    package let source: any QuoteSource

    package init(provider: Provider, source: any QuoteSource) {
        self.provider = provider
        self.source = source
    }
}
