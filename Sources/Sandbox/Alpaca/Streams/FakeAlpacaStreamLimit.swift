import Synchronization

/// Who has a data stream open; Alpaca gives each user one.
///
/// A lock, because taking a seat is one step, and clients come on tasks of their own.
final class FakeAlpacaStreamLimit: Sendable {
    private let taken = Mutex<[String: Int]>([:])

    /// False when the user's seats are taken.
    func take(_ user: String, limit: Int) -> Bool {
        taken.withLock { taken in
            guard taken[user, default: 0] < limit else { return false }
            taken[user, default: 0] += 1
            return true
        }
    }

    func leave(_ user: String) {
        taken.withLock { $0[user, default: 1] -= 1 }
    }
}
