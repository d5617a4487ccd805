import Synchronization

/// Who has a data stream open; Alpaca gives each user one.
///
/// A lock, because taking a seat is one step, and clients come on tasks of their own.
final class FakeAlpacaStreamLimit: Sendable {
    private let openStreams = Mutex<[String: Int]>([:])

    /// False when the user's seats are taken.
    func acquire(for user: String, limit: Int) -> Bool {
        openStreams.withLock { taken in
            guard taken[user, default: 0] < limit else { return false }
            taken[user, default: 0] += 1
            return true
        }
    }

    func release(for user: String) {
        openStreams.withLock { $0[user, default: 1] -= 1 }
    }
}
