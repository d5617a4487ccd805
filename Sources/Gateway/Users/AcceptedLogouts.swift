import Brokerage
import Synchronization

/// The ids (`jti`) of the logout tokens that this process has accepted and that have not expired (OpenID Connect Back-Channel
/// Logout 1.0, section 2.6).
///
/// Each process remembers those that it has accepted itself.
final class AcceptedLogouts: Sendable {
    private let capacity: Int
    // Requests come on any thread; held for a look-up, or for a search when the table is full.
    private let ends = Mutex<[String: Instant]>([:])

    /// - Parameter capacity: The number of ids. While it is full, further tokens are accepted and not remembered: a logout is
    ///   more important than the refusal of a replay.
    init(capacity: Int = 10_000) {
        self.capacity = capacity
    }

    /// Remembers an id until its token has expired.
    ///
    /// - Returns: False if it is known; then the token is a replay.
    func add(_ id: String, until end: Instant, now: Instant = .now) -> Bool {
        ends.withLock { ends in
            if let known = ends[id], now < known { return false }
            if ends.count >= capacity { ends = ends.filter { now < $0.value } }
            if ends.count < capacity { ends[id] = end }
            return true
        }
    }

    /// Forgets an id, whose token had no effect.
    func remove(_ id: String) {
        ends.withLock { _ = $0.removeValue(forKey: id) }
    }
}
