package import Brokerage
import PorticoCore

/// The health of a provider by its recent calls.
package struct ProviderHealth: Hashable, Sendable {
    package enum State: Int, Hashable, Sendable {
        /// The provider responds, or was not called yet.
        case up
        /// Some calls fail.
        case degraded
        /// It is not called for now, but for a probe.
        case down
    }

    package var state: State
    /// The moving average of the duration of calls; nil without any.
    package var latency: Duration?
    /// Nil while it works.
    package var failure: Failure?
    /// The last call that worked.
    package var lastSuccessAt: Instant?

    /// A failure that lasts.
    package struct Failure: Hashable, Sendable {
        package let cause: ProviderFailure.Cause
        /// When the first of the calls failed that have all failed since.
        package let since: Instant
        /// When it will be called again at the earliest; nil where any call may go out.
        package let retryAt: Instant?

        package init(cause: ProviderFailure.Cause, since: Instant, retryAt: Instant?) {
            (self.cause, self.since, self.retryAt) = (cause, since, retryAt)
        }
    }

    /// One health of several hosts: the worst state with its failure, the latency of the slowest.
    init(of healths: [ProviderHealth]) {
        let worst = healths.max { $0.state.rawValue < $1.state.rawValue }
        state = worst?.state ?? .up
        latency = healths.compactMap(\.latency).max()
        failure = worst?.failure ?? healths.compactMap(\.failure).first
        lastSuccessAt = healths.compactMap(\.lastSuccessAt).max()
    }

    package init(state: State, latency: Duration?, failure: Failure?, lastSuccessAt: Instant?) {
        self.state = state
        self.latency = latency
        self.failure = failure
        self.lastSuccessAt = lastSuccessAt
    }
}

/// The history of the calls to one host.
struct CallHistory {
    private var latency: Duration?
    /// A weighted share of failures, 0 to 1.
    private var failureShare = 0.0
    private var cause: ProviderFailure.Cause?
    private var failingSince: Instant?
    private var lastSuccessAt: Instant?

    /// The weight of the latest call: about the last ten calls determine the average.
    private static let weight = 0.1
    /// More than this is a degraded host: one failure in ten calls is not.
    private static let tolerance = 0.15

    mutating func record(
        _ cause: ProviderFailure.Cause?, _ effect: CircuitBreaker.CallEffect, _ duration: Duration,
        at now: Instant
    ) {
        if let cause {
            guard cause.isFault(effect) else { return }
            failureShare += (1 - failureShare) * Self.weight
            self.cause = cause.withoutPlace
            failingSince = failingSince ?? now
        } else {
            failureShare -= failureShare * Self.weight
            self.cause = nil
            failingSince = nil
            lastSuccessAt = now
            latency = latency.map { $0 + (duration - $0) * Self.weight } ?? duration
        }
    }

    func health(isDown: Bool, retryAt: Instant?) -> ProviderHealth {
        let isDegraded = cause != nil || failureShare > Self.tolerance
        return ProviderHealth(
            state: isDown ? .down : isDegraded ? .degraded : .up, latency: latency,
            failure: cause.flatMap { cause in
                failingSince.map { ProviderHealth.Failure(cause: cause, since: $0, retryAt: retryAt) }
            }, lastSuccessAt: lastSuccessAt)
    }
}

extension ProviderFailure.Cause {
    /// Whether the failure is one of the provider and not of the caller.
    fileprivate func isFault(_ effect: CircuitBreaker.CallEffect) -> Bool {
        switch (effect, self) {
        case (.down, _), (.up, .invalidResponse): true
        case (.up, _), (.none, _): false
        }
    }

    /// The failure for all clients.
    ///
    /// The call may have been one for the private data of a user: the place of an error in its response can contain a symbol
    /// or the number of a row.
    fileprivate var withoutPlace: Self {
        if case .invalidResponse = self { .invalidResponse(nil) } else { self }
    }
}
