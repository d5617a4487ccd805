import Brokerage
import Sandbox

/// A clock that goes faster than the world's, for a market that moves more often than once a second.
struct HastyClock: Sendable {
    private let speed: Int
    private let start = Instant.now
    private let startedAt = ContinuousClock.now

    /// - Parameter speed: How many of its seconds pass in one; at least 1.
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

    /// When the last whole second of this clock before a moment began, which is when the market moved.
    func lastMove(before moment: ContinuousClock.Instant) -> ContinuousClock.Instant {
        let now = instant(at: moment)
        guard let whole = Instant(secondsSince1970: now.secondsSince1970) else { return moment }
        return moment - now.duration(since: whole) / speed
    }
}
