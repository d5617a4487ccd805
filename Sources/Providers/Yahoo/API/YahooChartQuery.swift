import Brokerage
import Upstream

/// The parameters of `GET /v8/finance/chart/{symbol}`.
///
/// With two times, Yahoo's weeks may begin on the weekday of the first one (joshuaulrich/quantmod#263, ranaroussi/yfinance#521);
/// with a range, they begin on Mondays. Weeks are requested by a range, and those that no range reaches are combined from days.
struct YahooChartQuery {
    let items: [(name: String, value: String?)]
    /// The requested range; nil if the request has two times.
    let range: YahooRange?
    /// The interval of the requested bars, which is shorter than that of the window if they are to be combined.
    let interval: Interval
    /// The window goes further back than Yahoo does.
    let isTruncated: Bool

    /// A hundred years, less their leap days: Yahoo refuses a longer span of days (ranaroussi/yfinance#263, #1671), in any case
    /// for a listing of which it has no first trade.
    private static let longestSpanInDays: Int64 = 36_500

    /// Nil where nothing can lie in the window.
    init?(_ window: ChartWindow, now: Instant) {
        let scale = YahooInterval(window.interval)
        if window.from == nil, window.to == nil, let range = scale.range(of: window.maximumCandles) {
            self.init(window, range.range, isTruncated: range.isTooShort)
            return
        }
        let (wanted, to) = Self.span(of: window, now: now)
        guard window.interval == .oneWeek else {
            self.init(window, every: window.interval, from: wanted, to: to, now: now)
            return
        }
        guard wanted < to else { return nil }
        if let range = YahooRange.shortest(reaching: wanted, now: now) {
            self.init(window, range, isTruncated: false)
        } else {
            self.init(daysOf: window, now: now)
        }
    }

    /// The days of which the weeks of a window are combined.
    init?(daysOf window: ChartWindow, now: Instant) {
        let (wanted, to) = Self.span(of: window, now: now)
        // The last week has days after the end of the window.
        self.init(window, every: .oneDay, from: wanted, to: min(to + .seconds(7 * 86_400), now), now: now)
    }

    private static func span(of window: ChartWindow, now: Instant) -> (from: Instant, to: Instant) {
        let to = min(window.to ?? now, now)
        let days = Int64(YahooInterval(window.interval).sessions(of: window.maximumCandles)) * 2
        return (window.from ?? to - .seconds(days * 86_400), to)
    }

    /// The window's part in the latest days, for a listing that has no others.
    ///
    /// Nil if they have nothing of the window, or if its weeks and months would be parts of them.
    init?(_ window: ChartWindow, within days: YahooRange, now: Instant) {
        let start = now - .seconds(days.days * 86_400)
        switch window.interval {
        case .oneWeek, .oneMonth: return nil
        case .oneMinute, .fiveMinutes, .fifteenMinutes, .thirtyMinutes, .oneHour, .oneDay: break
        }
        guard window.to.map({ $0 > start }) ?? true else { return nil }
        self.init(window, days, isTruncated: window.from.map { $0 < start } ?? true)
    }

    private init(_ window: ChartWindow, _ range: YahooRange, isTruncated: Bool) {
        items = Self.items(window, every: window.interval) + [("range", range.name)]
        self.range = range
        interval = window.interval
        self.isTruncated = isTruncated
    }

    private init?(
        _ window: ChartWindow, every interval: Interval, from wanted: Instant, to: Instant, now: Instant
    ) {
        // A minute less than the reach, because Yahoo's clock has advanced when it reads the request.
        let limit = YahooInterval(interval).reachInDays.map { now - .seconds($0 * 86_400 - 60) }
        let from = max(wanted, limit ?? now - .seconds(Self.longestSpanInDays * 86_400))
        guard from < to else { return nil }
        items =
            Self.items(window, every: interval) + [
                ("period1", String(from.secondsSince1970)), ("period2", String(to.secondsSince1970)),
            ]
        range = nil
        self.interval = interval
        isTruncated = limit.map { $0 > wanted } ?? false
    }

    /// Whether the listing does not have the requested span, by `validRanges` of its charts.
    ///
    /// It contains `max`, unless the listing has only its latest days; then a response without times does not mean that there
    /// were no trades.
    func exceeds(_ ranges: [String]) -> Bool {
        guard !ranges.isEmpty, !ranges.contains("max") else { return false }
        return range.map { !ranges.contains($0.name) } ?? true
    }

    private static func items(
        _ window: ChartWindow, every interval: Interval
    ) -> [(name: String, value: String?)] {
        var items: [(name: String, value: String?)] = [("interval", YahooInterval(interval).name)]
        if interval.isIntraday {
            items.append(("includePrePost", window.isExtendedHours == true ? "true" : "false"))
        }
        return items
    }
}

/// Yahoo's properties of one interval.
struct YahooInterval {
    private let interval: Interval

    init(_ interval: Interval) {
        self.interval = interval
    }

    /// Yahoo's name of it.
    var name: String {
        switch interval {
        case .oneMinute: "1m"
        case .fiveMinutes: "5m"
        case .fifteenMinutes: "15m"
        case .thirtyMinutes: "30m"
        case .oneHour: "60m"
        case .oneDay: "1d"
        case .oneWeek: "1wk"
        case .oneMonth: "1mo"
        }
    }

    /// Yahoo's names of it in responses: an hour has two.
    var names: [String] { interval == .oneHour ? [name, "1h"] : [name] }

    /// The maximum age in days; nil if all prices are available.
    var reachInDays: Int64? {
        switch interval {
        case .oneMinute: 7
        case .fiveMinutes, .fifteenMinutes, .thirtyMinutes: 60
        case .oneHour: 730
        case .oneDay, .oneWeek, .oneMonth: nil
        }
    }

    /// The number of trading days with at least this number of bars, by the regular hours of American exchanges, which
    /// are among the shortest.
    func sessions(of count: Int) -> Int {
        switch interval {
        case .oneMinute: count / 390 + 2
        case .fiveMinutes: count / 78 + 2
        case .fifteenMinutes: count / 26 + 2
        case .thirtyMinutes: count / 13 + 2
        case .oneHour: count / 6 + 2
        case .oneDay: count + 1
        case .oneWeek: count * 5 + 5
        case .oneMonth: count * 21 + 21
        }
    }

    /// The shortest of Yahoo's ranges with this number of bars, or the longest range of an interval with a maximum age.
    ///
    /// Nil if the bars need a longer range than ten years: the range `max` has months, whatever interval is requested.
    func range(of count: Int) -> (range: YahooRange, isTooShort: Bool)? {
        let sessions = sessions(of: count)
        let known = YahooRange.all.filter { $0.days <= reachInDays ?? .max }
        if let range = known.first(where: { $0.sessions >= sessions }) { return (range, false) }
        return reachInDays.flatMap { _ in known.last.map { ($0, true) } }
    }
}

/// One of Yahoo's named ranges, which end now.
struct YahooRange: Hashable {
    let name: String
    /// The most calendar days that it has.
    let days: Int64
    /// Trading days, less some holidays.
    let sessions: Int

    /// Those with a length that is known in advance, the shortest first.
    static let all = [
        Self(name: "1d", days: 1, sessions: 1), Self(name: "5d", days: 7, sessions: 5),
        Self(name: "1mo", days: 31, sessions: 19), Self(name: "3mo", days: 92, sessions: 60),
        Self(name: "6mo", days: 184, sessions: 121), Self(name: "1y", days: 366, sessions: 248),
        Self(name: "2y", days: 731, sessions: 497), Self(name: "5y", days: 1_827, sessions: 1_240),
        Self(name: "10y", days: 3_653, sessions: 2_480),
    ]

    /// The shortest range of a month or more that begins at a moment or earlier; nil if ten years are too short.
    static func shortest(reaching moment: Instant, now: Instant) -> YahooRange? {
        // A month may have three days less than the longest one, and the exchange's day may have begun later.
        all.first { $0.days >= 31 && now - .seconds(($0.days - 4) * 86_400) <= moment }
    }

    /// The longest of some ranges that an interval reaches; nil if it reaches none.
    static func longest(of names: [String], _ interval: YahooInterval) -> YahooRange? {
        all.last { names.contains($0.name) && $0.days <= interval.reachInDays ?? .max }
    }
}
