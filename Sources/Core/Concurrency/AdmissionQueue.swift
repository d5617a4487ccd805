import Synchronization

/// Limits how many requests or calls are executed at the same time, and how many wait for that.
///
/// A lock guards the counts, because requests and calls begin and end on any thread.
package final class AdmissionQueue: Sendable {
    private let limit: Int
    private let queueLimit: Int
    private let state = Mutex(State())

    private struct State {
        var admitted = 0
        /// Those who wait, by the order in which they came.
        var waiting: [Ticket: @Sendable () -> Void] = [:]
        var oldest: Ticket = 0
        var next: Ticket = 0

        mutating func admit(within limit: Int) -> Bool {
            guard admitted < limit else { return false }
            admitted += 1
            return true
        }
    }

    /// A place in the queue.
    package typealias Ticket = UInt64

    package enum Entry: Sendable {
        /// `release` must follow.
        case admitted
        /// The request waits: its closure is called on any thread, unless `withdraw` is called before.
        case queued(Ticket)
        case full
    }

    package init(limit: Int, queueLimit: Int) {
        self.limit = limit
        self.queueLimit = queueLimit
    }

    /// Takes a slot if one is free; `release` must follow.
    package func acquireIfFree() -> Bool {
        state.withLock { $0.admit(within: limit) }
    }

    /// Requests a slot, now or after waiting.
    ///
    /// - Parameters:
    ///   - isReturning: Whether the request had a slot before. It waits also if the queue is full: as many can as there are
    ///     connections and streams.
    ///   - onAdmission: Called when a request that waits gets its slot.
    /// - Returns: Whether the request has the slot, or waits.
    package func acquire(isReturning: Bool = false, onAdmission: @escaping @Sendable () -> Void) -> Entry {
        state.withLock { state in
            if state.admit(within: limit) { return .admitted }
            guard isReturning || state.waiting.count < queueLimit else { return .full }
            let ticket = state.next
            state.next += 1
            state.waiting[ticket] = onAdmission
            return .queued(ticket)
        }
    }

    /// Returns a slot: the request that has waited longest gets it, and must return it.
    ///
    /// A slot beyond the limit is not passed on: the requests in the queue wait until the number is within the limit.
    package func release() {
        let resume: (@Sendable () -> Void)? = state.withLock { state in
            if state.admitted > limit {
                state.admitted -= 1
                return nil
            }
            while state.oldest < state.next {
                let ticket = state.oldest
                state.oldest += 1
                if let resume = state.waiting.removeValue(forKey: ticket) { return resume }
            }
            state.admitted -= 1
            return nil
        }
        resume?()
    }

    /// Takes a slot beyond the limit, for a request that is about to end and to return it.
    fileprivate func acquireBeyondLimit() { state.withLock { $0.admitted += 1 } }

    /// Cancels the wait; false if the closure was called already, and `release` must follow.
    package func withdraw(_ ticket: Ticket) -> Bool {
        state.withLock { $0.waiting.removeValue(forKey: ticket) != nil }
    }

    /// The numbers of requests that load data and that wait, for metrics.
    package var occupancy: (admitted: Int, waiting: Int) {
        state.withLock { ($0.admitted, $0.waiting.count) }
    }
}

/// The slot of an admission queue that the current request has.
package final class AdmissionSlot: Sendable {
    private let queue: AdmissionQueue
    // The tasks of one request, such as those of a batch, can wait at the same time; held for a comparison.
    private let isReleased = Mutex(false)

    /// Nil outside of a request that has a slot.
    @TaskLocal private static var current: AdmissionSlot?

    private init(of queue: AdmissionQueue) {
        self.queue = queue
    }

    /// Runs a request that has a slot of a queue, which the caller returns afterwards.
    package static func held<Value>(
        of queue: AdmissionQueue, by request: () async throws -> Value
    ) async throws -> Value {
        try await $current.withValue(AdmissionSlot(of: queue), operation: request)
    }

    /// Runs a closure without the slot of the current request, which waits for one again afterwards.
    ///
    /// It is for waits that a client can cause for nothing, such as for an identity provider that does not respond: they must
    /// not keep other requests from a slot. If several tasks of a request call it at the same time, the first one returns
    /// the slot and waits for it again.
    ///
    /// - Parameter body: The closure. If the request is cancelled, the function returns without a wait.
    /// - Returns: The result of `body`.
    /// - Throws: The error of `body`.
    package static func released<Value, Failure: Error>(
        during body: () async throws(Failure) -> Value
    ) async throws(Failure) -> Value {
        guard let slot = current, slot.release() else { return try await body() }
        let result = await Result.of(body)
        await slot.reacquire()
        return try result.get()
    }

    /// Returns the slot; false if another task of the request has returned it.
    private func release() -> Bool {
        let isFirst = isReleased.withLock { isReleased in
            defer { isReleased = true }
            return !isReleased
        }
        if isFirst { queue.release() }
        return isFirst
    }

    private func reacquire() async {
        defer { isReleased.withLock { $0 = false } }
        let (admissions, admission) = AsyncStream.makeStream(of: Void.self)
        let entry = queue.acquire(isReturning: true) { admission.yield() }
        guard case .queued(let ticket) = entry else { return }
        var iterator = admissions.makeAsyncIterator()
        // Nil if the request was cancelled.
        if await iterator.next() == nil, queue.withdraw(ticket) { queue.acquireBeyondLimit() }
    }
}
