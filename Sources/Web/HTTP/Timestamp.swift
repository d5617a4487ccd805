#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#endif

/// Times as RFC 3339 has them, in UTC, to the millisecond.
enum Timestamp {
    /// The time now, or so many seconds later.
    static func now(plus seconds: Int = 0) -> String {
        var time = timespec()
        // Fills the structure that it is given.
        _ = unsafe clock_gettime(CLOCK_REALTIME, &time)
        return text(secondsSince1970: time.tv_sec + seconds, milliseconds: time.tv_nsec / 1_000_000)
    }

    static func text(secondsSince1970 seconds: Int, milliseconds: Int) -> String {
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
