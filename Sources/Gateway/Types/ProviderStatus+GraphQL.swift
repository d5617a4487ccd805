package import Brokerage
package import GraphQL
package import Upstream

/// A provider as Portico sees it.
struct ProviderStatus: Sendable {
    let provider: Provider
    /// What asks it, for the one who wants to know; none where it is not configured.
    let sources: [MarketSource]
    let isAccountSource: Bool
    let condition: ProviderCondition
}

/// How a provider fares, by its recent calls.
package struct ProviderCondition: Sendable {
    package var health: ProviderHealth
    /// Nil while its calls work.
    package var failure: LastingFailure?
    package var latency: Duration?
    package var rateLimits: [RateLimitStatus]

    package init(
        health: ProviderHealth, failure: LastingFailure? = nil, latency: Duration? = nil,
        rateLimits: [RateLimitStatus] = []
    ) {
        self.health = health
        self.failure = failure
        self.latency = latency
        self.rateLimits = rateLimits
    }
}

/// By its recent calls.
package enum ProviderHealth: String, Sendable, CaseIterable {
    case up = "UP"
    case degraded = "DEGRADED"
    case down = "DOWN"
}

/// A failure that lasts.
package struct LastingFailure: Sendable {
    let failure: ProviderFailure
    let since: Instant
    let retryAt: Instant?

    package init(_ failure: ProviderFailure, since: Instant, retryAt: Instant?) {
        self.failure = failure
        self.since = since
        self.retryAt = retryAt
    }
}

/// What is left of a limit.
package struct RateLimitStatus: Sendable {
    let window: QuotaWindow
    let remaining: Int
    let resetsAt: Instant?

    package init(_ window: QuotaWindow, remaining: Int, resetsAt: Instant?) {
        self.window = window
        self.remaining = remaining
        self.resetsAt = resetsAt
    }
}

/// What can be asked of a provider.
package enum Feature: String, Sendable, CaseIterable {
    case accounts = "ACCOUNTS"
    case equityHistory = "EQUITY_HISTORY"
    case quotes = "QUOTES"
    case charts = "CHARTS"
    case extendedHoursCharts = "EXTENDED_HOURS_CHARTS"
    case search = "SEARCH"
    case fundamentals = "FUNDAMENTALS"
    case news = "NEWS"
    case marketClock = "MARKET_CLOCK"
}

extension GatewayContext {
    /// Every provider, configured or not.
    func providers() -> [ProviderStatus] {
        Provider.allCases.map { provider in
            let sources = allSources.filter { $0.provider == provider }
            let connections = ownConnections.filter { $0.provider == provider }
            return ProviderStatus(
                provider: provider, sources: sources, isAccountSource: !connections.isEmpty,
                condition: backends.condition(provider, session.owner))
        }
    }
}

extension ProviderStatus: GraphQLObject {
    typealias Context = GatewayContext

    private var abilities: [ChartAbilities] { sources.compactMap { $0.charts?.chartAbilities } }

    private var features: [Feature] {
        Feature.allCases.filter { feature in
            switch feature {
            case .accounts: isAccountSource
            // Saxo keeps none.
            case .equityHistory: isAccountSource && provider == .alpaca
            case .quotes: sources.contains { Capability.quotes.isServed(by: $0) }
            case .charts: sources.contains { Capability.charts.isServed(by: $0) }
            case .extendedHoursCharts: abilities.contains { $0.hasExtendedHours }
            case .search: sources.contains { Capability.instruments.isServed(by: $0) }
            case .fundamentals: sources.contains { Capability.fundamentals.isServed(by: $0) }
            case .news: sources.contains { Capability.news.isServed(by: $0) }
            case .marketClock: sources.contains { Capability.clock.isServed(by: $0) }
            }
        }
    }

    static let graphQL = Object<ProviderStatus>("ProviderStatus") {
        Field("provider", \.provider)
        Field("configured") { !$0.sources.isEmpty || $0.isAccountSource }
        Field("environment") { $0.sources.first?.environment }
        Field("health", \.condition.health)
        Field("failure", \.condition.failure)
        Field("latencyMs") { $0.condition.latency.map { $0 / .milliseconds(1) } }
        Field("capabilities") { status in
            Capabilities(
                features: status.features,
                intervals: Interval.allCases.filter { interval in
                    status.abilities.contains { $0.intervals.contains(interval) }
                },
                adjustments: Adjustment.allCases.filter { adjustment in
                    status.abilities.contains { $0.adjustments.contains(adjustment) }
                })
        }
        Field("rateLimits", \.condition.rateLimits)
    }
}

struct Capabilities: GraphQLObject {
    typealias Context = GatewayContext

    let features: [Feature]
    let intervals: [Interval]
    let adjustments: [Adjustment]

    static let graphQL = Object<Capabilities>("Capabilities") {
        Field("features", \.features)
        Field("intervals", \.intervals)
        Field("adjustments", \.adjustments)
    }
}

extension LastingFailure: GraphQLObject {
    package typealias Context = GatewayContext

    package static let graphQL = Object<LastingFailure>("Failure") {
        Field("code") { FieldError($0.failure).code }
        Field("message") { FieldError($0.failure).message }
        Field("since", \.since)
        Field("retryAt", \.retryAt)
    }
}

extension RateLimitStatus: GraphQLObject {
    package typealias Context = GatewayContext

    package static let graphQL = Object<RateLimitStatus>("RateLimit") {
        Field("name", \.window.name)
        Field("windowSeconds") { $0.window.period.seconds }
        Field("limit", \.window.limit)
        Field("remaining", \.remaining)
        Field("resetsAt", \.resetsAt)
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
