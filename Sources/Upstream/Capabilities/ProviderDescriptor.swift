package import Brokerage
package import PorticoCore

/// A provider: its settings, and how its clients are created from them.
///
/// Each target of a provider has one.
package struct ProviderDescriptor: Sendable {
    package let id: ProviderID
    package let settings: any SettingGroup
    /// Reads the provider's settings; the second parameter is the environment of all providers, nil for that of
    /// the settings.
    package let configure:
        @Sendable (SettingValues, Environment?) throws(UsageError) -> any ConfiguredProvider

    package init(
        id: ProviderID, settings: any SettingGroup,
        configure:
            @escaping @Sendable (SettingValues, Environment?) throws(UsageError) -> any ConfiguredProvider
    ) {
        self.id = id
        self.settings = settings
        self.configure = configure
    }
}

/// A provider with the values of its settings.
package protocol ConfiguredProvider: Sendable {
    /// Whether the settings contain a credential of the server, or enable the provider without one.
    var hasAccount: Bool { get }
    /// Whether the settings contain an OAuth application by which users connect.
    var hasApplication: Bool { get }
    /// Makes the clients with the server's own credential; nil without one.
    func clients(over channels: ProviderChannelFactory) -> ProviderClients?
    /// Makes the connector of users; nil if users cannot connect.
    func connector(over channels: ProviderChannelFactory) -> (any ProviderConnector)?
}

extension ConfiguredProvider {
    package var hasApplication: Bool { false }

    package func connector(over channels: ProviderChannelFactory) -> (any ProviderConnector)? { nil }
}

/// The clients of one credential.
package struct ProviderClients: Sendable {
    package let environment: Environment
    /// Nil for a provider without accounts.
    package let accounts: (any AccountSource)?
    /// Nil for a provider that executes no orders.
    package let orders: (any TradingAPI)?
    /// Nil for a provider without watchlists.
    package let watchlists: (any WatchlistSource)?
    /// The client of market data, which conforms to protocols like `QuoteSource`, or ``MarketDataClients``.
    package let market: any Sendable
    package let symbolMapping: any SymbolMapping
    /// Whether market data is for the owner of the account only, also with the server's own credential.
    package let isMarketPrivate: Bool
    /// Whether the connection takes the real-time prices of the user's other sessions; nil if there is no such choice.
    package let takesRealTimePrices: Bool?
    /// Tests the credential with one call, and returns the accounts that it opens.
    package let check: @Sendable (CallContext) async throws(ProviderFailure) -> [Account]
    /// Returns the usage of the credential's limits.
    package let limits: @Sendable () -> [QuotaStatus]
    /// Returns when the credential ends unless it is renewed before; nil for a credential without an end.
    package let endsAt: @Sendable () -> Instant?
    /// Renews the credential until its task is cancelled; nil for a credential that is not renewed.
    package let backgroundRefresh: (@Sendable () async throws(ProviderFailure) -> Void)?
    /// Waits until the outcome of each renewal is stored.
    package let settled: @Sendable () async -> Void

    /// Creates the clients of a broker.
    package init<Client: AccountSource & TradingAPI>(
        _ client: Client, symbolMapping: any SymbolMapping, environment: Environment,
        watchlists: (any WatchlistSource)? = nil, isMarketPrivate: Bool = false,
        takesRealTimePrices: Bool? = nil,
        limits: @escaping @Sendable () -> [QuotaStatus], endsAt: @escaping @Sendable () -> Instant? = { nil },
        backgroundRefresh: (@Sendable () async throws(ProviderFailure) -> Void)? = nil,
        settled: @escaping @Sendable () async -> Void = {}
    ) {
        self.environment = environment
        accounts = client
        orders = client
        self.watchlists = watchlists
        market = client
        self.symbolMapping = symbolMapping
        self.isMarketPrivate = isMarketPrivate
        self.takesRealTimePrices = takesRealTimePrices
        check = { call throws(ProviderFailure) in try await client.accounts(in: call) }
        self.limits = limits
        self.endsAt = endsAt
        self.backgroundRefresh = backgroundRefresh
        self.settled = settled
    }

    /// Creates the client of a data service; `check` tests the credential with one call.
    package init(
        market: any Sendable, symbolMapping: any SymbolMapping, environment: Environment,
        limits: @escaping @Sendable () -> [QuotaStatus],
        check: @escaping @Sendable (CallContext) async throws(ProviderFailure) -> Void
    ) {
        self.environment = environment
        accounts = nil
        orders = nil
        watchlists = nil
        self.market = market
        self.symbolMapping = symbolMapping
        isMarketPrivate = false
        takesRealTimePrices = nil
        self.check = { call throws(ProviderFailure) in
            try await check(call)
            return []
        }
        self.limits = limits
        endsAt = { nil }
        backgroundRefresh = nil
        settled = {}
    }
}

/// The client of each kind of market data of one credential; nil for a kind that the provider does not have.
package struct MarketDataClients: Sendable {
    package let quotes: (any QuoteSource)?
    package let quoteStream: (any QuoteStream)?
    package let charts: (any ChartSource)?
    package let instruments: (any InstrumentSource)?
    package let permissions: (any TradingPermissionSource)?
    package let fundamentals: (any FundamentalsSource)?
    package let news: (any NewsSource)?
    package let clock: (any MarketClockSource)?
    package let corporateActions: (any CorporateActionSource)?
    package let depth: (any MarketDepthSource)?

    /// The clients of a provider whose kinds of data are known only at run time.
    package init(
        quotes: (any QuoteSource)?, charts: (any ChartSource)?, instruments: (any InstrumentSource)?,
        news: (any NewsSource)?
    ) {
        self.quotes = quotes
        self.charts = charts
        self.instruments = instruments
        self.news = news
        (quoteStream, permissions, fundamentals) = (nil, nil, nil)
        (clock, corporateActions, depth) = (nil, nil, nil)
    }

    /// One client, for each kind of data to whose protocol it conforms.
    package init(_ client: any Sendable) {
        if let clients = client as? MarketDataClients {
            self = clients
            return
        }
        quotes = client as? any QuoteSource
        quoteStream = client as? any QuoteStream
        charts = client as? any ChartSource
        instruments = client as? any InstrumentSource
        permissions = client as? any TradingPermissionSource
        fundamentals = client as? any FundamentalsSource
        news = client as? any NewsSource
        clock = client as? any MarketClockSource
        corporateActions = client as? any CorporateActionSource
        depth = client as? any MarketDepthSource
    }
}

/// Makes the channels to providers, which share one HTTP client, one quota ledger and one monitor.
package struct ProviderChannelFactory: Sendable {
    private let client: HTTPClient
    package let ledger: any QuotaLimiter
    package let monitor: ProviderMonitor
    package let clock: TimeSource
    private let retry: RetryPolicy

    package init(
        client: HTTPClient, ledger: any QuotaLimiter, monitor: ProviderMonitor, clock: TimeSource,
        retry: RetryPolicy
    ) {
        self.client = client
        self.ledger = ledger
        self.monitor = monitor
        self.clock = clock
        self.retry = retry
    }

    /// The channel of a credential.
    package func channel(for account: QuotaAccount) -> ProviderChannel {
        ProviderChannel(account, over: client, clock: clock, retry: retry, ledger: ledger, monitor: monitor)
    }

    /// The usage of the limits of a credential.
    package func limits(of account: QuotaAccount) -> @Sendable () -> [QuotaStatus] {
        { [ledger] in ledger.status(of: account) }
    }
}
