import Brokerage
import Upstream
import Web

extension ProviderHealthReporter {
    /// What `/health/ready` says: how each provider fares by the calls that were made, none of which is made for it.
    ///
    /// A provider that is down makes nothing unready: the others, and what is known already, are served.
    var readiness: Readiness {
        Readiness(
            components: healths.map { provider, health in
                Readiness.Component(
                    provider.rawValue, Readiness.State(health), detail: health.failure.map(Self.detail))
            })
    }

    private static func detail(of failure: ProviderHealth.Failure) -> String {
        let next = failure.retryAt.map { "; called again at \($0)" } ?? ""
        return "\(failure.cause.kind) since \(failure.since)\(next)"
    }
}

extension Readiness.State {
    fileprivate init(_ health: ProviderHealth) {
        switch health.state {
        case .up where health.failure == nil && health.lastSuccessAt == nil: self = .unknown
        case .up: self = .up
        case .degraded: self = .degraded
        case .down: self = .down
        }
    }
}

extension ProviderFailure.Cause {
    /// What it is, without anything that a provider has said.
    fileprivate var kind: String {
        switch self {
        case .invalidResponse: Self.invalidResponse(nil).description
        case .circuitOpen, .unavailable: Self.unavailable.description
        case .rateLimited: Self.rateLimited(retryAt: nil).description
        case .quotaExhausted: Self.quotaExhausted(retryAt: nil).description
        case .timedOut, .unauthorized, .notEntitled, .notFound, .unsupported, .overloaded, .feedFull,
            .cancelled, .notAllowed:
            description
        }
    }
}
