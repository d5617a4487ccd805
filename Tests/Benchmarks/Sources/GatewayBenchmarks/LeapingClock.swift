import Brokerage
import Synchronization
import Upstream

/// A clock by which everything that is kept grows old at once, and every window of a quota is free again.
final class LeapingClock: Sendable {
    private let steps = Atomic(0)
    private let distance: Duration
    private let stepsInLeap: Int

    /// - Parameters:
    ///   - distance: How far it leaps.
    ///   - steps: It leaps once in so many calls of ``leap()``; at least 1.
    init(by distance: Duration = .seconds(2 * 86_400), onceIn steps: Int = 1) {
        self.distance = distance
        stepsInLeap = max(steps, 1)
    }

    func leap() {
        steps.add(1, ordering: .relaxed)
    }

    private var leapt: Duration { distance * (steps.load(ordering: .relaxed) / stepsInLeap) }

    var calls: TimeSource {
        TimeSource(
            now: { .now + self.leapt }, wallTime: { SandboxProcess.now },
            sleep: { try await ContinuousClock().sleep(until: $0 - self.leapt) })
    }
}
