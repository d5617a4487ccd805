import Brokerage
import Upstream

/// What a response tells of its host's rate limit, which counts by the minute for each credential.
///
/// The fields are `X-RateLimit-Limit`, `-Remaining` and `-Reset`; the last counts seconds since 1970, not seconds that
/// are left.
enum AlpacaRateLimit {
    /// What is left; nothing where a response does not say.
    static func reportedQuotas(of host: AlpacaHost, in response: HTTPClientResponse) -> [ReportedQuota] {
        guard let remaining = count(response["X-RateLimit-Remaining"]) else { return [] }
        let limit = count(response["X-RateLimit-Limit"])
        return [
            ReportedQuota(
                name: host.rawValue, limit: limit, remaining: remaining, resetsAt: reset(in: response))
        ]
    }

    /// When to ask again after a 429: `Retry-After`, which Alpaca's own clients honour, else the end of the window.
    static func retryAt(in response: HTTPClientResponse, now: Instant) -> Instant? {
        if let instant = RetryAfter.instant(in: response, now: now) { return instant }
        // A window that is over already tells nothing about the next.
        return reset(in: response).flatMap { $0 > now ? $0 : nil }
    }

    private static func count(_ text: String?) -> Int? {
        text.flatMap { Int($0) }.flatMap { $0 >= 0 ? $0 : nil }
    }

    private static func reset(in response: HTTPClientResponse) -> Instant? {
        response["X-RateLimit-Reset"].flatMap { Int64($0) }.flatMap { Instant(secondsSince1970: $0) }
    }
}
