package import Brokerage

/// Open, high, low, close and volume of an interval, prices in the instrument's ticks: cents for a share.
package struct Bar: Sendable, Hashable {
    package var open: Int
    package var high: Int
    package var low: Int
    package var close: Int
    /// Shares.
    package var volume: Int

    /// The number of trades; at least one where there is volume.
    package var trades: Int { (volume + Self.sharesPerTrade - 1) / Self.sharesPerTrade }
    private static let sharesPerTrade = 75

    /// The volume-weighted average price of a share, with 6 decimals; see ``averagePrice(of:)``.
    package var averagePrice: Decimal { averagePrice(decimals: 2) }

    /// The volume-weighted average price, with 4 decimals more than the instrument's prices have.
    ///
    /// The market has no single trades to weigh; the typical price (high + low + close) ÷ 3 stands for it.
    package func averagePrice(of instrument: FakeInstrument) -> Decimal {
        averagePrice(decimals: instrument.decimals)
    }

    private func averagePrice(decimals: Int) -> Decimal {
        guard let sum = Decimal(coefficient: Int128(high + low + close), scale: decimals),
            let average = try? sum.divided(by: 3, to: decimals + 4, .halfEven)
        else { return .zero }
        return average
    }

    /// Both intervals as one; `later` follows this one.
    package func joined(with later: Bar) -> Bar {
        Bar(
            open: open, high: max(high, later.high), low: min(low, later.low), close: later.close,
            volume: volume + later.volume)
    }
}

extension Decimal {
    /// An amount of US cents, in dollars.
    package init(cents: Int) {
        // Two is a scale that every decimal may have.
        self = Decimal(coefficient: Int128(cents), scale: 2) ?? .zero
    }
}

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

extension BarLength {
    /// The first day of the day, week or months in which a date lies; the date for lengths below a day.
    func period(of date: CalendarDate) -> CalendarDate? {
        switch self {
        case .minutes, .day: return date
        case .week: return date.adding(days: -date.weekday.daysAfterMonday)
        case .months(let count):
            let first = (date.month - 1) / count.months * count.months + 1
            return CalendarDate(year: date.year, month: first, day: 1)
        }
    }

    /// The first day of the next or the last period; nil where the calendar ends.
    func period(after first: CalendarDate, backwards: Bool) -> CalendarDate? {
        let direction = backwards ? -1 : 1
        return switch self {
        case .minutes, .day: first.adding(days: direction)
        case .week: first.adding(days: 7 * direction)
        case .months(let count): first.adding(months: count.months * direction)
        }
    }
}

extension Int {
    /// The number of months that a bar may have, so that it divides the year.
    fileprivate var months: Int { 12 % Swift.max(self, 1) == 0 ? Swift.max(self, 1) : 1 }
}

extension CalendarDate.Weekday {
    fileprivate var daysAfterMonday: Int {
        switch self {
        case .monday: 0
        case .tuesday: 1
        case .wednesday: 2
        case .thursday: 3
        case .friday: 4
        case .saturday: 5
        case .sunday: 6
        }
    }
}
