package import Brokerage
package import Upstream

/// The limits in Saxo's responses: `X-RateLimit-Session-Limit`, `-Remaining` and `-Reset`, and the same for
/// other dimensions.
///
/// `Reset` is the number of remaining seconds; 0 is less than a second.
package enum SaxoRateLimitHeaders {
    /// Orders that are placed, changed or cancelled, over all groups.
    static let orders = "orders"
    /// Reference data, beside the limit of its group.
    static let referenceData = "ref data"

    /// One order in a second.
    static let orderWindow = QuotaWindow(orders, limit: 1, per: .rolling(seconds: 1))

    package static func reportedQuotas(
        of group: SaxoServiceGroup, _ response: HTTPClientResponse, now: Instant
    )
        -> [ReportedQuota]
    {
        counts(in: response).compactMap { count in
            guard let remaining = count.remaining else { return nil }
            let name: String
            switch count.dimension {
            case .session: name = group.rawValue
            case .orders: name = orders
            case .referenceData: name = referenceData
            case .appDay, .instruments: return nil
            }
            return ReportedQuota(
                name: name, limit: count.limit, remaining: remaining,
                resetsAt: count.secondsLeft.map { now + .seconds($0) })
        }
    }

    /// The time of the next call after a 429: the latest reset of the exhausted limits, at least one second
    /// later.
    package static func retryAt(in response: HTTPClientResponse, now: Instant) -> Instant? {
        let stated = RetryAfter.instant(in: response, now: now)
        let ends = counts(in: response).filter { $0.remaining == 0 }.compactMap(\.secondsLeft)
        guard let last = ends.max() else { return stated }
        return max(now + .seconds(max(last, 1)), stated ?? now)
    }

    /// The dimension of a limit.
    private enum Dimension: CaseIterable {
        case session
        case orders
        case appDay
        case referenceData
        case instruments
    }

    private struct Count {
        var dimension: Dimension
        var limit: Int?
        var remaining: Int?
        var secondsLeft: Int64?
    }

    private static func counts(in response: HTTPClientResponse) -> [Count] {
        Dimension.allCases.map { dimension in
            let (limit, remaining, reset) =
                switch dimension {
                case .session:
                    (
                        response["X-RateLimit-Session-Limit"], response["X-RateLimit-Session-Remaining"],
                        response["X-RateLimit-Session-Reset"]
                    )
                case .orders:
                    (
                        response["X-RateLimit-SessionOrders-Limit"],
                        response["X-RateLimit-SessionOrders-Remaining"],
                        response["X-RateLimit-SessionOrders-Reset"]
                    )
                case .appDay:
                    (
                        response["X-RateLimit-AppDay-Limit"], response["X-RateLimit-AppDay-Remaining"],
                        response["X-RateLimit-AppDay-Reset"]
                    )
                case .referenceData:
                    (
                        response["X-RateLimit-RefDataMinute-Limit"],
                        response["X-RateLimit-RefDataMinute-Remaining"],
                        response["X-RateLimit-RefDataMinute-Reset"]
                    )
                case .instruments:
                    (
                        response["X-RateLimit-RefDataInstrumentsMinute-Limit"],
                        response["X-RateLimit-RefDataInstrumentsMinute-Remaining"],
                        response["X-RateLimit-RefDataInstrumentsMinute-Reset"]
                    )
                }
            return Count(
                dimension: dimension, limit: limit.flatMap { count($0) },
                remaining: remaining.flatMap { count($0) },
                secondsLeft: reset.flatMap { Int64($0) }.flatMap {
                    (0...maximumReset).contains($0) ? $0 : nil
                })
        }
    }

    private static func count(_ text: String) -> Int? {
        Int(text).flatMap { $0 >= 0 ? $0 : nil }
    }

    /// No limit counts longer than a day: a larger figure is none of seconds that are left.
    private static let maximumReset: Int64 = 86_400
}
