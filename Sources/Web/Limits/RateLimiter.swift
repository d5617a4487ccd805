import NIOCore
import Synchronization

/// Counts what clients send against a limit, each by its key.
///
/// A token bucket, kept as one time for each client: when it will have made up for all that it has sent (the generic
/// cell rate algorithm). A client whose time has passed has a full bucket, and is forgotten when room is needed. The
/// table is bounded: while it is full of clients that are known, those that are not share one bucket.
///
/// A lock, because the clients of all event loops share the table.
final class RateLimiter<Key: Hashable & Sendable>: Sendable {
    private let limit: RateLimit
    private let capacity: Int
    private let state: Mutex<State>

    private struct State {
        var repaid: [Key: NIODeadline] = [:]
        var repaidByOthers = NIODeadline.uptimeNanoseconds(0)
        var nextSweep = NIODeadline.uptimeNanoseconds(0)
    }

    init(_ limit: RateLimit, capacity: Int) {
        self.limit = limit
        self.capacity = capacity
        state = Mutex(State())
    }

    /// Nil where a request is admitted; otherwise the time after which one will be.
    func refuse(_ key: Key, now: NIODeadline) -> TimeAmount? {
        state.withLock { state in
            if let repaid = state.repaid[key] {
                return spend(now, repaid) { state.repaid[key] = $0 }
            }
            if state.repaid.count >= capacity { sweep(&state, now) }
            guard state.repaid.count < capacity else {
                return spend(now, state.repaidByOthers) { state.repaidByOthers = $0 }
            }
            return spend(now, now) { state.repaid[key] = $0 }
        }
    }

    /// Takes one request out of a bucket, if it is there.
    private func spend(
        _ now: NIODeadline, _ repaid: NIODeadline, _ store: (NIODeadline) -> Void
    ) -> TimeAmount? {
        let next = max(repaid, now) + limit.interval
        let excess = next - (now + limit.tolerance)
        guard excess <= .zero else { return excess }
        store(next)
        return nil
    }

    /// Forgets whose bucket is full; at most once a second, since it looks at all of them.
    private func sweep(_ state: inout State, _ now: NIODeadline) {
        guard now >= state.nextSweep else { return }
        state.nextSweep = now + .seconds(1)
        state.repaid = state.repaid.filter { $0.value > now }
    }
}
