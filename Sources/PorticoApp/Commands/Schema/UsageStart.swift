import Brokerage
import PorticoCore

/// The value of `--since`: the time at which a period of counted uses begins.
struct UsageStart {
    /// RFC 3339 in UTC with whole seconds, the form of the times of counted uses, so that texts can be compared.
    let text: String

    /// Reads a date, which begins at 00:00 UTC, or a time with an offset.
    ///
    /// A fraction of a second is rounded up: the times of counted uses have none.
    ///
    /// - Throws: `UsageError` for any other text.
    init(_ text: String) throws(UsageError) {
        let start = CalendarDate(text).flatMap { Instant("\($0)T00:00:00Z") } ?? Instant(text)
        let seconds = start.map { $0.secondsSince1970 + ($0.nanoseconds > 0 ? 1 : 0) }
        guard let instant = seconds.flatMap({ Instant(secondsSince1970: $0) }) else {
            throw UsageError(
                """
                --since is "\(text)"; it takes a date such as 2026-06-01, or a time with its offset such as \
                2026-06-01T12:00:00Z.
                """)
        }
        self.text = "\(instant)"
    }
}
