import Alpaca
import AlphaVantage
package import Brokerage
package import Gateway
import Polygon
import PorticoCore
package import Upstream
import Yahoo

/// Creates the clients of the providers: a channel for each credential, over one HTTP client and one quota ledger.
package struct ProviderAssembly {
    package let channelFactory: ProviderChannelFactory
    /// The environment of all providers; nil for that of each provider's settings.
    let environment: Environment?
    private let persistentCache: (any PersistentCache)?
    private(set) var connections: [ProviderConnection] = []
    private(set) var connectors: [any ProviderConnector] = []
    private(set) var redirects = RedirectPolicy([], allowsLoopback: false, remedy: "")
    private(set) var market: [MarketDataSource] = []

    /// - Parameters:
    ///   - transport: The HTTP client of all calls.
    ///   - ledger: The quota ledger; nil for one in memory.
    ///   - persistentCache: The storage of public values of providers with a low quota; nil for none.
    ///   - clock: The time of all providers.
    ///   - environment: The environment of all providers; nil for that of each provider's settings.
    ///   - retry: The retry policy of reads.
    ///   - observe: Called after each call.
    package init(
        over transport: HTTPClient, counting ledger: QuotaLedger? = nil,
        persistentCache: (any PersistentCache)? = nil, clock: TimeSource = .system,
        environment: Environment? = nil, retry: RetryPolicy = RetryPolicy(),
        observe: (@Sendable (CallRecord) -> Void)? = nil
    ) {
        channelFactory = ProviderChannelFactory(
            transport: transport, ledger: ledger ?? QuotaLedger(clock: clock),
            monitor: ProviderMonitor(clock: clock, observe: observe), clock: clock, retry: retry)
        self.persistentCache = persistentCache
        self.environment = environment
    }

    /// The line of a connection of the settings, or without one, of the server's own credential.
    func channel(to provider: ProviderID, connection: String? = nil) -> ProviderChannel {
        channelFactory.channel(for: QuotaAccount(provider, credential: connection))
    }

    /// Those that are asked with the server's own credential, and those that users can be connected with.
    var providers: Set<ProviderID> {
        Set(market.map(\.provider) + connections.map(\.provider) + connectors.map(\.provider))
    }

    mutating func add(_ source: MarketDataSource) {
        market.append(source)
    }

    /// A connection that the settings name.
    mutating func add(_ connection: BrokerConnection) {
        connections.append(
            ProviderConnection(
                connection, since: channelFactory.clock.wallTime(),
                limits: channelFactory.limits(
                    of: QuotaAccount(connection.provider, credential: connection.id))))
    }

    /// What users can be connected with from now on, and where browsers are sent back to.
    mutating func connect(_ connectors: [any ProviderConnector], redirects: RedirectPolicy) {
        self.connectors = connectors
        self.redirects = redirects
    }

    /// Creates the backends of the schema's resolvers.
    ///
    /// - Parameters:
    ///   - routes: The providers of each kind of data, in order.
    ///   - userData: The stores of the users' data.
    ///   - symbolsPerClient: How many symbols of one provider's price feed one client follows at once.
    /// - Returns: The backends, ready for requests.
    package func services(_ routes: ProviderRoutes, userData: UserData, symbolsPerClient: Int)
        -> GatewayServices
    {
        GatewayServices(
            connections: connections, connectors: connectors, redirects: redirects, market: market,
            routes: routes, reads: ReadCaches(clock: channelFactory.clock, persistentCache: persistentCache),
            userData: userData,
            clock: channelFactory.clock, symbolsPerClient: symbolsPerClient,
            ledger: channelFactory.ledger,
            condition: { [channelFactory] provider in
                ProviderHealthReport(
                    health: channelFactory.monitor.health(of: provider),
                    rateLimits: channelFactory.ledger.status(of: QuotaAccount(provider)))
            })
    }
}

extension ProviderAssembly {
    /// The providers that the settings name; the brokers' accounts are the owner's.
    package mutating func add(_ providers: ProviderSettings, of owner: OwnerID) throws {
        if let alpaca = providers.alpaca { add(try AlpacaConfiguration(alpaca, in: environment), of: owner) }
        if let saxo = providers.saxo { try add(saxo, of: owner) }
        if let alphaVantage = providers.alphaVantage {
            add(try AlphaVantageConfiguration(alphaVantage), in: environment ?? .live)
        }
        if let polygon = providers.polygon {
            add(try PolygonConfiguration(polygon), in: environment ?? .live)
        }
        switch providers.yahoo {
        case .api(let base, let cookiePage)?:
            add(try YahooConfiguration(base: base, cookiePage: cookiePage), in: environment ?? .live)
        case .queryLanguage(let base)?: add(try YQLConfiguration(base: base), in: environment ?? .live)
        case nil: break
        }
        try connect(providers.connect)
    }
}

/// What all lines to providers share: one transport, one ledger, one monitor.
package struct ProviderChannelFactory: Sendable {
    let transport: HTTPClient
    package let ledger: QuotaLedger
    let monitor: ProviderMonitor
    let clock: TimeSource
    let retry: RetryPolicy

    /// The line of a credential.
    func channel(for holder: QuotaAccount) -> ProviderChannel {
        ProviderChannel(holder, over: transport, clock: clock, retry: retry, ledger: ledger, monitor: monitor)
    }

    /// What is left of the limits of a credential.
    func limits(of holder: QuotaAccount) -> @Sendable () -> [QuotaStatus] {
        { [ledger] in ledger.status(of: holder) }
    }
}
