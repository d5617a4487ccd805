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
