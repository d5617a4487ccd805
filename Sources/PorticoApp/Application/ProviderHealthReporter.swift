import Brokerage
import Upstream
import Web

/// The health and quotas of the providers, for `/metrics` and `/health/ready`.
struct ProviderHealthReporter: Sendable {
    private let channelFactory: ProviderChannelFactory
    private let providers: [ProviderID]

    /// - Parameter wiring: The assembly, to which all providers have been added.
    init(_ wiring: ProviderAssembly) {
        channelFactory = wiring.channelFactory
        providers = wiring.providers.sorted { $0.name.text < $1.name.text }
    }

    /// The health of each provider.
    var healths: [(provider: ProviderID, health: ProviderHealth)] {
        providers.map { ($0, channelFactory.monitor.health(of: $0)) }
    }

    /// The metrics for `/metrics`.
    var families: [MetricFamily] {
        let quotas = channelFactory.ledger.tightest()
        return [
            MetricFamily(
                "portico_quota_remaining", .gauge,
                "Calls that the quota allows now, by provider and limit; the minimum of all credentials.",
                quotas.map { ProviderHealthReporter.sample($0.provider, $0.status, \.remaining) }),
            MetricFamily(
                "portico_quota_limit", .gauge, "Calls that the same limit allows in total.",
                quotas.map { ProviderHealthReporter.sample($0.provider, $0.status, \.limit) }),
            MetricFamily(
                "portico_provider_up", .gauge,
                "1, or 0 for a provider that is not called because it is down.",
                healths.map { provider, health in
                    MetricFamily.Sample(
                        health.state == .down ? 0 : 1,
                        labels: [MetricFamily.Label("provider", provider.name.text)])
                }),
        ]
    }

    private static func sample(
        _ provider: ProviderID, _ status: QuotaStatus, _ number: (QuotaStatus) -> Int
    ) -> MetricFamily.Sample {
        MetricFamily.Sample(
            Double(number(status)),
            labels: [
                MetricFamily.Label("provider", provider.name.text),
                MetricFamily.Label("limit", status.window.name),
            ])
    }
}

extension ProviderHealthReporter {
    /// The content of `/health/ready`: the health of each provider according to its calls; no call is made
    /// for it.
    ///
    /// The server is ready also if a provider is down: other providers and cached values are served.
    var readiness: Readiness {
        Readiness(
            components: healths.map { provider, health in
                Readiness.Component(
                    provider.name.text, Readiness.State(health), detail: health.failure.map(Self.detail))
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
    /// The kind of the failure, without text from a provider.
    fileprivate var kind: String {
        switch self {
        case .invalidResponse: Self.invalidResponse(nil).description
        case .circuitOpen, .unavailable: Self.unavailable.description
        case .rateLimited: Self.rateLimited(retryAt: nil).description
        case .quotaExhausted: Self.quotaExhausted(retryAt: nil).description
        case .timedOut, .unauthorized, .notEntitled, .notFound, .unsupported, .overloaded, .tooMany,
            .feedFull, .cancelled, .notAllowed:
            description
        }
    }
}
