import GraphQL
import NIOCore
import Synchronization

/// What a server counts of its answers.
///
/// What tells numbers apart is bounded, whatever clients send: paths are those of routes, and operations beyond so
/// many names are counted together.
///
/// A lock, because the requests of all event loops are counted together.
final class Metrics: Sendable {
    private let state = Mutex(State())
    private let maximumNames = 200

    private struct State {
        var answers: [ResponseLabels: Int] = [:]
        var durations: [String: Histogram] = [:]
        var operations: [Operation: Int] = [:]
        var reused = 0
        var times: [String: OperationTimes] = [:]
    }

    /// How long the operations of one name took.
    private struct OperationTimes {
        var whole = Histogram()
        /// While no call of theirs was under way.
        var own = Histogram()
        /// While one was.
        var upstream = Histogram()

        mutating func record(_ duration: TimeAmount, _ use: UpstreamUsage?) {
            let upstream = TimeAmount(use?.time ?? .zero)
            whole.record(duration)
            own.record(max(.zero, duration - upstream))
            self.upstream.record(upstream)
        }
    }

    private struct ResponseLabels: Hashable {
        let path: String
        let method: String
        let status: UInt
    }

    private struct Operation: Hashable {
        let name: String
        let outcome: GraphQL.GraphQLResponse.Outcome
    }

    /// Counts an answer that took so long, from its request's end.
    func record(
        path: String, method: String, status: UInt, _ operation: OperationSummary?, took duration: TimeAmount
    ) {
        state.withLock { state in
            state.answers[ResponseLabels(path: path, method: method, status: status), default: 0] += 1
            state.durations[path, default: Histogram()].record(duration)
            if let operation { record(operation, took: duration, in: &state) }
        }
    }

    /// Counts an operation that has no answer of its own, and was answered for the first time after so long.
    func record(_ operation: OperationSummary, took duration: TimeAmount) {
        state.withLock { record(operation, took: duration, in: &$0) }
    }

    private func record(_ operation: OperationSummary, took duration: TimeAmount, in state: inout State) {
        if operation.isReused { state.reused += 1 }
        let name = label(for: operation.name, in: state)
        state.operations[Operation(name: name, outcome: operation.outcome), default: 0] += 1
        state.times[name, default: OperationTimes()].record(duration, operation.upstream)
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
                "portico_http_requests_total", .counter, "Answers, by path, method and status.",
                state.answers.sorted { "\($0.key)" < "\($1.key)" }.map { answer, count in
                    MetricFamily.Sample(
                        Double(count),
                        labels: [
                            Label("path", answer.path), Label("method", answer.method),
                            Label("status", "\(answer.status)"),
                        ])
                }),
            MetricFamily(
                "portico_http_request_duration_seconds", .histogram,
                "From a request's end to its answer, by path.",
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
                "portico_graphql_answers_reused_total", .counter, "Answers that were made before.",
                [MetricFamily.Sample(Double(state.reused))]),
        ] + Metrics.families(of: state.times)
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
                "From a request's end to its answer, or the first of several, by the operation's name.",
                \.whole),
            family(
                "portico_graphql_operation_own_duration_seconds",
                "The part of it in which no call of the operation's to a provider was under way.", \.own),
            family(
                "portico_graphql_operation_upstream_duration_seconds",
                "The part of it in which at least one was.", \.upstream),
        ]
    }
}
