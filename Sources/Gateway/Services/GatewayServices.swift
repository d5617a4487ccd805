package import Brokerage
package import Coordination
import PorticoCore
package import Storage
package import Upstream

/// The services of the schema: connections to brokers, sources of market data, and caches of reads.
///
/// They do not change, and the scope of each request refers to them, so they are a class.
package final class GatewayServices: Sendable {
    /// The connections of all users.
    private let registry: ProviderConnectionRegistry
    /// Creates and removes connections.
    package let connectionService: ConnectionService
    /// The server's own sources of market data.
    let market: [MarketDataSource]
    /// The compiled providers, configured or not, and those of the provider file.
    let providers: [ProviderID]
    let routes: ProviderRoutes
    let reads: ReadCaches
    /// The users and their data.
    let userData: UserData
    let live: QuoteFeedRegistry
    package let subscriptions: LiveSubscriptions
    /// The previews and the limits of orders that language models place.
    let toolOrders: ToolOrders
    /// The test messages to webhooks that users request.
    let webhookTests: CallRateLimiter<OwnerID>
    /// The calculations over all activities of accounts that users have in progress.
    let calculations: CalculationLimiter
    /// Serializes changes that read a list of a broker and write it back completely.
    let writeQueue = KeyedTaskQueue<String>()
    /// The health of a provider, with the limits of the server's own key and of the user's connections.
    let condition: @Sendable (ProviderID) -> ProviderHealthReport

    /// - Parameters:
    ///   - connections: The connections of the settings.
    ///   - connectors: The providers that users can connect with.
    ///   - redirects: The addresses to which browsers are redirected after consent.
    ///   - market: The server's own sources of market data.
    ///   - routes: The order of the providers for each kind of data.
    ///   - reads: The caches of reads.
    ///   - userData: The stores of users' data.
    ///   - clock: The clock of polls, pauses and timeouts.
    ///   - symbolsPerClient: The maximum number of symbols of one provider's feed to which one client
    ///     subscribes.
    ///   - ledger: The ledger that counts the calls of connections.
    ///   - toolOrders: The previews and the limits of orders that language models place.
    ///   - condition: The health of a provider.
    package init(
        connections: [ProviderConnection], connectors: [any ProviderConnector] = [],
        redirects: RedirectPolicy = RedirectPolicy([], allowsLoopback: false, remedy: ""),
        market: [MarketDataSource], routes: ProviderRoutes = .standard, reads: ReadCaches, userData: UserData,
        clock: TimeSource = .system, symbolsPerClient: Int = QuoteFeedPolicy().symbolsPerClient,
        ledger: (any QuotaLimiter)? = nil, toolOrders: ToolOrders = ToolOrders(),
        condition: @escaping @Sendable (ProviderID) -> ProviderHealthReport
    ) {
        let live = QuoteFeedRegistry(
            quotes: reads.quotes, clock: clock, symbolsPerClient: symbolsPerClient, leases: userData.leases)
        let subscriptions = LiveSubscriptions(clock: clock)
        let registry = ProviderConnectionRegistry(connections)
        self.registry = registry
        connectionService = ConnectionService(
            store: userData.connections, leases: userData.leases, registry: registry, connectors: connectors,
            redirects: redirects,
            clock: reads.clock, limits: userData.limits, ledger: ledger,
            report: userData.authentication.report
        ) { [activities = userData.activities] connection in
            reads.invalidate(privateTo: connection.owner, at: connection.provider)
            activities.forget(connection.id, of: connection.owner)
            live.closeFeed(of: connection)
            if registry.connections(of: connection.owner).contains(where: { $0.id == connection.id }) {
                subscriptions.renew(connection)
            } else {
                subscriptions.end(connection)
            }
        }
        self.market = market
        let described = Set(market.map(\.provider) + connectors.map(\.provider)).subtracting(
            ProviderID.allCases)
        providers = ProviderID.allCases + described.sorted { $0.name.text < $1.name.text }
        self.routes = routes
        self.reads = reads
        self.userData = userData
        self.live = live
        self.subscriptions = subscriptions
        self.toolOrders = toolOrders
        webhookTests = CallRateLimiter(perClient: userData.limits.webhookTests)
        calculations = CalculationLimiter(clock: reads.clock)
        self.condition = condition
        userData.authentication.sessions.deletions.register(
            owners: { [connectionService] in connectionService.owners },
            release: { [connectionService] in connectionService.removeAll(of: $0) })
        userData.authentication.changes.observers.onAlertChange {
            [alerts = userData.alerts, events = subscriptions.alerts, report = userData.authentication.report]
            changed throws(StorageError) in
            for (owner, ids) in changed {
                events.alertsChanged(of: owner)
                guard events.hasSubscribers(of: owner) else { continue }
                do throws(StorageError) {
                    events.publish(changed: try await alerts.alerts(ids.sorted(), of: owner), of: owner)
                } catch {
                    // A row that another program has changed does not delay the changes of other users.
                    guard case .damaged = error else { throw error }
                    report(error)
                }
            }
        }
        userData.authentication.changes.observers.onOrderChange {
            [orders = userData.orders] changed in
            for (owner, ids) in changed {
                let connections = registry.connections(of: owner).filter { ids.contains($0.id) }
                for provider in Set(connections.map(\.provider)) {
                    reads.invalidateHoldings(of: owner, at: provider)
                }
                if !connections.isEmpty { subscriptions.holdingsChanged(of: owner) }
                for connection in connections { orders.followedConnections.send(for: owner, connection.id) }
            }
        }
        userData.authentication.changes.observers.onConnectionChange {
            [connectionService] owners throws(StorageError) in
            try await connectionService.reload(owners)
        }
    }

    /// The number of users' connections in memory.
    package var connectionCount: Int { registry.count }

    /// What has happened to the alerts of all users since the start of the process.
    package var alertCounts: AlertEvents.Counts { subscriptions.alerts.counts }

    /// The number of price feeds that are followed, or were followed a moment ago.
    package var quoteFeedCount: Int { live.count }

    /// The names that one process holds at a time.
    package var leases: any Leases { userData.leases }

    /// The memory of users' own values, with the use of each cache.
    package var cacheMemory: CacheMemory { reads.memory }

    /// All links of a user, those to data services and broken ones included.
    func links(of owner: OwnerID) -> [ProviderConnection] { registry.connections(of: owner) }

    /// The parameters of public values of a session: a user's own connections also have market data.
    @Sendable
    package func audience(of session: Session) -> [String] {
        guard let owner = session.owner else { return [] }
        return [owner.text] + links(of: owner).map(\.id)
    }

    /// The brokers that a user may see accounts of: their own.
    func connections(of owner: OwnerID, with provider: ProviderID?) -> [BrokerConnection] {
        registry.connections(of: owner).compactMap(\.broker).filter {
            provider == nil || $0.provider == provider
        }
    }
}

/// The users and their data.
package struct UserData: Sendable {
    /// The database of users and their data.
    package let file: UserDatabase
    package let connections: ConnectionStore
    let watchlists: WatchlistStore
    let goals: GoalStore
    let activities: ActivityStore
    package let alerts: AlertStore
    package let webhooks: WebhookStore
    /// Where messages about alerts may be sent.
    let webhookPolicy: WebhookPolicy
    /// Sign-up, sign-in and sessions.
    package var authentication: AuthenticationService
    package let orders: OrderWorkflow
    /// The limits of expensive requests.
    package let limits: CallLimits
    /// What processes share.
    package let coordination: Coordination

    /// The names that one process holds at a time.
    package var leases: any Leases { coordination.leases }

    /// Opens the stores of a database at the start of the process; it blocks the thread.
    ///
    /// - Parameters:
    ///   - file: The database.
    ///   - master: The key with which its secrets are encrypted.
    ///   - userPolicy: The policy of sign-up and sign-in.
    ///   - alertLimits: The limits of a user's alerts.
    ///   - webhookPolicy: Where messages about alerts may be sent.
    ///   - coordination: What processes share; nil for a process alone.
    ///   - report: Receives errors of storage, whose details clients do not receive.
    /// - Throws: `wrongMasterKey` if the secrets were encrypted with another key.
    package init(
        in file: UserDatabase, _ master: MasterKey, userPolicy: UserPolicy = UserPolicy(),
        alertLimits: AlertStore.Limits = AlertStore.Limits(), webhookPolicy: WebhookPolicy = WebhookPolicy(),
        coordination: Coordination? = nil, report: @escaping @Sendable (StorageError) -> Void = { _ in }
    ) throws(StorageError) {
        self.file = file
        limits = userPolicy.limits
        self.webhookPolicy = webhookPolicy
        self.coordination = coordination ?? .singleProcess()
        watchlists = WatchlistStore(in: file)
        goals = GoalStore(in: file)
        activities = ActivityStore(in: file)
        alerts = AlertStore(in: file, limits: alertLimits)
        webhooks = try WebhookStore(in: file, master)
        orders = OrderWorkflow(journal: OrderJournal(in: file, of: self.coordination.membership.id))
        connections = try ConnectionStore(in: file, master)
        authentication = try AuthenticationService(
            in: file, master, userPolicy, attempts: self.coordination.attempts, report: report)
    }

    /// Settles the writes to brokers of an earlier process.
    ///
    /// It is called before the first request, so that no client receives an order that is then removed
    /// because it was never sent.
    ///
    /// - Throws: `StorageError` if the journal cannot be written; ``OrderReconciliation`` tries again.
    package func abandonUnattendedWrites() async throws(StorageError) {
        try await orders.journal.abandonUnattended()
    }
}
