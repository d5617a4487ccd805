import Brokerage
import Upstream

/// What to ask `GET /v2/aggs/…` for.
struct PolygonChartQuery {
    let ticker: String
    let interval: Interval
    let isAdjusted: Bool
    /// Both ends are asked for inclusively.
    let from: Instant
    var to: Instant

    /// Nil where nothing can lie in the window.
    init?(_ ticker: String, _ window: ChartWindow, now: Instant) {
        self.ticker = ticker
        interval = window.interval
        isAdjusted = window.adjustment != .raw
        to = min(window.to.map { $0 - .milliseconds(1) } ?? now, now)
        // Polygon's weeks begin a day before Portico's.
        from = window.from.map { $0 - .seconds(86_400) } ?? Self.reach(back: window, to: to)
        guard from <= to else { return nil }
    }

    /// How far back the wanted number of candles surely reaches.
    ///
    /// A share is traded in 6.5 of 24 hours and on five days of seven, less holidays.
    private static func reach(back window: ChartWindow, to: Instant) -> Instant {
        let length = window.interval.length(on: to.dateInUTC)
        let share: Int64 = window.interval.isIntraday ? 6 : 2
        let seconds = Int64(window.maximumCandles) * length * share + 10 * 86_400
        return to - .seconds(seconds)
    }

    /// Path and query behind the base; newest first, as a limit is to cut off what is oldest.
    func address(_ base: HTTPURL) -> HTTPURL? {
        base.appending(
            path: "v2", "aggs", "ticker", ticker, "range", String(multiplier), timespan,
            Self.milliseconds(from),
            Self.milliseconds(to)
        )?.appending(query: [
            ("adjusted", isAdjusted ? "true" : "false"), ("sort", "desc"), ("limit", String(Self.limit)),
        ])
    }

    /// The most that may be asked for; it counts the bars that others are made of.
    static let limit = 50_000

    private static func milliseconds(_ instant: Instant) -> String {
        // No instant is further than 253 billion seconds away, so this cannot overflow.
        String(instant.secondsSince1970 * 1_000 + Int64(instant.nanoseconds / 1_000_000))
    }

    private var multiplier: Int {
        switch interval {
        case .oneMinute, .oneHour, .oneDay, .oneWeek, .oneMonth: 1
        case .fiveMinutes: 5
        case .fifteenMinutes: 15
        case .thirtyMinutes: 30
        }
    }

    private var timespan: String {
        switch interval {
        case .oneMinute, .fiveMinutes, .fifteenMinutes, .thirtyMinutes: "minute"
        case .oneHour: "hour"
        case .oneDay: "day"
        case .oneWeek: "week"
        case .oneMonth: "month"
        }
    }

    /// Whether a bar is made of several of those that the limit counts, so that the limit may cut one in two.
    var isComposed: Bool {
        switch interval {
        case .oneMinute, .oneDay: false
        case .fiveMinutes, .fifteenMinutes, .thirtyMinutes, .oneHour, .oneWeek, .oneMonth: true
        }
    }
}
