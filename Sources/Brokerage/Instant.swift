import Glibc

/// A point in time, to the nanosecond, from the year 0001 to the end of 9999, both in UTC.
///
/// The range is part of the type, so no sum of instants and durations traps, and each can be written in RFC 3339.
package struct Instant: Sendable, Hashable {
    /// Whole seconds since 1970-01-01T00:00:00Z without leap seconds, rounded down.
    package let secondsSince1970: Int64
    /// 0 to 999,999,999, after the whole second.
    package let nanoseconds: Int32

    /// Nil outside of the years 0001 to 9999, and when `nanoseconds` is not in 0 to 999,999,999.
    package init?(secondsSince1970: Int64, nanoseconds: Int32 = 0) {
        guard Self.earliest.secondsSince1970 <= secondsSince1970,
            secondsSince1970 <= Self.latest.secondsSince1970, (0...999_999_999).contains(nanoseconds)
        else { return nil }
        self.init(uncheckedSeconds: secondsSince1970, nanoseconds: nanoseconds)
    }

    /// Nil outside of the years 0001 to 9999.
    package init?(millisecondsSince1970 milliseconds: Int64) {
        let (seconds, rest) = Self.floorDivide(milliseconds, by: 1_000)
        self.init(secondsSince1970: seconds, nanoseconds: Int32(rest * 1_000_000))
    }

    /// Nil outside of the years 0001 to 9999, and when `nanoseconds` is not in 0 to 999,999.
    package init?(millisecondsSince1970 milliseconds: Int64, nanoseconds: Int64) {
        guard (0...999_999).contains(nanoseconds), let whole = Self(millisecondsSince1970: milliseconds)
        else {
            return nil
        }
        self.init(
            uncheckedSeconds: whole.secondsSince1970, nanoseconds: whole.nanoseconds + Int32(nanoseconds))
    }

    /// Every `Int64` is inside the range: 1677 to 2262.
    package init(nanosecondsSince1970 nanoseconds: Int64) {
        let (seconds, rest) = Self.floorDivide(nanoseconds, by: 1_000_000_000)
        self.init(uncheckedSeconds: seconds, nanoseconds: Int32(rest))
    }

    private init(uncheckedSeconds seconds: Int64, nanoseconds: Int32) {
        self.secondsSince1970 = seconds
        self.nanoseconds = nanoseconds
    }

    /// 0001-01-01T00:00:00Z.
    package static let earliest = Instant(uncheckedSeconds: -62_135_596_800, nanoseconds: 0)
    /// 9999-12-31T23:59:59.999999999Z.
    package static let latest = Instant(uncheckedSeconds: 253_402_300_799, nanoseconds: 999_999_999)

    /// Whole milliseconds since 1970-01-01T00:00:00Z, rounded down.
    package var millisecondsSince1970: Int64 {
        secondsSince1970 * 1_000 + Int64(nanoseconds / 1_000_000)
    }

    /// The nanoseconds after the whole millisecond, 0 to 999,999.
    package var nanosecondsOfMillisecond: Int64 { Int64(nanoseconds % 1_000_000) }

    private static func floorDivide(_ value: Int64, by divisor: Int64) -> (Int64, Int64) {
        let (quotient, remainder) = value.quotientAndRemainder(dividingBy: divisor)
        return remainder < 0 ? (quotient - 1, remainder + divisor) : (quotient, remainder)
    }
}

extension Instant: Comparable {
    package static func < (left: Instant, right: Instant) -> Bool {
        left.secondsSince1970 == right.secondsSince1970
            ? left.nanoseconds < right.nanoseconds : left.secondsSince1970 < right.secondsSince1970
    }
}

extension Instant {
    /// The instant that is later by a duration, to the nanosecond; ``latest`` or ``earliest`` if it would be
    /// out of range.
    package static func + (instant: Instant, duration: Duration) -> Instant {
        let (seconds, attoseconds) = duration.components
        let nanoseconds = Int64(instant.nanoseconds) + attoseconds / 1_000_000_000
        let (carry, rest) = floorDivide(nanoseconds, by: 1_000_000_000)
        let (sum, over) = instant.secondsSince1970.addingReportingOverflow(seconds)
        let (carried, overAgain) = sum.addingReportingOverflow(carry)
        guard !over, !overAgain else { return seconds < 0 ? earliest : latest }
        if carried < earliest.secondsSince1970 { return earliest }
        if carried > latest.secondsSince1970 { return latest }
        return Instant(uncheckedSeconds: carried, nanoseconds: Int32(rest))
    }

    package static func - (instant: Instant, duration: Duration) -> Instant {
        instant + (.zero - duration)
    }

    /// The time from `earlier` to this instant, below zero when it is later.
    package func duration(since earlier: Instant) -> Duration {
        .seconds(secondsSince1970 - earlier.secondsSince1970)
            + .nanoseconds(Int64(nanoseconds) - Int64(earlier.nanoseconds))
    }

    /// The day in UTC.
    package var dateInUTC: CalendarDate {
        dayAndSecond(offset: 0).date
    }

    /// The day and its second at a fixed offset from UTC, in seconds and less than a day; at the ends of the
    /// range the day does not leave it.
    func dayAndSecond(offset: Int) -> (date: CalendarDate, second: Int) {
        let local = secondsSince1970 + Int64(offset)
        let (day, second) = Self.floorDivide(local, by: 86_400)
        if let date = CalendarDate(daysSince1970: Int(day)) { return (date, Int(second)) }
        return local < 0 ? (.earliest, 0) : (.latest, 86_399)
    }

    /// A number of seconds after midnight UTC; nil if it is out of range.
    init?(date: CalendarDate, second: Int, nanoseconds: Int32 = 0) {
        self.init(
            secondsSince1970: Int64(date.daysSince1970) * 86_400 + Int64(second), nanoseconds: nanoseconds)
    }
}

extension Instant {
    /// The time of the machine's wall clock.
    ///
    /// It can be set back between two calls: use `ContinuousClock` for deadlines.
    package static var now: Instant {
        var time = timespec()
        // The kernel writes the structure and stores no pointer to it.
        unsafe clock_gettime(CLOCK_REALTIME, &time)
        let now = Instant(secondsSince1970: Int64(time.tv_sec), nanoseconds: Int32(time.tv_nsec))
        return now ?? .earliest
    }
}

/// A date and a time of day as a clock on the wall shows them.
package struct LocalTime: Sendable, Hashable {
    package let date: CalendarDate
    /// Seconds since midnight by the clock on the wall, 0 to 86,399.
    package let secondOfDay: Int

    /// Nil unless `hour` is 0 to 23, and `minute` and `second` are 0 to 59.
    package init?(date: CalendarDate, hour: Int, minute: Int = 0, second: Int = 0) {
        guard (0..<24).contains(hour), (0..<60).contains(minute), (0..<60).contains(second) else {
            return nil
        }
        self.init(date: date, secondOfDay: hour * 3600 + minute * 60 + second)
    }

    init(date: CalendarDate, secondOfDay: Int) {
        self.date = date
        self.secondOfDay = secondOfDay
    }

    package var hour: Int { secondOfDay / 3600 }
    package var minute: Int { secondOfDay / 60 % 60 }
    package var second: Int { secondOfDay % 60 }
}

/// The time of the American exchanges (America/New_York), by the rule of the Energy Policy Act of 2005: daylight
/// time from the second Sunday of March, 02:00, to the first Sunday of November, 02:00.
///
/// The rule holds since 2007 and is applied to earlier years as if it had always held: there, for some weeks of
/// spring and autumn, it is an hour off.
extension Instant {
    /// Seconds to add to UTC: -14,400 in daylight time (EDT), -18,000 in standard time (EST).
    package var newYorkOffset: Int {
        let year = dateInUTC.year
        guard let spring = Self.springForward(year), let autumn = Self.fallBack(year) else {
            return Self.standardOffset
        }
        return spring <= self && self < autumn ? Self.daylightOffset : Self.standardOffset
    }

    /// Date and time by a clock in New York: the date is the trading day.
    package var inNewYork: LocalTime {
        let (date, second) = dayAndSecond(offset: newYorkOffset)
        return LocalTime(date: date, secondOfDay: second)
    }

    /// When a clock in New York shows `local`.
    ///
    /// Of the hour that autumn repeats, the first; a time that spring skips counts as an hour later.
    package init(newYork local: LocalTime) {
        let daylight = Instant(date: local.date, second: local.secondOfDay - Self.daylightOffset)
        if let daylight, daylight.newYorkOffset == Self.daylightOffset {
            self = daylight
        } else {
            // Nil only in the last hours of 9999.
            self = Instant(date: local.date, second: local.secondOfDay - Self.standardOffset) ?? .latest
        }
    }

    /// Midnight in New York, with which a day begins there.
    package init(newYorkMidnight date: CalendarDate) {
        self.init(newYork: LocalTime(date: date, secondOfDay: 0))
    }

    /// The start of the interval that contains this time, in seconds since 1970: for a day and longer, midnight in New York of
    /// its first day; for a part of a day, this time.
    package func newYorkStart(of interval: Interval) -> Int64 {
        if interval.isIntraday { return secondsSince1970 }
        return Instant(newYorkMidnight: interval.firstDay(around: inNewYork.date)).secondsSince1970
    }

    private static let daylightOffset = -4 * 3600
    private static let standardOffset = -5 * 3600

    private static func springForward(_ year: Int) -> Instant? {
        sunday(2, ofMonth: 3, year).flatMap { Instant(date: $0, second: 2 * 3600 - standardOffset) }
    }

    private static func fallBack(_ year: Int) -> Instant? {
        sunday(1, ofMonth: 11, year).flatMap { Instant(date: $0, second: 2 * 3600 - daylightOffset) }
    }

    private static func sunday(_ count: Int, ofMonth month: Int, _ year: Int) -> CalendarDate? {
        guard let first = CalendarDate(year: year, month: month, day: 1) else { return nil }
        let daysToSunday = (7 - first.daysSinceSunday) % 7
        return first.adding(days: daysToSunday + (count - 1) * 7)
    }
}
