import Synchronization

/// Limits how many requests load data at the same time, and how many wait for that.
///
/// A lock guards the counts, because all event loops share them.
final class AdmissionQueue: Sendable {
    private let limit: Int
    private let queueLimit: Int
    private let state = Mutex(State())

    private struct State {
        var admitted = 0
        /// Those who wait, by the order in which they came.
        var waiting: [Ticket: @Sendable () -> Void] = [:]
        var oldest: Ticket = 0
        var next: Ticket = 0
    }

    /// A place in the queue.
    typealias Ticket = UInt64

    enum Entry {
        /// `leave` must follow.
        case admitted
        /// The request waits: its closure is called on any thread, unless `withdraw` is called before.
        case queued(Ticket)
        case full
    }

    init(limit: Int, queueLimit: Int) {
        self.limit = limit
        self.queueLimit = queueLimit
    }

    /// Requests a slot, now or after waiting.
    ///
    /// - Parameters:
    ///   - isReturning: Whether the request had a slot before. It waits also if the queue is full: as many can as there are
    ///     connections and streams.
    ///   - onAdmission: Called when a request that waits gets its slot.
    /// - Returns: Whether the request has the slot, or waits.
    func acquire(isReturning: Bool = false, onAdmission: @escaping @Sendable () -> Void) -> Entry {
        state.withLock { state in
            if state.admitted < limit {
                state.admitted += 1
                return .admitted
            }
            guard isReturning || state.waiting.count < queueLimit else { return .full }
            let ticket = state.next
            state.next += 1
            state.waiting[ticket] = onAdmission
            return .queued(ticket)
        }
    }

    /// Returns a slot: the request that has waited longest gets it, and must return it.
    func release() {
        let resume: (@Sendable () -> Void)? = state.withLock { state in
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
    func withdraw(_ ticket: Ticket) -> Bool {
        state.withLock { $0.waiting.removeValue(forKey: ticket) != nil }
    }

    /// The numbers of requests that load data and that wait, for metrics.
    var occupancy: (admitted: Int, waiting: Int) {
        state.withLock { ($0.admitted, $0.waiting.count) }
    }
}

/// The slot of the admission queue that the current request has.
package enum AdmissionSlot {
    /// The queue; nil outside of a request that has a slot.
    @TaskLocal static var queue: AdmissionQueue?

    /// Runs a closure without the slot of the current request, which waits for one again afterwards.
    ///
    /// It is for waits that a client can cause for nothing, such as for the keys of an identity provider that does not respond:
    /// they must not keep other requests from a slot. One task of a request calls it at a time.
    ///
    /// - Parameter body: The closure. If the request is cancelled, the function returns without a wait.
    /// - Returns: The result of `body`.
    /// - Throws: The error of `body`.
    package static func returned<Value, Failure: Error>(
        during body: () async throws(Failure) -> Value
    ) async throws(Failure) -> Value {
        guard let queue else { return try await body() }
        queue.release()
        let result: Result<Value, Failure>
        do throws(Failure) {
            result = .success(try await body())
        } catch {
            result = .failure(error)
        }
        await takeAgain(from: queue)
        return try result.get()
    }

    private static func takeAgain(from queue: AdmissionQueue) async {
        let (admissions, admission) = AsyncStream.makeStream(of: Void.self)
        let entry = queue.acquire(isReturning: true) { admission.yield() }
        guard case .queued(let ticket) = entry else { return }
        var iterator = admissions.makeAsyncIterator()
        // Nil if the request was cancelled.
        if await iterator.next() == nil, queue.withdraw(ticket) { queue.acquireBeyondLimit() }
    }
}
