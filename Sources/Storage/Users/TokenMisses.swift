import Synchronization

/// Tokens that no session has, for a short time, so that a client that repeats one does not cause look-ups.
package final class TokenMisses: Sendable {
    private static let lifetime = Duration.seconds(1)
    private static let capacity = 10_000
    // Held for a look-up, on any thread.
    private let ends = Mutex<[TokenHash: ContinuousClock.Instant]>([:])

    package init() {}

    package func contains(_ token: TokenHash, now: ContinuousClock.Instant = .now) -> Bool {
        ends.withLock { ends in ends[token].map { now < $0 } ?? false }
    }

    package func insert(_ token: TokenHash, now: ContinuousClock.Instant = .now) {
        ends.withLock { ends in
            if ends.count >= Self.capacity { ends = ends.filter { now < $0.value } }
            // A flood of different tokens is limited by the address of its client.
            guard ends.count < Self.capacity else { return }
            ends[token] = now + Self.lifetime
        }
    }
}
