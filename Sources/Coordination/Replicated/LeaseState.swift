import Storage

/// The times of a lease.
package struct LeaseTimes: Hashable, Sendable {
    /// The time after which another process may take the lease, by the database's clock.
    package var lifetime: Duration
    /// The time between two renewals.
    package var renewal: Duration
    /// The time after which the owner stops, by its own clock, measured from before it sent the last renewal.
    ///
    /// It is shorter than ``lifetime``, so that the owner has stopped when another process takes the lease.
    package var fence: Duration
    /// The time between two attempts to take a lease that another process holds, or that could not be renewed.
    package var retry: Duration

    package init(
        lifetime: Duration = ReplicaTable.lifetime, renewal: Duration = .seconds(3),
        fence: Duration = .seconds(8),
        retry: Duration = .seconds(1)
    ) {
        (self.lifetime, self.renewal, self.fence, self.retry) = (lifetime, renewal, fence, retry)
    }
}

/// The view that one process has of one lease: a state machine without I/O.
///
/// The process holds the lease from the response that grants it until the fence, which its own monotonic clock determines.
/// The clock runs while the process is stopped, so a process that continues after a pause knows that its lease has ended.
/// A response that does not arrive changes nothing: the lease is held until the fence of the last response.
package struct LeaseState: Hashable, Sendable {
    private let times: LeaseTimes
    private var held: Held?
    /// When the request that has no response yet was sent.
    private var requestedAt: ContinuousClock.Instant?
    private var nextRequest: ContinuousClock.Instant?

    private struct Held: Hashable {
        let epoch: Int64
        var fence: ContinuousClock.Instant
    }

    /// A change of the holder's view.
    package enum Change: Hashable, Sendable {
        case none
        /// The process holds the lease, with an epoch that is greater than those of all earlier owners.
        case acquired(epoch: Int64)
        /// The process no longer holds the lease: all work under it must stop now.
        case lost
        /// Another process held the lease in between, or its epoch was raised.
        case replaced(epoch: Int64)
    }

    package init(_ times: LeaseTimes = LeaseTimes()) {
        self.times = times
    }

    /// The epoch of the lease if it is held at this time; nil otherwise.
    package func epoch(at now: ContinuousClock.Instant) -> Int64? {
        held.flatMap { now < $0.fence ? $0.epoch : nil }
    }

    /// When the lease ends at the earliest: the held one, or the one that a request in progress or a later one gets.
    package func fence(at now: ContinuousClock.Instant) -> ContinuousClock.Instant {
        if let held { return held.fence }
        let fence = (requestedAt ?? now) + times.fence
        // A response that arrives after the fence grants nothing.
        return now < fence ? fence : now + times.fence
    }

    /// When the next request is due; nil if it is due at once.
    package var dueAt: ContinuousClock.Instant? { nextRequest }

    /// Begins a request if one is due and none is in progress.
    ///
    /// - Returns: Whether the request must be sent now. Its time counts from this moment.
    package mutating func request(at now: ContinuousClock.Instant) -> Bool {
        guard requestedAt == nil, nextRequest.map({ $0 <= now }) ?? true else { return false }
        requestedAt = now
        return true
    }

    /// Applies a response that grants the lease.
    package mutating func granted(_ epoch: Int64, at now: ContinuousClock.Instant) -> Change {
        guard let requestedAt else { return .none }
        self.requestedAt = nil
        let fence = requestedAt + times.fence
        let old = held
        // A response that arrived after the fence grants nothing.
        guard now < fence else {
            nextRequest = nil
            return expire(at: now)
        }
        nextRequest = requestedAt + times.renewal
        held = Held(epoch: epoch, fence: fence)
        guard let old else { return .acquired(epoch: epoch) }
        return old.epoch == epoch && now < old.fence ? .none : .replaced(epoch: epoch)
    }

    /// Applies a response by which another process holds the lease.
    package mutating func refused(at now: ContinuousClock.Instant) -> Change {
        requestedAt = nil
        nextRequest = now + times.retry
        defer { held = nil }
        return held == nil ? .none : .lost
    }

    /// Records that a request has no response: it may have been executed.
    package mutating func failed(at now: ContinuousClock.Instant) -> Change {
        requestedAt = nil
        nextRequest = now + times.retry
        return expire(at: now)
    }

    /// Ends the lease at its fence.
    package mutating func expire(at now: ContinuousClock.Instant) -> Change {
        guard let held, held.fence <= now else { return .none }
        self.held = nil
        return .lost
    }

    /// Ends the lease before its fence, for its release.
    package mutating func end() { held = nil }
}
