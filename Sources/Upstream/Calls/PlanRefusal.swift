import Synchronization

/// The last refusal of something that the plan of a key does not include.
///
/// A refused call counts against the quota, so what was refused is not requested again for an hour. Then it is tried once more,
/// so that a better plan has an effect.
package final class PlanRefusal: Sendable {
    // Calls of one key run on several tasks; held for one read or write.
    private let time = Mutex<ContinuousClock.Instant?>(nil)

    /// The time after a refusal in which what was refused is not requested.
    package static let lifetime = Duration.seconds(3_600)

    package init() {}

    /// Whether the last refusal is less than an hour old.
    package func isRecent(at now: ContinuousClock.Instant) -> Bool {
        time.withLock { $0.map { $0 + Self.lifetime > now } ?? false }
    }

    /// Records a refusal.
    package func record(at now: ContinuousClock.Instant) {
        time.withLock { $0 = now }
    }
}
