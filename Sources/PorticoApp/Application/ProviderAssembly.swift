import Alpaca
import AlphaVantage
package import Brokerage
package import Gateway
import Polygon
import PorticoCore
import Saxo
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

    /// A connection that the settings name.
    mutating func add(_ connection: BrokerConnection) {
        connections.append(
            ProviderConnection(
                connection, since: channelFactory.clock.wallTime(),
                limits: channelFactory.limits(
                    of: QuotaAccount(connection.provider, credential: connection.id))))
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
    /// Adds the providers of the settings.
    ///
    /// - Parameters:
    ///   - settings: The providers.
    ///   - owner: The owner of the accounts at brokers.
    package mutating func add(_ settings: ProviderSettings, of owner: OwnerID) {
        if let alpaca = settings.alpaca { add(alpaca, of: owner) }
        if let saxo = settings.saxo { add(saxo.configuration, with: saxo.token, of: owner) }
        if let configuration = settings.alphaVantage {
            let client = AlphaVantageClient(configuration, over: channel(to: .alphaVantage))
            addSource(client, symbolMapping: client.symbolMapping, .alphaVantage)
        }
        if let configuration = settings.polygon {
            let client = PolygonClient(configuration, over: channel(to: .polygon))
            addSource(client, symbolMapping: client.symbolMapping, .polygon)
        }
        switch settings.yahoo {
        case .api(let configuration)?:
            let client = YahooClient(configuration, over: channel(to: .yahoo))
            addSource(client, symbolMapping: client.symbolMapping, .yahoo)
        case .yql(let configuration)?:
            let client = YQLClient(configuration, over: channel(to: .yahoo))
            addSource(client, symbolMapping: client.symbolMapping, .yahoo)
        case nil: break
        }
        connect(settings.connecting)
    }

    /// Adds a source of market data for all users.
    private mutating func addSource(
        _ client: some Sendable, symbolMapping: any SymbolMapping, _ provider: ProviderID,
        in environment: Environment? = nil
    ) {
        market.append(
            MarketDataSource(
                client, symbolMapping: symbolMapping, provider: provider,
                environment: environment ?? self.environment ?? .live, for: .everybody))
    }

    /// Adds an Alpaca account, which only its owner sees; its market data is for all users.
    private mutating func add(_ configuration: AlpacaConfiguration, of owner: OwnerID) {
        let client = AlpacaClient(configuration, over: channel(to: .alpaca, connection: "alpaca"))
        addSource(client, symbolMapping: AlpacaSymbols(), .alpaca, in: configuration.environment)
        add(
            BrokerConnection(
                id: "alpaca", owner: owner, provider: .alpaca, environment: configuration.environment,
                accounts: client, orders: client, watchlists: client))
    }

    /// Adds a Saxo account.
    ///
    /// Its prices are for its owner only, since exchanges license them to each user.
    private mutating func add(_ configuration: SaxoConfiguration, with token: SaxoToken, of owner: OwnerID) {
        let (id, environment) = ("saxo", configuration.environment)
        let channel = channel(to: .saxo, connection: id)
        let client = SaxoClient(
            configuration, access: .token(token), over: channel,
            directory: SaxoInstrumentCache(clock: channel.clock))
        let market = MarketDataSource(
            client, symbolMapping: configuration.symbolMapping, provider: .saxo, environment: environment,
            for: .owner(owner, connection: id))
        add(
            BrokerConnection(
                id: id, owner: owner, provider: .saxo, environment: environment, accounts: client,
                orders: client, market: market))
    }

    /// Sets how users connect with providers.
    private mutating func connect(_ settings: ProviderSettings.Connecting) {
        let environment = environment ?? .live
        connectors = [
            AlpacaConnector(settings.alpaca.endpoints, settings.alpaca.application, channelFactory),
            SaxoConnector(
                configuration: settings.saxo.configuration, application: settings.saxo.application,
                directory: SaxoInstrumentCache(clock: channelFactory.clock), channelFactory: channelFactory),
            DataServiceConnector.alphaVantage(
                at: settings.alphaVantage, in: environment, over: channelFactory),
            DataServiceConnector.polygon(at: settings.polygon, in: environment, over: channelFactory),
        ]
        redirects =
            environment == .sandbox
            ? RedirectPolicy(
                settings.redirectURIs, allowsLoopback: true,
                remedy: "With the sandbox it is one of this machine, as http://localhost:3000/connected.")
            : RedirectPolicy(
                settings.redirectURIs, allowsLoopback: false,
                remedy: "Whoever runs it can add it to \(Settings.users.redirectURIs.variable).")
    }
}

extension FieldError {
    /// The server is not registered with a provider, so that users cannot consent.
    static func noApplication(of provider: ProviderID, _ setting: Setting<String?>) -> FieldError {
        FieldError(
            .unsupported,
            """
            This server is not registered as an application with \(provider.rawValue): whoever runs it sets \
            \(setting.variable), or users bring another credential that `connectProvider` takes.
            """, provider: provider)
    }

    /// The URL of the consent page would be too long.
    static let tooLong = FieldError.argument(
        "redirectUri", "It makes the address of the page of consent too long.")
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
