package import Brokerage

/// The days of a series: those of New York, or of UTC for instruments that are traded around the clock.
package struct CandleCalendar {
    /// The time zone by which days are counted.
    package enum Days: String, Sendable, CaseIterable {
        case newYork = "NEW_YORK"
        case utc = "UTC"
        /// UTC if the candles begin at midnight of UTC, otherwise New York: midnight there is never midnight in UTC.
        case candles = "CANDLES"
    }

    private let interval: Interval
    private let isUTC: Bool
    private let hasDates: Bool

    /// - Parameters:
    ///   - days: The days of the instrument.
    ///   - interval: The length of a candle.
    ///   - candles: The candles, as they were sent.
    ///   - hasDates: Whether their times are dates of the exchange, each as midnight of UTC.
    package init(_ days: Days, _ interval: Interval, _ candles: [Candle], hasDates: Bool = false) {
        self.interval = interval
        self.hasDates = hasDates
        isUTC =
            switch days {
            case .newYork: false
            case .utc: true
            case .candles:
                interval.isIntraday || candles.first.map { $0.time.isMultiple(of: 86_400) } ?? true
            }
    }

    /// An IANA name.
    package var timeZone: String { isUTC ? "Etc/UTC" : "America/New_York" }

    /// Seconds to add to UTC.
    package func offset(at moment: Instant) -> Int { isUTC ? 0 : moment.newYorkOffset }

    /// The candles in the order of time, each under the beginning of its interval.
    package func oldestFirst(_ items: [Candle], isNewestFirst: Bool) -> [Candle] {
        var candles = isNewestFirst ? Array(items.reversed()) : items
        if hasDates || interval == .oneWeek {
            for index in candles.indices { candles[index].time = start(of: candles[index].time) }
        }
        // Providers send candles in order, but few guarantee it.
        let isSorted = zip(candles, candles.dropFirst()).allSatisfy { $0.time <= $1.time }
        return isSorted ? candles : candles.sorted { $0.time < $1.time }
    }

    /// The start of the interval: of a date midnight of the exchange, of a week its Monday.
    ///
    /// A week that begins on a Sunday is that of the next day.
    private func start(of time: Int64) -> Int64 {
        guard let instant = Instant(secondsSince1970: time) else { return time }
        var date = isUTC || hasDates ? instant.dateInUTC : instant.inNewYork.date
        if interval == .oneWeek {
            if date.weekday == .sunday { date = date.adding(days: 1) ?? date }
            date = interval.firstDay(around: date)
        }
        return isUTC
            ? Int64(date.daysSince1970) * 86_400 : Instant(newYorkMidnight: date).secondsSince1970
    }
}
