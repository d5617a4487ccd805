package import Brokerage

/// When the US exchanges trade, by the rules of the New York Stock Exchange (Rule 7.2) as they stand since
/// 2022.
///
/// The rules are applied to all years, with the days beside them on which the exchanges stood still since
/// 2001.
package enum TradingCalendar {
    /// The session of a day; nil at weekends and on holidays.
    package static func session(on date: CalendarDate) -> TradingSession? {
        guard !date.weekday.isWeekend, !isHoliday(date),
            let midnight = LocalTime(date: date, hour: 0)
        else { return nil }
        // Clocks change on Sundays, so on a trading day every hour is 3,600 seconds long.
        let start = Int(Instant(newYork: midnight).secondsSince1970)
        let close = isHalfDay(date) ? 13 : 16
        return TradingSession(
            date: date, preMarketOpen: start + 4 * 3600, open: start + 9 * 3600 + 1800,
            close: start + close * 3600, postMarketClose: start + (close + 4) * 3600)
    }

    /// The last session on or before a date; nil before the calendar begins.
    package static func session(onOrBefore date: CalendarDate) -> TradingSession? {
        Schedule.exchanges.session(onOrBefore: date)
    }

    /// The last session before a date; nil before the calendar begins.
    package static func session(before date: CalendarDate) -> TradingSession? {
        Schedule.exchanges.session(before: date)
    }

    /// The first session after a date; nil at the end of the calendar.
    package static func session(after date: CalendarDate) -> TradingSession? {
        Schedule.exchanges.session(after: date)
    }

    /// Every session from `first` to `last`, both included.
    package static func sessions(from first: CalendarDate, through last: CalendarDate) -> [TradingSession] {
        Schedule.exchanges.sessions(from: first, through: last)
    }
}
