package import Brokerage
import Synchronization

/// Keeps a stream connected: it reconnects after each failure, with growing pauses until a connection is
/// established.
package struct ReconnectingStream: Sendable {
    private let retry: RetryPolicy
    private let clock: TimeSource

    /// - Parameters:
    ///   - retry: The pauses and their jitter; the number of attempts is not limited.
    ///   - clock: The clock of the pauses.
    package init(_ retry: RetryPolicy = .streams, clock: TimeSource) {
        self.retry = retry
        self.clock = clock
    }

    /// Connects repeatedly, until the task is cancelled or only the user or the configuration can repair the
    /// failure.
    ///
    /// If a provider requests a pause, the next attempt is after it.
    ///
    /// - Parameter connect: Runs one connection to its end, and reports when it is established.
    /// - Returns: The reason to stop; nil if the task was cancelled.
    package func run(
        _ connect: (_ didStand: @escaping @Sendable () -> Void) async throws(ProviderFailure) -> Void
    ) async -> ProviderFailure? {
        var failures = 0
        while !Task.isCancelled {
            let hasStood = Atomic(false)
            var failure: ProviderFailure?
            do throws(ProviderFailure) {
                try await connect { hasStood.store(true, ordering: .relaxed) }
            } catch {
                failure = error
            }
            if let failure, failure.cause.traits.contains(.final) { return failure }
            failures = hasStood.load(ordering: .relaxed) ? 1 : failures + 1
            let retryAfter = failure?.cause.retryAt.map { $0.duration(since: clock.wallTime()) } ?? .zero
            let pause = max(retry.pause(after: failures), retryAfter)
            guard (try? await clock.sleep(clock.now() + pause)) != nil else { return nil }
        }
        return nil
    }
}

extension RetryPolicy {
    /// The policy of streams, which have no maximum number of attempts: a pause of a second at first, at most half a
    /// minute.
    package static var streams: RetryPolicy {
        var policy = RetryPolicy()
        policy.pause = .seconds(1)
        policy.maximumPause = .seconds(30)
        return policy
    }
}

extension OrderStream {
    /// Runs one connection of the order stream after another, until the task is cancelled.
    ///
    /// Each `connected` means that earlier changes are unknown: the caller must read its orders again.
    ///
    /// - Parameters:
    ///   - retry: The pauses between connections.
    ///   - clock: The clocks.
    ///   - deliver: Called for each connection and each change. It may be called on any thread, and must be
    ///     fast.
    ///   - didEnd: Called when a connection has ended or could not be opened: no event follows until the
    ///     next one is established.
    /// - Throws: `ProviderFailure` if only the user or the configuration can repair it: `unauthorized`,
    ///   `notEntitled`, `notFound` or `unsupported`.
    package func follow(
        retry: RetryPolicy = .streams, clock: TimeSource = .system,
        deliver: @escaping @Sendable (StreamEvent<Order>) -> Void,
        didEnd: @escaping @Sendable () -> Void = {}
    ) async throws(ProviderFailure) {
        let failure = await ReconnectingStream(retry, clock: clock).run { didStand throws(ProviderFailure) in
            defer { didEnd() }
            try await run { event in
                if case .connected = event { didStand() }
                deliver(event)
            }
        }
        if let failure { throw failure }
    }
}
