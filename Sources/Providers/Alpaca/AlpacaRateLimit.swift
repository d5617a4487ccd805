package import Brokerage
package import Upstream

/// What a response tells of a host's rate limit, which counts by the minute for each credential.
package struct AlpacaRateLimit: Sendable, Hashable {
    package let host: AlpacaHost
    /// Calls in a window.
    package let limit: Int
    /// Calls that are left in the running window.
    package let remaining: Int
    /// When all are there again; nil where the response does not say.
    package let resetsAt: Instant?

    /// Reads the fields `X-RateLimit-Limit`, `-Remaining` and `-Reset`; nil without the first two.
    package init?(of host: AlpacaHost, _ response: HTTPResponse) {
        guard let limit = response["X-RateLimit-Limit"].flatMap({ Int($0) }), limit >= 0,
            let remaining = response["X-RateLimit-Remaining"].flatMap({ Int($0) }), remaining >= 0
        else { return nil }
        self.host = host
        self.limit = limit
        self.remaining = remaining
        resetsAt = Self.reset(in: response)
    }

    /// When to ask again after a 429: `Retry-After`, which Alpaca's own clients honour, else the end of the window.
    static func retryAt(in response: HTTPResponse, now: Instant) -> Instant? {
        if let instant = RetryAfter.instant(in: response, now: now) { return instant }
        // A window that is over already tells nothing about the next.
        return reset(in: response).flatMap { $0 > now ? $0 : nil }
    }

    /// Seconds since 1970, not seconds that are left.
    private static func reset(in response: HTTPResponse) -> Instant? {
        response["X-RateLimit-Reset"].flatMap { Int64($0) }.flatMap { Instant(secondsSince1970: $0) }
    }
}
