/// A rate: `burst` calls at once after a pause, and then one in each `interval`.
package struct CallRate: Hashable, Sendable {
    /// 1 to 10,000,000.
    package let burst: Int
    /// A microsecond to an hour.
    package let interval: Duration
    /// The time that an empty bucket takes to be full.
    ///
    /// It is stored, because each request needs it, and a product of durations takes 70 ns.
    package let capacity: Duration

    package init(burst: Int, every interval: Duration) {
        self.burst = min(max(1, burst), 10_000_000)
        self.interval = min(max(.microseconds(1), interval), .seconds(3_600))
        capacity = self.interval * self.burst
    }

    /// A rate of `count` an hour.
    ///
    /// After a pause of an hour all of them are allowed at once.
    package init(perHour count: Int) {
        self.init(burst: count, every: .seconds(3_600) / max(1, count))
    }

    /// The rate that allows what one of the two rates allows.
    package func union(_ other: CallRate) -> CallRate {
        CallRate(burst: max(burst, other.burst), every: min(interval, other.interval))
    }

    /// The time that one call takes of a bucket, if several replicas share the rate; never more than all of it, so that
    /// a single call is allowed.
    package func cost(dividedBy replicas: Int) -> Duration {
        replicas == 1 ? interval : min(interval * replicas, capacity)
    }
}
