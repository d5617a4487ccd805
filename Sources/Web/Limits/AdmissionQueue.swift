import Synchronization

/// Lets so many requests at a time wait for data, and so many more for their turn.
///
/// A lock, because the requests of all event loops share the room.
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
        /// The turn will be called, from any thread, unless `withdraw` comes before it.
        case queued(Ticket)
        case full
    }

    init(limit: Int, queueLimit: Int) {
        self.limit = limit
        self.queueLimit = queueLimit
    }

    /// Asks to be let in now, or when it is one's turn.
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

    /// Makes room: whoever has waited longest is let in, and must leave in turn.
    func release() {
        let turn: (@Sendable () -> Void)? = state.withLock { state in
            while state.oldest < state.next {
                let ticket = state.oldest
                state.oldest += 1
                if let turn = state.waiting.removeValue(forKey: ticket) { return turn }
            }
            state.admitted -= 1
            return nil
        }
        turn?()
    }

    /// Gives up waiting; false where the turn has been called already, and `leave` must follow.
    func withdraw(_ ticket: Ticket) -> Bool {
        state.withLock { $0.waiting.removeValue(forKey: ticket) != nil }
    }

    /// How many are let in and how many wait, for metrics.
    var occupancy: (admitted: Int, waiting: Int) {
        state.withLock { ($0.admitted, $0.waiting.count) }
    }
}
