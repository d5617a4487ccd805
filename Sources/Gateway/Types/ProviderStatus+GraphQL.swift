import Brokerage
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

/// How a provider fares, and what is left of its limits.
package struct ProviderCondition: Sendable {
    let health: ProviderHealth
    let rateLimits: [QuotaStatus]

    package init(health: ProviderHealth, rateLimits: [QuotaStatus]) {
        self.health = health
        self.rateLimits = rateLimits
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
                condition: backends.condition(provider, connections.map(\.id)))
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
        Field("health", \.condition.health.state)
        Field("failure") { status in
            status.condition.health.failure.map { LastingFailure(provider: status.provider, failure: $0) }
        }
        Field("latencyMs") { $0.condition.health.latency.map { $0 / .milliseconds(1) } }
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

/// Why calls to a provider fail now.
struct LastingFailure: GraphQLObject {
    typealias Context = GatewayContext

    let provider: Provider
    let failure: ProviderHealth.Failure

    private var error: FieldError { FieldError(ProviderFailure(provider, failure.cause)) }

    static let graphQL = Object<LastingFailure>("Failure") {
        Field("code") { $0.error.code }
        Field("message") { $0.error.message }
        Field("since", \.failure.since)
        Field("retryAt", \.failure.retryAt)
    }
}

extension QuotaStatus: GraphQLObject {
    package typealias Context = GatewayContext

    package static let graphQL = Object<QuotaStatus>("RateLimit") {
        Field("name") { $0.window.name }
        Field("windowSeconds") { $0.window.period.seconds }
        Field("limit", \.limit)
        Field("remaining", \.remaining)
        Field("resetsAt", \.resetsAt)
    }
}

extension ProviderHealth.State: GraphQLScalar {
    package static var graphQLNames: [String] { ["ProviderHealth"] }

    package func write(to writer: inout ResponseWriter) throws(LeafError) {
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
