package import Brokerage

/// Open, high, low, close and volume of an interval; prices in the instrument's ticks, cents for a share.
package struct Bar: Sendable, Hashable {
    package var open: Int
    package var high: Int
    package var low: Int
    package var close: Int
    /// Shares.
    package var volume: Int

    /// The number of trades; at least one if there is volume.
    package var trades: Int { (volume + Self.sharesPerTrade - 1) / Self.sharesPerTrade }
    private static let sharesPerTrade = 75

    /// The volume-weighted average price of a share, with 6 decimals; see ``averagePrice(of:)``.
    package var averagePrice: Decimal { averagePrice(decimals: 2) }

    /// Returns the volume-weighted average price, with 4 decimals more than the instrument's prices.
    ///
    /// The market has no individual trades; the typical price (high + low + close) ÷ 3 is used instead.
    package func averagePrice(of instrument: FakeInstrument) -> Decimal {
        averagePrice(decimals: instrument.decimals)
    }

    private func averagePrice(decimals: Int) -> Decimal {
        guard let sum = Decimal(coefficient: Int128(high + low + close), scale: decimals),
            let average = try? sum.divided(by: 3, to: decimals + 4, .halfEven)
        else { return .zero }
        return average
    }

    /// Returns the bar of both intervals; `later` follows this one.
    package func joined(with later: Bar) -> Bar {
        Bar(
            open: open, high: max(high, later.high), low: min(low, later.low), close: later.close,
            volume: volume + later.volume)
    }
}

extension Decimal {
    /// Converts an amount of US cents to dollars.
    package init(cents: Int) {
        // A scale of two is valid for every decimal.
        self = Decimal(coefficient: Int128(cents), scale: 2) ?? .zero
    }
}

/// The length of each bar of a series.
package enum BarLength: Sendable, Hashable {
    /// 1 to 1,440 minutes; the count restarts each day.
    case minutes(Int)
    case day
    /// Monday to Friday.
    case week
    /// 1, 2, 3, 4, 6 or 12 months; the count restarts each year.
    case months(Int)

    package static let minute = BarLength.minutes(1)
    package static let hour = BarLength.minutes(60)
    package static let month = BarLength.months(1)
}

/// The origin of bars that are shorter than a day.
package enum BarAlignment: Sendable, Hashable {
    /// The beginning of the day by the instrument's ``TradingHours``: hours begin on the hour.
    case clock
    /// The market's opening at 09:30: hours begin at half past. Earlier hours count backwards from it.
    case opening
}

/// A bar with its start.
package struct TimedBar: Sendable, Hashable {
    /// Seconds since 1970: the first second of the bar.
    ///
    /// A day's bar starts with the day of the instrument's ``TradingHours``, a week's with its Monday, a month's
    /// with its first day.
    package let start: Int
    /// The trading day by the instrument's ``TradingHours``; the first day of the calendar's week or month.
    package let date: CalendarDate
    package let bar: Bar

    package init(start: Int, date: CalendarDate, bar: Bar) {
        self.start = start
        self.date = date
        self.bar = bar
    }
}

extension BarLength {
    /// Returns the first day of the day, week or months that contain a date; the date for lengths below a
    /// day.
    func period(of date: CalendarDate) -> CalendarDate? {
        switch self {
        case .minutes, .day: return date
        case .week: return date.adding(days: -date.weekday.daysAfterMonday)
        case .months(let count):
            let first = (date.month - 1) / count.months * count.months + 1
            return CalendarDate(year: date.year, month: first, day: 1)
        }
    }

    /// Returns the first day of the next or previous period; nil at the end of the calendar.
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
    /// The number of months, limited to divisors of 12.
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
