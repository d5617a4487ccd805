import NIOCore
import Synchronization

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#endif

/// The value of the Date field, formed once a second.
final class DateStamp: Sendable {
    private let latest = Mutex((second: Int.min, text: ""))

    func write(into buffer: inout ByteBuffer) {
        let now = time(nil)
        let text = latest.withLock { latest in
            if latest.second != now { latest = (now, HTTPDate.text(secondsSince1970: now)) }
            return latest.text
        }
        buffer.writeString(text)
    }
}

/// Dates as HTTP writes them (RFC 9110, section 5.6.7): `Sun, 06 Nov 1994 08:49:37 GMT`.
enum HTTPDate {
    static func text(secondsSince1970 seconds: Int) -> String {
        let (days, second) = seconds.flooredDivision(by: 86_400)
        let date = CivilDate(daysSince1970: days)
        let time = [second / 3600, second / 60 % 60, second % 60].map(twoDigits).joined(separator: ":")
        let weekday = weekdays[(days + 4).flooredDivision(by: 7).remainder]
        return "\(weekday), \(twoDigits(date.day)) \(months[date.month - 1]) \(date.year) \(time) GMT"
    }

    private static let weekdays = ["Sun", "Mon", "Tue", "Wed", "Thu", "Fri", "Sat"]
    private static let months = [
        "Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec",
    ]

    private static func twoDigits(_ number: Int) -> String {
        number < 10 ? "0\(number)" : "\(number)"
    }
}

/// A day of the Gregorian calendar.
///
/// Counted in years from March, so that the leap day is a year's last one.
private struct CivilDate {
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

extension Int {
    /// Division that rounds down, so that the remainder is never negative.
    fileprivate func flooredDivision(by divisor: Int) -> (quotient: Int, remainder: Int) {
        let (quotient, remainder) = quotientAndRemainder(dividingBy: divisor)
        return remainder < 0 ? (quotient - 1, remainder + divisor) : (quotient, remainder)
    }
}
