package import Brokerage

/// The times of the candles that a call requests for a window; both ends are inclusive.
package struct ChartQueryRange: Hashable, Sendable {
    package var from: Instant
    package private(set) var to: Instant

    /// Nil where nothing can lie in the window.
    package init?(_ window: ChartWindow, now: Instant) {
        let end = min(window.to.map { $0 - .milliseconds(1) } ?? now, now)
        // Weeks may begin a day before Portico's, and days may be counted in another zone.
        from = window.from.map { $0 - .seconds(86_400) } ?? Self.reach(back: window, to: end)
        to = end
        guard from <= to else { return nil }
    }

    /// The start of a range that contains the requested number of candles.
    ///
    /// A share is traded in 6.5 of 24 hours and on five of seven days, except on holidays.
    private static func reach(back window: ChartWindow, to: Instant) -> Instant {
        let length = window.interval.length(on: to.dateInUTC)
        let share: Int64 = window.interval.isIntraday ? 6 : 2
        let seconds = Int64(window.maximumCandles) * length * share + 10 * 86_400
        return to - .seconds(seconds)
    }

    /// Ends the range before the oldest candle of a page, for the next page; false if the range does not get shorter, or
    /// nothing is left of it.
    package mutating func end(before oldest: Candle) -> Bool {
        guard let end = Instant(secondsSince1970: oldest.time).map({ $0 - .milliseconds(1) }),
            from <= end, end < to
        else { return false }
        to = end
        return true
    }
}
