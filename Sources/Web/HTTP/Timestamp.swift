import PorticoCore

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#endif

/// Times as RFC 3339 has them, in UTC, to the millisecond.
package enum Timestamp {
    /// The current time, or a number of seconds later.
    static func now(plus seconds: Int = 0) -> String {
        var time = timespec()
        // Fills the structure that it is given.
        _ = unsafe clock_gettime(CLOCK_REALTIME, &time)
        return text(secondsSince1970: time.tv_sec + seconds, milliseconds: time.tv_nsec / 1_000_000)
    }

    package static func text(secondsSince1970 seconds: Int, milliseconds: Int) -> String {
        let (days, second) = seconds.flooredDivision(by: 86_400)
        let date = CivilDate(daysSince1970: days)
        let day = [padded(date.year, 4), padded(date.month, 2), padded(date.day, 2)].joined(separator: "-")
        let clock = [second / 3600, second / 60 % 60, second % 60].map { padded($0, 2) }.joined(
            separator: ":")
        return "\(day)T\(clock).\(padded(milliseconds, 3))Z"
    }

    private static func padded(_ number: Int, _ width: Int) -> String {
        let digits = "\(number)"
        return String(repeating: "0", count: max(0, width - digits.utf8.count)) + digits
    }
}

/// A day of the Gregorian calendar.
///
/// Counted in years from March, so that the leap day is a year's last one.
struct CivilDate {
    let year: Int
    let month: Int
    let day: Int

    init(daysSince1970 days: Int) {
        let (era, dayOfEra) = (days + 719_468).flooredDivision(by: 146_097)
        let yearOfEra = (dayOfEra - dayOfEra / 1460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
        let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
        let monthFromMarch = (5 * dayOfYear + 2) / 153
        day = dayOfYear - (153 * monthFromMarch + 2) / 5 + 1
        month = monthFromMarch < 10 ? monthFromMarch + 3 : monthFromMarch - 9
        year = era * 400 + yearOfEra + (month <= 2 ? 1 : 0)
    }
}
