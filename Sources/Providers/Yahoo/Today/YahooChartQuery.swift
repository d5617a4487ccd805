import Brokerage
import Upstream

/// What to ask `GET /v8/finance/chart/{symbol}` for.
struct YahooChartQuery {
    let items: [(name: String, value: String?)]
    /// The window goes further back than Yahoo does.
    let isTruncated: Bool

    /// Nil where nothing can lie in the window.
    init?(_ window: ChartWindow, now: Instant) {
        let scale = YahooInterval(window.interval)
        var items: [(name: String, value: String?)] = [("interval", scale.name)]
        if window.interval.isIntraday {
            items.append(("includePrePost", window.isExtendedHours == true ? "true" : "false"))
        }
        if window.from == nil, window.to == nil {
            let range = scale.range(of: window.maximumCandles)
            self.items = items + [("range", range.name)]
            isTruncated = range.isTooShort
            return
        }
        let to = min(window.to ?? now, now)
        let wanted =
            window.from ?? to - .seconds(Int64(scale.sessions(of: window.maximumCandles)) * 2 * 86_400)
        // A minute less than the reach, as Yahoo's clock has gone on when it looks.
        let limit = scale.reachInDays.map { now - .seconds($0 * 86_400 - 60) }
        let from = max(wanted, limit ?? wanted)
        guard from < to else { return nil }
        self.items =
            items + [
                ("period1", String(from.secondsSince1970)), ("period2", String(to.secondsSince1970)),
            ]
        isTruncated = from > wanted
    }
}

/// How Yahoo tells of one interval.
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

    /// How far back it goes; nil for as far as there are prices.
    var reachInDays: Int64? {
        switch interval {
        case .oneMinute: 7
        case .fiveMinutes, .fifteenMinutes, .thirtyMinutes: 60
        case .oneHour: 730
        case .oneDay, .oneWeek, .oneMonth: nil
        }
    }

    /// Trading days that surely have so many bars; in regular hours of American exchanges, which are among the shortest.
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

    /// The shortest of Yahoo's ranges that has so many bars, or the longest that the interval is told of.
    func range(of count: Int) -> (name: String, isTooShort: Bool) {
        let sessions = sessions(of: count)
        let known = Self.ranges.filter { $0.days <= reachInDays ?? .max }
        if let range = known.first(where: { $0.sessions >= sessions }) { return (range.name, false) }
        return reachInDays == nil ? ("max", false) : (known.last?.name ?? "1d", true)
    }

    /// Names with calendar days and trading days, less some holidays.
    private static let ranges: [(name: String, days: Int64, sessions: Int)] = [
        ("1d", 1, 1), ("5d", 7, 5), ("1mo", 31, 19), ("3mo", 92, 60), ("6mo", 184, 121), ("1y", 366, 248),
        ("2y", 731, 497), ("5y", 1_827, 1_240), ("10y", 3_653, 2_480),
    ]
}
