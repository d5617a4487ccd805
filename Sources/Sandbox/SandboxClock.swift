package import Brokerage

/// What time it is in the sandbox.
package struct SandboxClock: Sendable {
    private let read: @Sendable () -> Instant
    private let pause: @Sendable (Instant) async -> Void

    /// A clock of one's own; `waiting` returns when it shows a moment or the task is cancelled, and by default
    /// looks 50 times a second.
    package init(
        _ read: @escaping @Sendable () -> Instant, waiting: (@Sendable (Instant) async -> Void)? = nil
    ) {
        self.read = read
        pause =
            waiting ?? { moment in
                while read() < moment, !Task.isCancelled { try? await Task.sleep(for: .milliseconds(20)) }
            }
    }

    package var now: Instant { read() }

    /// Returns when it is that late, or the task is cancelled.
    package func wait(until moment: Instant) async {
        await pause(moment)
    }

    /// The machine's clock.
    package static let real = SandboxClock(
        { .now },
        waiting: { moment in
            let rest = moment.duration(since: .now)
            if rest > .zero { try? await Task.sleep(for: rest) }
        })

    /// A clock that stands still; who waits for it waits until cancelled.
    package static func fixed(_ instant: Instant) -> SandboxClock {
        ManualClock(instant).clock
    }
}
