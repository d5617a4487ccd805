import Brokerage
import Upstream

/// Whose days a series is of: New York's, or those of UTC for what is traded around the clock.
struct PolygonCalendar {
    private let interval: Interval
    private let isUTC: Bool

    /// Bars of a day and longer tell by their own beginnings: midnight in New York is never midnight in UTC.
    init(_ symbol: Symbol, _ interval: Interval, _ bars: [Candle]) {
        self.interval = interval
        switch SymbolKind(symbol) {
        case .currencies, .crypto:
            isUTC = interval.isIntraday || bars.first.map { $0.time.isMultiple(of: 86_400) } ?? true
        case .listing, .index, nil: isUTC = false
        }
    }

    /// An IANA name.
    var timeZone: String { isUTC ? "Etc/UTC" : "America/New_York" }

    func offset(at moment: Instant) -> Int { isUTC ? 0 : moment.newYorkOffset }

    /// The bars in the order of time, each under the beginning of its interval.
    func oldestFirst(_ bars: [Candle]) -> [Candle] {
        var candles = Array(bars.reversed())
        if interval == .oneWeek {
            for index in candles.indices { candles[index].time = monday(of: candles[index].time) }
        }
        // Pages are in order, but nobody has promised it.
        let isSorted = zip(candles, candles.dropFirst()).allSatisfy { $0.time <= $1.time }
        return isSorted ? candles : candles.sorted { $0.time < $1.time }
    }

    /// Polygon's weeks begin on Sundays.
    private func monday(of start: Int64) -> Int64 {
        guard let start = Instant(secondsSince1970: start) else { return start }
        let date = isUTC ? start.dateInUTC : start.inNewYork.date
        let day = date.weekday == .sunday ? date.adding(days: 1) ?? date : date
        let monday = interval.firstDay(around: day)
        guard !isUTC, let midnight = LocalTime(date: monday, hour: 0) else {
            return Int64(monday.daysSince1970) * 86_400
        }
        return Instant(newYork: midnight).secondsSince1970
    }
}
