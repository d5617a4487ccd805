package import Brokerage

/// The policy of retries of reads.
package struct RetryPolicy: Sendable {
    /// Calls in all, the first included; at least 1.
    package var attempts = 3
    /// The pause after the first failure, before jitter; it doubles with each further one.
    package var pause = Duration.milliseconds(100)
    package var maximumPause = Duration.seconds(2)
    /// One attempt may take no longer, so that a stuck connection leaves time for another.
    package var attemptTimeout = Duration.seconds(10)
    /// Returns the fraction of the pause that is waited, 0 to 1: without jitter, all calls that failed together would
    /// be repeated together.
    package var jitter: @Sendable () -> Double = { Double.random(in: 0.5...1) }

    package init() {}

    /// The pause after the given failure, counted from 1.
    package func pause(after failure: Int) -> Duration {
        // 2^16 pauses are longer than any that is allowed.
        let doubled = pause * (1 << min(max(failure - 1, 0), 16))
        return min(doubled, maximumPause) * jitter()
    }
}

extension ProviderFailure.Cause {
    /// The time of the next attempt that the provider requested.
    package var retryAt: Instant? {
        switch self {
        case .rateLimited(let retryAt), .quotaExhausted(let retryAt), .notAllowed(.sharedQuota(let retryAt)):
            retryAt
        case .circuitOpen(let retryAt), .notAllowed(.client(_, let retryAt)),
            .notAllowed(.uncounted(let retryAt)):
            retryAt
        case .unavailable, .timedOut, .invalidResponse, .unauthorized, .notEntitled, .notFound, .unsupported,
            .overloaded, .tooMany, .feedFull, .cancelled, .notAllowed(.operation):
            nil
        }
    }
}

/// The header field `Retry-After`; RFC 9110, section 10.2.3.
package enum RetryAfter: Hashable, Sendable {
    case seconds(Int64)
    case date(Instant)

    /// Nil for a malformed value.
    init?(_ text: String) {
        if let seconds = Int64(text), seconds >= 0 {
            self = .seconds(seconds)
        } else if let date = Self.date(text) {
            self = .date(date)
        } else {
            return nil
        }
    }

    /// The time of the next attempt, if the response arrived at the given time.
    package func instant(from now: Instant) -> Instant {
        switch self {
        case .seconds(let seconds): now + .seconds(seconds)
        case .date(let date): date
        }
    }

    /// The time of the next attempt in a response.
    ///
    /// Nil if the response has none that is valid.
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
