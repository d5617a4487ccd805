import Brokerage
import Upstream

/// Which function to call for a window, and how.
struct AlphaVantageSeriesQuery {
    let function: String
    let items: [(name: String, value: String?)]
    /// Only the newest hundred rows come.
    let isCompact: Bool

    init(_ window: ChartWindow, plan: AlphaVantagePlan) {
        // Whole weeks and months come whatever is asked for.
        let canBeCut = window.interval != .oneWeek && window.interval != .oneMonth
        isCompact = canBeCut && !(plan.isPremium && Self.mayNeedMore(window))
        let size = canBeCut ? (isCompact ? "compact" : "full") : nil
        switch window.interval {
        case .oneMinute: (function, items) = Self.intraday("1min", size, window)
        case .fiveMinutes: (function, items) = Self.intraday("5min", size, window)
        case .fifteenMinutes: (function, items) = Self.intraday("15min", size, window)
        case .thirtyMinutes: (function, items) = Self.intraday("30min", size, window)
        case .oneHour: (function, items) = Self.intraday("60min", size, window)
        case .oneDay: (function, items) = ("TIME_SERIES_DAILY", [("outputsize", size)])
        case .oneWeek: (function, items) = ("TIME_SERIES_WEEKLY", [])
        case .oneMonth: (function, items) = ("TIME_SERIES_MONTHLY", [])
        }
    }

    private static func intraday(
        _ interval: String, _ size: String?, _ window: ChartWindow
    ) -> (String, [(name: String, value: String?)]) {
        (
            "TIME_SERIES_INTRADAY",
            [
                ("interval", interval), ("adjusted", "false"),
                ("extended_hours", window.isExtendedHours == false ? "false" : "true"), ("outputsize", size),
            ]
        )
    }

    /// A hundred rows up to now may not be enough.
    private static func mayNeedMore(_ window: ChartWindow) -> Bool {
        window.from != nil || window.to != nil || window.maximumCandles > AlphaVantageSeries.compactCount
    }
}
