import Brokerage
import Upstream

/// What to ask `GET /v2/stocks/bars` for.
struct AlpacaBarQuery: Hashable {
    let window: ChartWindow
    let feed: AlpacaFeed?
    let adjustment: Adjustment
    /// Inclusive.
    let start: Instant
    /// Inclusive; nil for as late as the credential may know.
    let end: Instant?
    /// Bars of a page, 1 to 10,000, over all symbols together.
    let limit: Int

    /// Nil for what Alpaca does not have: bars of an hour without the trades outside of regular hours, as its hours begin at
    /// the full hour, and regular hours do not.
    init?(_ window: ChartWindow, symbols: Int, feed: AlpacaFeed?, now: Instant) {
        if window.interval == .oneHour, window.isExtendedHours == false { return nil }
        self.window = window
        self.feed = feed
        adjustment = window.adjustment ?? .splits
        // Asking for the present is refused to who may know it a quarter of an hour late only; asking for no end is not.
        let limit = feed?.lag.map { now - $0 }
        let wanted = window.to.flatMap { $0 < now ? $0 - .nanoseconds(1) : nil }
        end = [limit, wanted].compactMap(\.self).min()
        start = window.from ?? Self.start(of: window, symbols: symbols, before: end ?? now)
        // The newest come first, so one symbol needs no more than are wanted; several share the limit.
        let isWhole = symbols == 1 && !window.isRegularOnly
        self.limit = isWhole ? min(max(window.maximumCandles, 1), 10_000) : 10_000
    }

    /// As they stand in the address.
    func items(_ symbols: String, page: String?) -> [(name: String, value: String?)] {
        [
            ("symbols", symbols), ("timeframe", Self.timeframe(window.interval)),
            ("start", start.description),
            ("end", end?.description), ("limit", String(limit)),
            ("adjustment", Self.queryValue(for: adjustment)),
            ("feed", feed?.historical.rawValue), ("sort", "desc"), ("page_token", page),
        ]
    }

    private static func timeframe(_ interval: Interval) -> String {
        switch interval {
        case .oneMinute: "1Min"
        case .fiveMinutes: "5Min"
        case .fifteenMinutes: "15Min"
        case .thirtyMinutes: "30Min"
        case .oneHour: "1Hour"
        case .oneDay: "1Day"
        case .oneWeek: "1Week"
        case .oneMonth: "1Month"
        }
    }

    /// Spin-offs are dividends in kind.
    private static func queryValue(for adjustment: Adjustment) -> String {
        switch adjustment {
        case .raw: "raw"
        case .splits: "split"
        case .splitsAndDividends: "all"
        }
    }
}

extension AlpacaBarQuery {
    /// A midnight in New York from which on there are as many candles as are wanted: for one symbol even if it has not
    /// traded for most of the time, as then not more than are wanted are read.
    private static func start(of window: ChartWindow, symbols: Int, before end: Instant) -> Instant {
        let days = daysOf(candles: window.maximumCandles, window.interval)
        let today = end.inNewYork.date
        let date = today.adding(days: -(symbols == 1 ? days * 10 : days)) ?? .earliest
        return LocalTime(date: date, hour: 0).map(Instant.init(newYork:)) ?? .earliest
    }

    /// Calendar days that surely have so many candles of something that is traded all day.
    private static func daysOf(candles: Int, _ interval: Interval) -> Int {
        switch interval {
        case .oneMinute, .fiveMinutes, .fifteenMinutes, .thirtyMinutes, .oneHour:
            // The shortest sessions, before holidays, end at one o'clock.
            let perSession = 210 * 60 / Int(max(interval.length(on: .earliest), 1))
            return daysOf(sessions: candles / perSession + 2)
        case .oneDay: return daysOf(sessions: candles)
        case .oneWeek: return (candles + 1) * 7
        case .oneMonth: return (candles + 1) * 31
        }
    }

    /// Some 252 sessions a year are 1.45 days each; the longest closure since 1933 was of six days.
    private static func daysOf(sessions: Int) -> Int { sessions * 3 / 2 + 7 }
}

extension ChartWindow {
    /// Whether trades outside of regular hours are to be left out; candles of a day have none that could be.
    var isRegularOnly: Bool { isExtendedHours == false && interval.isIntraday }
}
