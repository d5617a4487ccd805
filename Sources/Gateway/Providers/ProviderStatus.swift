import Brokerage
package import GraphQL
package import Upstream

/// A provider as Portico sees it.
struct ProviderStatus: Sendable {
    let provider: ProviderID
    /// The provider's sources of market data for the current user; empty if the provider is not configured.
    let sources: [MarketDataSource]
    let isAccountSource: Bool
    /// The orders that the current user's connections accept.
    let orders: OrderCapabilities?
    let condition: ProviderHealthReport
    /// The user's connections to the provider.
    let links: [ProviderConnection]
}

/// The health of a provider, and the remaining calls of its limits.
package struct ProviderHealthReport: Sendable {
    let health: ProviderHealth
    let rateLimits: [QuotaStatus]

    package init(health: ProviderHealth, rateLimits: [QuotaStatus]) {
        self.health = health
        self.rateLimits = rateLimits
    }
}

/// A feature that a provider may have.
package enum Feature: String, Sendable, CaseIterable {
    case accounts = "ACCOUNTS"
    case equityHistory = "EQUITY_HISTORY"
    case quotes = "QUOTES"
    case charts = "CHARTS"
    case extendedHoursCharts = "EXTENDED_HOURS_CHARTS"
    case search = "SEARCH"
    case fundamentals = "FUNDAMENTALS"
    case corporateActions = "CORPORATE_ACTIONS"
    case news = "NEWS"
    case marketClock = "MARKET_CLOCK"
    case orders = "ORDERS"
    case endedOrders = "ENDED_ORDERS"
    case replaceOrder = "REPLACE_ORDER"
    case fractionalOrders = "FRACTIONAL_ORDERS"
    case notionalOrders = "NOTIONAL_ORDERS"
    case extendedHoursOrders = "EXTENDED_HOURS_ORDERS"
}

extension ProviderStatus: GraphQLObject {
    static let graphQL = ObjectType<ProviderStatus>("ProviderStatus") {
        Field("id") { NodeID(.providerStatus, $0.provider.name.text).text }
        Field("name", \.provider)
        Field("configured") { !$0.sources.isEmpty || $0.isAccountSource }
        Field("environment") { $0.sources.first?.environment }
        Field("health", \.condition.health.state)
        Field("failure") { status in
            status.condition.health.failure.map { OngoingFailure(status.provider, $0) }
        }
        Field("latencyMs") { $0.condition.health.latency.map(Decimal.init(milliseconds:)) }
        Field("capabilities") {
            Capabilities(of: $0.provider, $0.sources, isAccountSource: $0.isAccountSource, orders: $0.orders)
        }
        Field("rateLimits", \.rateLimits)
    }

    /// The limits of the server's own key and of the user's credentials, which several links may share.
    private var rateLimits: [QuotaStatus] {
        var accounts: Set<QuotaAccount> = []
        let links = links.filter { link in link.quotaAccount.map { accounts.insert($0).inserted } ?? true }
        return condition.rateLimits + links.flatMap { $0.limits() }
    }
}

extension QuotaStatus: GraphQLObject {
    package static let graphQL = ObjectType<QuotaStatus>("RateLimit") {
        Field("name") { $0.window.name }
        Field("windowSeconds") { $0.window.period.seconds }
        Field("limit", \.limit)
        Field("remaining", \.remaining)
        Field("resetsAt", \.resetsAt)
    }
}

extension ProviderHealth.State: GraphQLScalar {
    package static var graphQLNames: [String] { ["ProviderHealth"] }

    package func write(to writer: inout ResponseWriter) throws(ResultCoercionError) {
        switch self {
        case .up: writer.write("UP")
        case .degraded: writer.write("DEGRADED")
        case .down: writer.write("DOWN")
        }
    }
}

extension QuotaWindow.Period {
    fileprivate var seconds: Int {
        switch self {
        case .rolling(let seconds): seconds
        case .newYorkDay: 86_400
        }
    }
}

/// The reason of a failure that lasts.
struct OngoingFailure: GraphQLObject {
    let error: FieldError
    let since: Instant
    let retryAt: Instant?

    init(_ error: FieldError, since: Instant) {
        self.error = error
        self.since = since
        retryAt = error.retryAt
    }

    /// The failure of calls to a provider.
    init(_ provider: ProviderID, _ failure: ProviderHealth.Failure) {
        error = FieldError(ProviderFailure(provider, failure.cause))
        since = failure.since
        retryAt = failure.retryAt
    }

    static let graphQL = ObjectType<OngoingFailure>("Failure") {
        Field("code") { $0.error.code }
        Field("message") { $0.error.message }
        Field("since", \.since)
        Field("retryAt", \.retryAt)
    }
}
