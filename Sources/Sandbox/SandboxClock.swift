package import Brokerage
import Synchronization

/// What time it is in the sandbox.
package struct SandboxClock: Sendable {
    private let read: @Sendable () -> Instant

    package init(_ read: @escaping @Sendable () -> Instant) {
        self.read = read
    }

    package var now: Instant { read() }

    /// The machine's clock.
    package static let real = SandboxClock { .now }

    /// A clock that stands still.
    package static func fixed(_ instant: Instant) -> SandboxClock {
        SandboxClock { instant }
    }
}

/// A clock that stands still until it is set, for tests that let time pass.
///
/// A lock, because it is set by one task and read by others.
package final class SettableClock: Sendable {
    private let instant: Mutex<Instant>

    package init(_ instant: Instant) {
        self.instant = Mutex(instant)
    }

    package var now: Instant { instant.withLock { $0 } }

    package func set(_ new: Instant) {
        instant.withLock { $0 = new }
    }

    package func advance(by duration: Duration) {
        instant.withLock { $0 = $0 + duration }
    }

    package var clock: SandboxClock { SandboxClock { self.now } }
}
