import Brokerage
import Upstream
import Web

/// How the providers fare, for those who run the server.
struct ProviderHealthReporter: Sendable {
    private let channelFactory: ProviderChannelFactory
    private let providers: [ProviderID]

    /// Of the providers that are wired by now.
    init(_ wiring: ProviderAssembly) {
        channelFactory = wiring.channelFactory
        providers = wiring.providers.sorted { $0.rawValue < $1.rawValue }
    }

    /// Of each provider.
    var healths: [(provider: ProviderID, health: ProviderHealth)] {
        providers.map { ($0, channelFactory.monitor.health(of: $0)) }
    }

    /// For `/metrics`.
    var families: [MetricFamily] {
        let quotas = channelFactory.ledger.tightest()
        return [
            MetricFamily(
                "portico_quota_remaining", .gauge,
                "Calls that may go out now, by provider and limit: of several credentials the fewest.",
                quotas.map { ProviderHealthReporter.sample($0.provider, $0.status, \.remaining) }),
            MetricFamily(
                "portico_quota_limit", .gauge, "Calls that the same limit allows altogether.",
                quotas.map { ProviderHealthReporter.sample($0.provider, $0.status, \.limit) }),
            MetricFamily(
                "portico_provider_up", .gauge,
                "1, or 0 for a provider that is not called as it is out of order.",
                healths.map { provider, health in
                    MetricFamily.Sample(
                        health.state == .down ? 0 : 1,
                        labels: [MetricFamily.Label("provider", provider.rawValue)])
                }),
        ]
    }

    private static func sample(
        _ provider: ProviderID, _ status: QuotaStatus, _ number: (QuotaStatus) -> Int
    ) -> MetricFamily.Sample {
        MetricFamily.Sample(
            Double(number(status)),
            labels: [
                MetricFamily.Label("provider", provider.rawValue),
                MetricFamily.Label("limit", status.window.name),
            ])
    }
}
