package import Brokerage

/// How long each bar of a series is.
package enum BarLength: Sendable, Hashable {
    /// 1 to 1,440 minutes; the count begins anew each day.
    case minutes(Int)
    case day
    /// Monday to Friday.
    case week
    /// 1, 2, 3, 4, 6 or 12 months; the count begins anew each year.
    case months(Int)

    package static let minute = BarLength.minutes(1)
    package static let hour = BarLength.minutes(60)
    package static let month = BarLength.months(1)
}

/// From where bars of less than a day are counted.
package enum BarAlignment: Sendable, Hashable {
    /// The beginning of the day by the instrument's ``Schedule``: hours begin when the clock strikes them.
    case clock
    /// The market's opening at 09:30: hours begin half past. Hours before it count backwards from there.
    case opening
}

/// A bar with its beginning.
package struct TimedBar: Sendable, Hashable {
    /// Seconds since 1970: the first second of a minute's or an hour's bar; the second that begins a
    /// day's by the instrument's ``Schedule``, Monday's that begins a week's, the first day's that begins a month's.
    package let start: Int
    /// The trading day by the instrument's ``Schedule``; the first day of the calendar's week or month.
    package let date: CalendarDate
    package let bar: Bar

    package init(start: Int, date: CalendarDate, bar: Bar) {
        self.start = start
        self.date = date
        self.bar = bar
    }
}
