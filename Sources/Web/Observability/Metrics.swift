import GraphQL
import NIOCore
import Synchronization

/// The counters of a server's responses.
///
/// The number of labels is bounded: paths are those of routes, and operations above a number of names are
/// counted together.
///
/// A lock guards them, because all event loops count here.
package final class Metrics: Sendable {
    private let state = Mutex(State())
    private let maximumNames = 200

    private struct State {
        var responses: [ResponseLabels: Int] = [:]
        var durations: [String: Histogram] = [:]
        var operations: [Operation: Int] = [:]
        var applications: [ClientApplication: OutcomeCounts] = [:]
        var reused = 0
        var times: [String: OperationTimes] = [:]
    }

    /// The durations of the operations of one name.
    private struct OperationTimes {
        var total = Histogram()
        /// The time without an upstream call in progress.
        var own = Histogram()
        /// While one was.
        var upstream = Histogram()

        mutating func record(_ duration: TimeAmount, _ use: UpstreamUsage?) {
            let upstream = TimeAmount(use?.time ?? .zero)
            total.record(duration)
            own.record(max(.zero, duration - upstream))
            self.upstream.record(upstream)
        }
    }

    private struct ResponseLabels: Hashable {
        let path: String
        let method: String
        let status: UInt
    }

    /// The operations of one application by outcome.
    private typealias OutcomeCounts = [GraphQLResponse.Outcome: Int]

    /// All applications beyond the maximum number of names.
    private static let otherApplications = ClientApplication(name: "(other)", version: nil)

    private struct Operation: Hashable {
        let name: String
        let outcome: GraphQLResponse.Outcome
    }

    /// Counts a response with its duration from the end of the request.
    func record(
        path: String, method: String, status: UInt, _ operation: OperationSummary?, took duration: TimeAmount
    ) {
        state.withLock { state in
            state.responses[ResponseLabels(path: path, method: method, status: status), default: 0] += 1
            state.durations[path, default: Histogram()].record(duration)
            if let operation { record(operation, took: duration, in: &state) }
        }
    }

    /// Counts an operation without a response of its own, with the duration until its first result.
    func record(_ operation: OperationSummary, took duration: TimeAmount) {
        state.withLock { record(operation, took: duration, in: &$0) }
    }

    private func record(_ operation: OperationSummary, took duration: TimeAmount, in state: inout State) {
        if operation.isReused { state.reused += 1 }
        let name = label(for: operation.name, in: state)
        state.operations[Operation(name: name, outcome: operation.outcome), default: 0] += 1
        state.times[name, default: OperationTimes()].record(duration, operation.upstream)
        if let application = operation.application { count(operation.outcome, of: application, in: &state) }
    }

    private func count(
        _ outcome: GraphQLResponse.Outcome, of application: ClientApplication, in state: inout State
    ) {
        let isKnown = state.applications[application] != nil || state.applications.count < maximumNames
        guard let label = isKnown ? application : Metrics.otherApplications else { return }
        state.applications[label, default: [:]][outcome, default: 0] += 1
    }

    private func label(for name: String?, in state: State) -> String {
        guard let name, !name.isEmpty else { return "(anonymous)" }
        // Names of operations are ASCII; any other text is not a name.
        guard name.utf8.count <= 100, name.utf8.allSatisfy({ $0 < 0x80 }) else { return "(other)" }
        return state.times[name] != nil || state.times.count < maximumNames ? name : "(other)"
    }

    var families: [MetricFamily] {
        let state = state.withLock { $0 }
        typealias Label = MetricFamily.Label
        return [
            MetricFamily(
                "portico_http_requests_total", .counter, "Responses, by path, method and status.",
                state.responses.sorted { "\($0.key)" < "\($1.key)" }.map { response, count in
                    MetricFamily.Sample(
                        Double(count),
                        labels: [
                            Label("path", response.path), Label("method", response.method),
                            Label("status", "\(response.status)"),
                        ])
                }),
            MetricFamily(
                "portico_http_request_duration_seconds", .histogram,
                "From a request's end to its response, by path.",
                state.durations.sorted { $0.key < $1.key }.flatMap { path, histogram in
                    histogram.samples(labels: [Label("path", path)])
                }),
            MetricFamily(
                "portico_graphql_operations_total", .counter, "Operations, by name and outcome.",
                state.operations.sorted { "\($0.key)" < "\($1.key)" }.map { operation, count in
                    MetricFamily.Sample(
                        Double(count),
                        labels: [
                            Label("operation", operation.name), Label("outcome", operation.outcome.label),
                        ])
                }),
            MetricFamily(
                "portico_graphql_client_operations_total", .counter,
                "Operations of clients that send their name, by name, version and outcome.",
                Metrics.samples(of: state.applications)),
            MetricFamily(
                "portico_graphql_responses_reused_total", .counter, "Responses that were made before.",
                [MetricFamily.Sample(Double(state.reused))]),
        ] + Metrics.families(of: state.times)
    }

    private static func samples(of applications: [ClientApplication: OutcomeCounts]) -> [MetricFamily.Sample]
    {
        typealias Label = MetricFamily.Label
        return applications.sorted { ($0.key.name, $0.key.version) < ($1.key.name, $1.key.version) }
            .flatMap { application, counts in
                counts.sorted { $0.key.label < $1.key.label }.map { outcome, count in
                    MetricFamily.Sample(
                        Double(count),
                        labels: [
                            Label("client", application.name), Label("version", application.version),
                            Label("outcome", outcome.label),
                        ])
                }
            }
    }

    private static func families(of times: [String: OperationTimes]) -> [MetricFamily] {
        let times = times.sorted { $0.key < $1.key }
        func family(_ name: String, _ help: String, _ part: (OperationTimes) -> Histogram) -> MetricFamily {
            MetricFamily(
                name, .histogram, help,
                times.flatMap { part($1).samples(labels: [MetricFamily.Label("operation", $0)]) })
        }
        return [
            family(
                "portico_graphql_operation_duration_seconds",
                "From a request's end to its response, or the first of several, by the operation's name.",
                \.total),
            family(
                "portico_graphql_operation_own_duration_seconds",
                "The part of it in which no call of the operation's to a provider was under way.", \.own),
            family(
                "portico_graphql_operation_upstream_duration_seconds",
                "The part of it in which at least one was.", \.upstream),
        ]
    }
}

/// A histogram of durations.
package struct Histogram: Sendable {
    /// In seconds.
    static let bounds = [
        0.000_5, 0.001, 0.002_5, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60,
    ]

    private var counts = [Int](repeating: 0, count: bounds.count)
    private var count = 0
    private var sum = 0.0

    mutating func record(_ duration: TimeAmount) {
        record(seconds: Double(duration.nanoseconds) / 1e9)
    }

    mutating func record(_ duration: Duration) {
        record(seconds: Double(duration.wholeMicroseconds) / 1e6)
    }

    private mutating func record(seconds: Double) {
        count += 1
        sum += seconds
        if let place = Histogram.bounds.firstIndex(where: { seconds <= $0 }) { counts[place] += 1 }
    }

    /// As Prometheus has histograms: each bucket counts those before it, too.
    func samples(labels: [MetricFamily.Label]) -> [MetricFamily.Sample] {
        var samples: [MetricFamily.Sample] = []
        var total = 0
        func add(_ suffix: String, _ value: Double, _ more: [MetricFamily.Label] = []) {
            var sample = MetricFamily.Sample(value, labels: labels + more)
            sample.suffix = suffix
            samples.append(sample)
        }
        for (bound, count) in zip(Histogram.bounds, counts) {
            total += count
            add("_bucket", Double(total), [MetricFamily.Label("le", "\(bound)")])
        }
        add("_bucket", Double(count), [MetricFamily.Label("le", "+Inf")])
        add("_sum", sum)
        add("_count", Double(count))
        return samples
    }
}

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
    package func record(_ call: UpstreamCall) {
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
                "From the decision to call a provider to its response, with all waits and attempts.",
                state.durations.sorted { $0.key < $1.key }.flatMap { provider, histogram in
                    histogram.samples(labels: [Label("provider", provider)])
                }),
        ]
    }
}
