package import Brokerage
package import GraphQL
import Storage
package import Upstream

/// A user's link to a provider: a broker's accounts, or the data of a service by the user's own key.
package struct ProviderConnection: Sendable {
    /// The id in keys and ids; it never changes during the life of the connection.
    package let id: String
    package let owner: OwnerID
    package let provider: ProviderID
    package let environment: Environment
    /// The user's name for the connection.
    let label: String?
    let connectedAt: Instant
    /// The accounts behind the connection, as the broker last listed them; nil if they must be requested.
    var knownAccounts: [StoredAccount]?
    /// The stored connection; nil for one from the settings, which users cannot change.
    let stored: StoredConnection?
    /// The version of its credential when its row was read or stored; 0 without a stored credential.
    ///
    /// The credential itself can have a later version.
    let credentialVersion: Int
    /// The clients of the broker; nil for a service without accounts, and for a connection that cannot be
    /// opened.
    package let broker: BrokerConnection?
    /// Market data by the user's own credential.
    let market: MarketDataSource?
    let health: ConnectionHealth
    /// The account whose quota its calls use; nil for one of the settings, and for one that cannot be
    /// opened.
    let quotaAccount: QuotaAccount?
    /// The usage of the limits of its credential: connections with the same key or token share them.
    let limits: @Sendable () -> [QuotaStatus]
    /// When the connection ends unless it is renewed before; nil if it lasts until it is revoked.
    let endsAt: @Sendable () -> Instant?
    /// Whether it takes the real-time prices of the user's other sessions; nil if the provider has no such choice.
    let takesRealTimePrices: Bool?
    /// Background work, such as the renewal of the credential.
    private let backgroundRefresh: Task<Void, Never>?
    private let settled: @Sendable () async -> Void

    /// A link that the settings name.
    package init(
        _ broker: BrokerConnection, since connectedAt: Instant = .now,
        takesRealTimePrices: Bool? = nil, limits: @escaping @Sendable () -> [QuotaStatus] = { [] }
    ) {
        self.takesRealTimePrices = takesRealTimePrices
        id = broker.id
        owner = broker.owner
        provider = broker.provider
        environment = broker.environment
        label = nil
        self.connectedAt = connectedAt
        knownAccounts = nil
        stored = nil
        credentialVersion = 0
        self.broker = broker
        market = broker.market
        health = ConnectionHealth()
        quotaAccount = nil
        self.limits = limits
        endsAt = { nil }
        backgroundRefresh = nil
        settled = {}
    }

    /// Creates a connection of a user.
    ///
    /// - Parameters:
    ///   - stored: The stored connection.
    ///   - opened: The clients of its credential; nil if it cannot be opened.
    ///   - version: The version of its credential; 0 without one.
    ///   - health: The health according to its calls.
    ///   - quotaAccount: The account whose quota its calls use.
    init(
        _ stored: StoredConnection, _ opened: ProviderClients?, version: Int, health: ConnectionHealth,
        spending quotaAccount: QuotaAccount? = nil
    ) {
        let market = opened.map {
            MarketDataSource(
                $0.market, symbolMapping: $0.symbolMapping, provider: stored.provider,
                environment: stored.environment, for: .owner(stored.owner, connection: stored.id)
            ).recordingHealth(in: health)
        }
        id = stored.id
        owner = stored.owner
        provider = stored.provider
        environment = stored.environment
        label = stored.label
        connectedAt = stored.connectedAt
        knownAccounts = stored.accounts
        self.stored = stored
        credentialVersion = version
        broker = opened?.accounts.map {
            BrokerConnection(
                id: stored.id, owner: stored.owner, provider: stored.provider,
                environment: stored.environment,
                accounts: $0, orders: opened?.orders, watchlists: opened?.watchlists,
                market: market)
        }
        self.market = market
        self.health = health
        self.quotaAccount = quotaAccount
        takesRealTimePrices = opened?.takesRealTimePrices
        if let opened {
            limits = opened.limits
            endsAt = opened.endsAt
            settled = opened.settled
        } else {
            limits = { [] }
            endsAt = { nil }
            settled = {}
        }
        backgroundRefresh = opened?.backgroundRefresh.map { keepUp in
            Task {
                do throws(ProviderFailure) {
                    try await keepUp()
                } catch {
                    health.recordFailure(error)
                }
            }
        }
    }

    /// Stops background work; calls in flight are not cancelled.
    func close() {
        backgroundRefresh?.cancel()
    }

    /// Waits until each outcome that must be stored is stored.
    func settle() async {
        await settled()
    }
}

extension ProviderConnection {
    private static let idPrefix = "Connection:"

    /// The `id` that the schema gives a connection.
    static func globalID(_ id: String) -> String { idPrefix + id }

    /// The connection that an `id` of the schema means; nil for the id of something else.
    static func id(ofGlobal globalID: String) -> String? {
        globalID.hasPrefix(idPrefix) ? String(globalID.dropFirst(idPrefix.count)) : nil
    }
}

extension ProviderConnection: GraphQLObject {
    package typealias Context = RequestScope

    package static let graphQL = ObjectType<ProviderConnection>("Connection") {
        Field("id") { ProviderConnection.globalID($0.id) }
        Field("provider", \.provider)
        Field("environment", \.environment)
        Field("label", \.label)
        Field("connectedAt", \.connectedAt)
        Field(
            "accounts",
            load: { connections, scope in .each(connections) { AccountService(scope).accounts(of: $0) } })
        Field("status") { $0.status }
        Field("expiresAt") { $0.endsAt() }
        Field("lastSuccessAt") { $0.health.facts.lastSuccessAt }
        Field("failure") { $0.failure }
        Field("capabilities") {
            Capabilities(
                of: $0.provider, [$0.market].compactMap(\.self), isAccountSource: $0.broker != nil,
                orders: $0.broker?.orders?.orderCapabilities)
        }
        Field("rateLimits") { $0.limits() }
        Field("realTimePrices", \.takesRealTimePrices)
    }

    /// The state according to its calls and the present time.
    var status: ConnectionStatus {
        ConnectionStatus(health.facts, endsAt: endsAt(), now: health.clock.wallTime())
    }

    /// The reason why it does not work; nil while it works.
    private var failure: OngoingFailure? {
        if let end = endsAt(), end <= health.clock.wallTime() {
            return OngoingFailure(
                FieldError(
                    .reconnectRequired,
                    "The consent given to \(provider.name.text) has ended: connect with it again.",
                    provider: provider),
                since: end)
        }
        guard let failure = health.facts.failure else { return nil }
        if stored?.isDamaged == true {
            return OngoingFailure(
                FieldError(
                    .reconnectRequired,
                    "The stored connection with \(provider.name.text) was damaged: remove it, and connect again.",
                    provider: provider),
                since: failure.since)
        }
        // No call reports this for a connection: see `ConnectionHealth.recordFailure`.
        let error =
            failure.cause == .unsupported
            ? FieldError(
                .unsupported,
                "This server's settings do not connect with \(provider.name.text) any more.",
                provider: provider)
            : FieldError(ProviderFailure(provider, failure.cause))
        return OngoingFailure(error, since: failure.since)
    }
}
