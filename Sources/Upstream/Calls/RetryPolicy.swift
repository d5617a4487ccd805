package import Brokerage

/// How reads are tried again.
package struct RetryPolicy: Sendable {
    /// Calls in all, the first included; at least 1.
    package var attempts = 3
    /// The pause after the first failure, before jitter; it doubles with each further one.
    package var pause = Duration.milliseconds(100)
    package var maximumPause = Duration.seconds(2)
    /// One attempt may take no longer, so that a stuck connection leaves time for another.
    package var attemptTimeout = Duration.seconds(10)
    /// A share of the pause that is really waited, 0 to 1: without chance, all that failed together would come again
    /// together.
    package var jitter: @Sendable () -> Double = { Double.random(in: 0.5...1) }

    package init() {}

    /// The pause after the given failure, counted from 1.
    package func pause(after failure: Int) -> Duration {
        // 2^16 pauses are longer than any that is allowed.
        let doubled = pause * (1 << min(max(failure - 1, 0), 16))
        return min(doubled, maximumPause) * jitter()
    }
}

extension ProviderFailure.Cause {
    /// Whether the same call may well succeed a moment later.
    var isTransient: Bool {
        switch self {
        case .unavailable, .timedOut, .rateLimited: true
        case .invalidResponse, .unauthorized, .notEntitled, .notFound, .quotaExhausted, .unsupported,
            .circuitOpen, .overloaded, .feedFull, .cancelled, .notAllowed:
            false
        }
    }

    /// When the provider wants to be asked again.
    package var retryAt: Instant? {
        switch self {
        case .rateLimited(let retryAt), .quotaExhausted(let retryAt), .notAllowed(.sharedQuota(let retryAt)):
            retryAt
        case .circuitOpen(let retryAt), .notAllowed(.client(_, let retryAt)): retryAt
        case .unavailable, .timedOut, .invalidResponse, .unauthorized, .notEntitled, .notFound, .unsupported,
            .overloaded, .feedFull, .cancelled, .notAllowed(.operation):
            nil
        }
    }
}
