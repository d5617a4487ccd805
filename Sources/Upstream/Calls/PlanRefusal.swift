import Synchronization

/// The last refusal of something that the plan of a key does not include.
///
/// A refusal costs a call like every other response, so that what was refused is not requested again for an hour. Then it is
/// tried once more, so that a better plan has an effect.
package final class PlanRefusal: Sendable {
    // Calls of one key run on several tasks; held for one read or write.
    private let time = Mutex<ContinuousClock.Instant?>(nil)

    /// The time after a refusal in which it counts.
    package static let lifetime = Duration.seconds(3_600)

    package init() {}

    /// Whether the last refusal counts at a time.
    package func counts(at now: ContinuousClock.Instant) -> Bool {
        time.withLock { $0.map { $0 + Self.lifetime > now } ?? false }
    }

    package func record(at now: ContinuousClock.Instant) {
        time.withLock { $0 = now }
    }
}
