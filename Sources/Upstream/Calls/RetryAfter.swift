package import Brokerage

/// The header field `Retry-After`; RFC 9110, section 10.2.3.
package enum RetryAfter: Hashable, Sendable {
    case seconds(Int64)
    case date(Instant)

    /// Nil for a value that says nothing readable.
    init?(_ text: String) {
        if let seconds = Int64(text), seconds >= 0 {
            self = .seconds(seconds)
        } else if let date = Self.date(text) {
            self = .date(date)
        } else {
            return nil
        }
    }

    /// When to come again, for one who was told so now.
    package func instant(from now: Instant) -> Instant {
        switch self {
        case .seconds(let seconds): now + .seconds(seconds)
        case .date(let date): date
        }
    }

    /// When the response says to come again.
    ///
    /// Nil where it says nothing readable.
    package static func instant(in response: HTTPClientResponse, now: Instant) -> Instant? {
        response["Retry-After"].flatMap(RetryAfter.init)?.instant(from: now)
    }

    /// The one form of HTTP's dates that is still sent: `Sun, 06 Nov 1994 08:49:37 GMT`.
    private static func date(_ text: String) -> Instant? {
        let words = text.split(separator: " ", omittingEmptySubsequences: false)
        guard words.count == 6, words[0].hasSuffix(","), words[5] == "GMT",
            let month = months.firstIndex(of: words[2]), words[1].utf8.count == 2, words[3].utf8.count == 4
        else { return nil }
        let number = month + 1
        return Instant("\(words[3])-\(number < 10 ? "0" : "")\(number)-\(words[1])T\(words[4])Z")
    }

    private static let months: [Substring] = [
        "Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec",
    ]
}
