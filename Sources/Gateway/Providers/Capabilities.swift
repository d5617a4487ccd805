import Brokerage
import GraphQL
import Upstream

/// The available operations, so that a front end hides those that would fail.
struct Capabilities: GraphQLObject {
    let features: [Feature]
    let intervals: [Interval]
    let chartRanges: [DateRange]
    let historyRanges: [DateRange]
    let adjustments: [Adjustment]
    let orderTypes: [OrderType]
    let timesInForce: [TimeInForce]

    /// The capabilities of all sources of one provider.
    ///
    /// - Parameters:
    ///   - provider: The provider.
    ///   - sources: Its sources of market data.
    ///   - isAccountSource: Whether it has accounts.
    ///   - orders: The orders that it accepts; nil for none.
    init(
        of provider: ProviderID, _ sources: [MarketDataSource], isAccountSource: Bool,
        orders: OrderCapabilities?
    ) {
        let abilities = sources.compactMap { $0.charts?.chartCapabilities }
        features = Feature.allCases.filter { feature in
            switch feature {
            case .accounts: isAccountSource
            case .equityHistory: isAccountSource && !provider.traits.historyRanges.isEmpty
            case .quotes: sources.contains { MarketDataCapability.quotes.isServed(by: $0) }
            case .charts: sources.contains { MarketDataCapability.charts.isServed(by: $0) }
            case .extendedHoursCharts: abilities.contains { !$0.extendedHours.isEmpty }
            case .search: sources.contains { MarketDataCapability.instruments.isServed(by: $0) }
            case .fundamentals: sources.contains { MarketDataCapability.fundamentals.isServed(by: $0) }
            case .corporateActions:
                sources.contains { MarketDataCapability.corporateActions.isServed(by: $0) }
            case .news: sources.contains { MarketDataCapability.news.isServed(by: $0) }
            case .marketClock: sources.contains { MarketDataCapability.clock.isServed(by: $0) }
            case .orders: orders != nil
            case .endedOrders: orders?.hasEndedOrders ?? false
            case .replaceOrder: orders?.replaces ?? false
            case .fractionalOrders: orders?.acceptsFractions ?? false
            case .notionalOrders: orders.map { $0.acceptsNotional && $0.notionalClasses == nil } ?? false
            case .extendedHoursOrders: orders?.acceptsExtendedHours ?? false
            }
        }
        intervals = Interval.allCases.filter { interval in
            abilities.contains { $0.intervals.contains(interval) }
        }
        chartRanges = DateRange.allCases.filter { range in
            abilities.contains { $0.intervals.contains(range.defaultInterval) }
        }
        historyRanges = isAccountSource ? provider.traits.historyRanges : []
        adjustments = Adjustment.allCases.filter { adjustment in
            abilities.contains { $0.adjustments.contains(adjustment) }
        }
        orderTypes = OrderType.allCases.filter { orders?.types.contains($0) ?? false }
        timesInForce = TimeInForce.allCases.filter { orders?.timesInForce.contains($0) ?? false }
    }

    static let graphQL = ObjectType<Capabilities>("Capabilities") {
        Field("features", \.features)
        Field("intervals", \.intervals)
        Field("chartRanges", \.chartRanges)
        Field("historyRanges", \.historyRanges)
        Field("adjustments", \.adjustments)
        Field("orderTypes", \.orderTypes)
        Field("timesInForce", \.timesInForce)
    }
}
