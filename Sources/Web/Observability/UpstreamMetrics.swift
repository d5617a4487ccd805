import Synchronization

/// Counts calls to services behind the server, and what spared calls.
///
/// A lock, because calls end on any thread.
package final class UpstreamMetrics: Sendable {
    private struct Kind: Hashable {
        let provider: String
        let outcome: UpstreamCall.Outcome
    }

    private struct State {
        var calls: [Kind: Int] = [:]
        var durations: [String: Histogram] = [:]
    }

    private let state = Mutex(State())

    package init() {}

    /// Counts a call that has ended, or what stood in for one.
    package func note(_ call: UpstreamCall) {
        state.withLock { state in
            state.calls[Kind(provider: call.provider, outcome: call.outcome), default: 0] += 1
            guard call.attempts > 0 else { return }
            state.durations[call.provider, default: Histogram()].record(call.duration)
        }
    }

    /// For `/metrics`.
    package var families: [MetricFamily] {
        let state = state.withLock { $0 }
        typealias Label = MetricFamily.Label
        let calls = state.calls.map { kind, count in
            MetricFamily.Sample(
                Double(count),
                labels: [
                    Label("provider", kind.provider), Label("outcome", kind.outcome.rawValue.lowercased()),
                ])
        }
        return [
            MetricFamily(
                "portico_upstream_calls_total", .counter,
                "Calls to providers by outcome: fetched and failed; and those that were spared, by what had the value.",
                calls.sorted { "\($0.labels)" < "\($1.labels)" }),
            MetricFamily(
                "portico_upstream_call_duration_seconds", .histogram,
                "From the decision to call a provider to its answer, with all waits and attempts.",
                state.durations.sorted { $0.key < $1.key }.flatMap { provider, histogram in
                    histogram.samples(labels: [Label("provider", provider)])
                }),
        ]
    }
}
