package import Brokerage
import Synchronization

/// Keeps a stream connected: one connection after another, with pauses that grow while none comes to stand.
package struct ReconnectingStream: Sendable {
    private let retry: RetryPolicy
    private let clock: TimeSource

    /// - Parameters:
    ///   - retry: The pauses and their jitter; the number of attempts is without bound.
    ///   - clock: What pauses are measured by.
    package init(_ retry: RetryPolicy = .streams, clock: TimeSource) {
        self.retry = retry
        self.clock = clock
    }

    /// Connects again and again, until the task is cancelled or only the user or the configuration can help.
    ///
    /// A provider that says when it wants to be asked again is not asked before.
    ///
    /// - Parameter connect: Runs one connection to its end, and tells when it stands.
    /// - Returns: why it makes no sense to go on; nil where the task was cancelled.
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
            if let failure, failure.cause.isFinalForStreams { return failure }
            failures = hasStood.load(ordering: .relaxed) ? 1 : failures + 1
            let told = failure?.cause.retryAt.map { $0.duration(since: clock.wallTime()) } ?? .zero
            let pause = max(retry.pause(after: failures), told)
            guard (try? await clock.sleep(clock.now() + pause)) != nil else { return nil }
        }
        return nil
    }
}

extension RetryPolicy {
    /// For streams, which are wanted for as long as anybody follows: a second at first, half a minute at most.
    package static var streams: RetryPolicy {
        var policy = RetryPolicy()
        policy.pause = .seconds(1)
        policy.maximumPause = .seconds(30)
        return policy
    }
}

extension OrderStream {
    /// Follows the orders over one connection after another, until the task is cancelled.
    ///
    /// Each `connected` means that what happened before is not known: who keeps a list of orders reads it anew then.
    ///
    /// - Parameters:
    ///   - retry: The pauses between connections.
    ///   - clock: What they are measured by.
    ///   - deliver: Told of each connection and each change. Called on any thread; it must be quick.
    ///   - didEnd: Told when a connection has ended or did not come about: nothing is told until the next one stands.
    /// - Throws: `ProviderFailure` where only the user or the configuration can help: `unauthorized`, `notEntitled`,
    ///   `notFound` or `unsupported`.
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

extension ProviderFailure.Cause {
    /// Whether connecting again cannot help.
    fileprivate var isFinalForStreams: Bool {
        switch self {
        case .unauthorized, .notEntitled, .notFound, .unsupported: true
        case .unavailable, .circuitOpen, .timedOut, .invalidResponse, .rateLimited, .quotaExhausted,
            .overloaded, .feedFull, .cancelled, .notAllowed:
            false
        }
    }
}
