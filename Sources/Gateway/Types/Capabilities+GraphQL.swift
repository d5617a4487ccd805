import Brokerage
import GraphQL
import Upstream

/// What can be asked, so that a front end hides what would fail.
struct Capabilities: GraphQLObject {
    typealias Context = GatewayContext

    let features: [Feature]
    let intervals: [Interval]
    let adjustments: [Adjustment]

    /// What sources of one provider can do together.
    init(of provider: Provider, _ sources: [MarketSource], isAccountSource: Bool) {
        let abilities = sources.compactMap { $0.charts?.chartAbilities }
        features = Feature.allCases.filter { feature in
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
        intervals = Interval.allCases.filter { interval in
            abilities.contains { $0.intervals.contains(interval) }
        }
        adjustments = Adjustment.allCases.filter { adjustment in
            abilities.contains { $0.adjustments.contains(adjustment) }
        }
    }

    static let graphQL = Object<Capabilities>("Capabilities") {
        Field("features", \.features)
        Field("intervals", \.intervals)
        Field("adjustments", \.adjustments)
    }
}
