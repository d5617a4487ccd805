package import NIOCore

/// How many requests one client may send.
package struct RateLimit: Sendable, Hashable {
    /// Between two requests, on average; a microsecond to an hour.
    let interval: TimeAmount
    /// At once, after a pause; 1 to 1,000,000.
    let burst: Int

    package init(every interval: TimeAmount, burst: Int) {
        self.interval = min(max(.microseconds(1), interval), .hours(1))
        self.burst = min(max(1, burst), 1_000_000)
    }

    /// A limit by the second.
    ///
    /// - Parameters:
    ///   - perSecond: on average; 1 to 1,000,000.
    ///   - burst: at once, after a pause; 1 to 1,000,000.
    package init(perSecond: Int, burst: Int) {
        self.init(every: .nanoseconds(1_000_000_000 / Int64(min(max(1, perSecond), 1_000_000))), burst: burst)
    }

    /// How far a client may be ahead of that.
    var tolerance: TimeAmount { .nanoseconds(interval.nanoseconds * Int64(burst)) }
}
