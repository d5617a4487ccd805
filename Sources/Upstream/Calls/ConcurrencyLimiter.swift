package import Brokerage
import PorticoCore

/// Lets a bounded number of calls be in flight; others wait in the order in which they came.
package struct ConcurrencyLimiter: Sendable {
    /// The reason why a call got no slot.
    package enum Failure: Error {
        case timedOut
        case cancelled
        /// More wait already than the bound.
        case overloaded
    }

    private let queue: AdmissionQueue
    private let clock: TimeSource

    /// - Parameters:
    ///   - limit: The maximum number of calls in flight; at least 1.
    ///   - maximumQueueLength: The maximum number of waiting calls.
    ///   - clock: The clock of the deadlines.
    package init(limit: Int, maximumQueueLength: Int = 1_024, clock: TimeSource) {
        queue = AdmissionQueue(limit: max(limit, 1), queueLimit: maximumQueueLength)
        self.clock = clock
    }

    /// Returns when the call may be sent; ``release()`` must follow.
    package func acquire(before deadline: ContinuousClock.Instant) async throws(Failure) {
        // Most calls need no stream.
        if queue.acquireIfFree() { return }
        let (admissions, admission) = AsyncStream.makeStream(of: Void.self)
        switch queue.acquire(onAdmission: { admission.yield() }) {
        case .admitted: return
        case .full: throw .overloaded
        case .queued(let ticket):
            let timeout = Task { [clock] in
                if (try? await clock.sleep(deadline)) != nil { admission.finish() }
            }
            defer { timeout.cancel() }
            var iterator = admissions.makeAsyncIterator()
            // A call that gets its slot at the moment at which its wait ends has the slot.
            guard await iterator.next() == nil, queue.withdraw(ticket) else { return }
            throw Task.isCancelled ? .cancelled : .timedOut
        }
    }

    /// The call has ended.
    package func release() { queue.release() }
}

extension ProviderFailure.Cause {
    init(_ failure: ConcurrencyLimiter.Failure) {
        switch failure {
        case .timedOut: self = .timedOut
        case .cancelled: self = .cancelled
        case .overloaded: self = .overloaded
        }
    }
}
