import Alpaca
import AlphaVantage
import Brokerage
import Gateway
import Polygon
import PorticoCore
import Sandbox
import Upstream
import Yahoo

/// Puts up what asks the providers: a line for each credential, over one transport and one ledger.
struct ProviderAssembly {
    let channelFactory: ProviderChannelFactory
    private let persistentCache: (any PersistentCache)?
    private(set) var connections: [ProviderConnection] = []
    private(set) var connectors: [any ProviderConnector] = []
    private(set) var redirects = RedirectPolicy([], allowsLoopback: false, remedy: "")
    private(set) var market: [MarketDataSource] = []

    /// - Parameters:
    ///   - transport: what carries the calls.
    ///   - ledger: what counts them; nil for one in memory.
    ///   - persistentCache: where public values of scarce providers outlive the process; nil for nowhere.
    ///   - clock: what times are measured by.
    ///   - retry: how reads are tried again.
    ///   - observe: told of each call when it has ended.
    init(
        over transport: HTTPClient, counting ledger: QuotaLedger? = nil,
        persistentCache: (any PersistentCache)? = nil, clock: TimeSource = .system,
        retry: RetryPolicy = RetryPolicy(),
        observe: (@Sendable (CallRecord) -> Void)? = nil
    ) {
        channelFactory = ProviderChannelFactory(
            transport: transport, ledger: ledger ?? QuotaLedger(clock: clock),
            monitor: ProviderMonitor(clock: clock, observe: observe), clock: clock, retry: retry)
        self.persistentCache = persistentCache
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
    func services(_ routes: ProviderRoutes, userData: UserData, symbolsPerClient: Int) -> GatewayServices {
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
    /// All providers of the embedded sandbox, as its demo user.
    mutating func add(_ sandbox: Sandbox, of owner: OwnerID) throws {
        add(try AlpacaConfiguration(sandbox), of: owner)
        try addSaxo(of: sandbox, for: owner)
        add(try AlphaVantageConfiguration(sandbox), in: .sandbox)
        add(try PolygonConfiguration(sandbox), in: .sandbox)
        // It is off by default for what Yahoo allows; the sandbox's prices are nobody's.
        add(try YahooConfiguration(sandbox), in: .sandbox)
        try connect(sandbox)
    }

    /// The providers that the settings name; the brokers' accounts are the owner's.
    mutating func add(_ providers: ProviderSettings, of owner: OwnerID) throws {
        if let alpaca = providers.alpaca { add(try AlpacaConfiguration(alpaca), of: owner) }
        if let saxo = providers.saxo { try add(saxo, of: owner) }
        if let alphaVantage = providers.alphaVantage {
            add(try AlphaVantageConfiguration(alphaVantage), in: .live)
        }
        if let polygon = providers.polygon { add(try PolygonConfiguration(polygon), in: .live) }
        switch providers.yahoo {
        case .api(let base, let cookiePage)?:
            add(try YahooConfiguration(base: base, cookiePage: cookiePage), in: .live)
        case .queryLanguage(let base)?: add(try YQLConfiguration(base: base), in: .live)
        case nil: break
        }
        try connect(providers.connect)
    }
}

extension HTTPURL {
    /// An address that the embedded sandbox tells.
    init(ofSandbox address: String) throws(UsageError) {
        guard let url = HTTPURL(address) else {
            throw UsageError("The sandbox has no usable address: \(address).")
        }
        self = url
    }
}

/// What all lines to providers share: one transport, one ledger, one monitor.
struct ProviderChannelFactory: Sendable {
    let transport: HTTPClient
    let ledger: QuotaLedger
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
