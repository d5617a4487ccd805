/// A token bucket at one moment, as the time until it is full (the generic cell rate algorithm).
///
/// A call takes an interval of its rate. Who stores a bucket stores the time at which it is full; an earlier one than now is
/// a full bucket.
package struct TokenBucket: Hashable, Sendable {
    /// Never below zero.
    package private(set) var untilFull: Duration

    package init(untilFull: Duration = .zero) {
        self.untilFull = max(untilFull, .zero)
    }

    /// Takes a call out of the bucket.
    ///
    /// - Parameters:
    ///   - rate: The rate.
    ///   - replicas: The number of replicas that share the rate, each with a part of it.
    /// - Returns: Nil if there was room; otherwise the time until there is room, and nothing is taken.
    package mutating func take(_ rate: CallRate, dividedBy replicas: Int = 1) -> Duration? {
        let next = untilFull + rate.cost(dividedBy: replicas)
        let excess = next - rate.capacity
        guard excess <= .zero else { return excess }
        untilFull = next
        return nil
    }
}
