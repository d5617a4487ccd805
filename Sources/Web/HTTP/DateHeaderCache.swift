import NIOCore
import PorticoCore
import Synchronization

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#endif

/// The value of the Date field, formed once a second.
final class DateHeaderCache: Sendable {
    /// A mutex, because all event loops share the text.
    private let latest = Mutex((second: Int.min, text: ""))

    /// The value now.
    var text: String {
        let now = time(nil)
        return latest.withLock { latest in
            if latest.second != now { latest = (now, HTTPDate.text(secondsSince1970: now)) }
            return latest.text
        }
    }

    func write(into buffer: inout ByteBuffer) {
        buffer.writeString(text)
    }
}

/// Dates as HTTP writes them (RFC 9110, section 5.6.7): `Sun, 06 Nov 1994 08:49:37 GMT`.
package enum HTTPDate {
    package static func text(secondsSince1970 seconds: Int) -> String {
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
