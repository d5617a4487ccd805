import Brokerage
import Sandbox

/// A clock that runs faster than real time, for a market that changes more often than once a second.
struct AcceleratedClock: Sendable {
    private let speed: Int
    private let start = Instant.now
    private let startedAt = ContinuousClock.now

    /// - Parameter speed: The clock's seconds in one second; at least 1.
    init(speed: Int) {
        self.speed = max(speed, 1)
    }

    var clock: SandboxClock {
        SandboxClock(
            { instant(at: .now) },
            waiting: { moment in
                let rest = moment.duration(since: start) / speed
                try? await Task.sleep(until: startedAt + rest, clock: .continuous)
            })
    }

    private func instant(at moment: ContinuousClock.Instant) -> Instant {
        start + startedAt.duration(to: moment) * speed
    }

    /// Returns the start of this clock's last whole second before an instant, when the market changed.
    func lastMove(before moment: ContinuousClock.Instant) -> ContinuousClock.Instant {
        let now = instant(at: moment)
        guard let whole = Instant(secondsSince1970: now.secondsSince1970) else { return moment }
        return moment - now.duration(since: whole) / speed
    }
}
