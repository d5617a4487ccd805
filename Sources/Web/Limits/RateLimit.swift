import NIOCore

/// How many requests one client may send.
package struct RateLimit: Sendable, Hashable {
    /// On average; 1 to 1,000,000.
    package var perSecond: Int
    /// At once, after a pause; at least 1.
    package var burst: Int

    package init(perSecond: Int, burst: Int) {
        self.perSecond = min(max(1, perSecond), 1_000_000)
        self.burst = min(max(1, burst), 1_000_000)
    }

    /// Between two requests, on average.
    var interval: TimeAmount { .nanoseconds(1_000_000_000 / Int64(perSecond)) }
    /// How far a client may be ahead of that.
    var tolerance: TimeAmount { .nanoseconds(interval.nanoseconds * Int64(burst)) }
}
