package import Brokerage
package import Gateway
import PorticoCore
package import Upstream

/// Creates the clients of the providers: a channel for each credential, over one HTTP client and one quota ledger.
package struct ProviderAssembly {
    package let channelFactory: ProviderChannelFactory
    /// The environment of all providers; nil for that of each provider's settings.
    let environment: Environment?
    private let cacheMemory: Int
    /// Makes the storage of public values for the providers in their environments.
    private let makeCache: (_ environments: [String]) -> (any PersistentCache)?
    /// Makes a stream of prices that processes share of one with the server's own credential.
    private let shareStream: StreamSharing
    private(set) var connections: [ProviderConnection] = []
    private(set) var connectors: [any ProviderConnector] = []
    private(set) var redirects = RedirectPolicy([], allowsLoopback: false, remedy: "")
    private(set) var market: [MarketDataSource] = []

    /// Makes a stream that replicas share of a provider's stream.
    package typealias StreamSharing =
        @Sendable (_ stream: any QuoteStream, _ provider: ProviderID, _ environment: Environment)
        -> any QuoteStream

    /// - Parameters:
    ///   - transport: The HTTP client of all calls.
    ///   - ledger: The quota ledger; nil for one in memory.
    ///   - makeCache: Makes the storage of public values, for the providers in their environments; nil for none.
    ///   - shareStream: Makes the streams of prices that processes share.
    ///   - clock: The time of all providers.
    ///   - environment: The environment of all providers; nil for that of each provider's settings.
    ///   - retry: The retry policy of reads.
    ///   - concurrency: The maximum number of calls in flight to each provider.
    ///   - cacheMemory: The memory of users' own values, in bytes.
    ///   - observe: Called after each call.
    package init(
        over transport: HTTPClient, counting ledger: (any QuotaLimiter)? = nil,
        makeCache: @escaping (_ environments: [String]) -> (any PersistentCache)? = { _ in nil },
        shareStream: @escaping StreamSharing = { stream, _, _ in stream },
        clock: TimeSource = .system,
        environment: Environment? = nil, retry: RetryPolicy = RetryPolicy(),
        concurrency: Int = HTTPClientLimits().callsPerProvider, cacheMemory: Int = CacheMemory.standardLimit,
        observe: (@Sendable (CallRecord) -> Void)? = nil
    ) {
        channelFactory = ProviderChannelFactory(
            client: transport, ledger: ledger ?? QuotaLedger(clock: clock),
            monitor: ProviderMonitor(clock: clock, concurrency: concurrency, observe: observe), clock: clock,
            retry: retry)
        self.cacheMemory = cacheMemory
        self.makeCache = makeCache
        self.shareStream = shareStream
        self.environment = environment
    }

    /// The providers that are called with the server's own credential, or with which users can connect.
    var providers: Set<ProviderID> {
        Set(market.map(\.provider) + connections.map(\.provider) + connectors.map(\.provider))
    }

    /// Creates the services of the schema's resolvers.
    ///
    /// - Parameters:
    ///   - routes: The providers of each kind of data, in order.
    ///   - userData: The stores of the users' data.
    ///   - symbolsPerClient: The maximum of symbols of one provider's price feed for one client.
    ///   - toolOrderLimits: The limits of the orders of tools, by currency.
    /// - Returns: The services, ready for requests.
    package func services(
        _ routes: ProviderRoutes, userData: UserData, symbolsPerClient: Int,
        toolOrderLimits: [String: Decimal] = [:]
    ) -> GatewayServices {
        let environments = market.map { "\($0.provider.name.text)=\($0.environment.rawValue)" }
        return GatewayServices(
            connections: connections, connectors: connectors, redirects: redirects, market: market,
            routes: routes,
            reads: ReadCaches(
                clock: channelFactory.clock, memory: cacheMemory,
                persistentCache: makeCache(environments)),
            userData: userData,
            clock: channelFactory.clock, symbolsPerClient: symbolsPerClient,
            ledger: channelFactory.ledger,
            toolOrders: ToolOrders(limits: toolOrderLimits, clock: channelFactory.clock),
            condition: { [channelFactory] provider in
                ProviderHealthReport(
                    health: channelFactory.monitor.health(of: provider),
                    rateLimits: channelFactory.ledger.status(of: QuotaAccount(provider)))
            })
    }
}

extension ProviderAssembly {
    /// Adds the providers of the settings.
    ///
    /// Market data of the server's own credentials is for all users, unless it is private to the account.
    ///
    /// - Parameters:
    ///   - settings: The providers.
    ///   - owner: The owner of the accounts at brokers.
    package mutating func add(_ settings: ProviderSettings, of owner: OwnerID) {
        for (id, provider) in settings.providers {
            if let clients = provider.clients(over: channelFactory) { add(clients, of: id, owner) }
            if let connector = provider.connector(over: channelFactory) { connectors.append(connector) }
        }
        redirects =
            environment == .sandbox
            ? RedirectPolicy(
                settings.redirectURIs, allowsLoopback: true,
                remedy: "With the sandbox it is one of this machine, as http://localhost:3000/connected.")
            : RedirectPolicy(
                settings.redirectURIs, allowsLoopback: false,
                remedy: "Whoever runs it can add it to \(Settings.users.redirectURIs.variable).")
    }

    private mutating func add(_ clients: ProviderClients, of provider: ProviderID, _ owner: OwnerID) {
        let connectionID = provider.name.text
        let source = MarketDataSource(
            clients.market, symbolMapping: clients.symbolMapping, provider: provider,
            environment: clients.environment,
            for: clients.isMarketPrivate ? .owner(owner, connection: connectionID) : .everybody,
            // Prices for one user are not for Redis.
            sharingStream: clients.isMarketPrivate
                ? nil : { [shareStream] in shareStream($0, provider, clients.environment) })
        if !clients.isMarketPrivate { market.append(source) }
        guard let accounts = clients.accounts else { return }
        let broker = BrokerConnection(
            id: connectionID, owner: owner, provider: provider, environment: clients.environment,
            accounts: accounts, orders: clients.orders, watchlists: clients.watchlists,
            market: clients.isMarketPrivate ? source : nil)
        connections.append(
            ProviderConnection(
                broker, since: channelFactory.clock.wallTime(),
                takesRealTimePrices: clients.takesRealTimePrices, limits: clients.limits))
    }
}
