import Synchronization
import Upstream

/// A clock by which everything that is kept grows old at once, and every window of a quota is free again.
final class LeapingClock: Sendable {
    private let days = Atomic(0)

    func leap() {
        days.add(2, ordering: .relaxed)
    }

    private var leapt: Duration { .seconds(86_400 * days.load(ordering: .relaxed)) }

    var calls: CallClock {
        CallClock(
            now: { .now + self.leapt }, wallTime: { SandboxProcess.now },
            sleep: { try await ContinuousClock().sleep(until: $0 - self.leapt) })
    }
}
