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
    func acquire(onAdmission: @escaping @Sendable () -> Void) -> Entry {
        state.withLock { state in
            if state.admitted < limit {
                state.admitted += 1
                return .admitted
            }
            guard state.waiting.count < queueLimit else { return .full }
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

    /// Cancels the wait; false if the closure was called already, and `release` must follow.
    func withdraw(_ ticket: Ticket) -> Bool {
        state.withLock { $0.waiting.removeValue(forKey: ticket) != nil }
    }

    /// The numbers of requests that load data and that wait, for metrics.
    var occupancy: (admitted: Int, waiting: Int) {
        state.withLock { ($0.admitted, $0.waiting.count) }
    }
}
