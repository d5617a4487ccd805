import GraphQL
import Logging
import NIOCore

/// Counts and logs operations that have no answer of their own: those of an array, of a stream, and of a socket.
struct OperationRecorder: Sendable {
    let metrics: Metrics
    let logger: Logger
    /// At which each is logged.
    let level: Logger.Level

    /// Tells of an operation that was answered for the first time, so long after its request's end.
    func record(_ operation: OperationSummary, of id: RequestID, took duration: TimeAmount) {
        metrics.record(operation, took: duration)
        logger.log(
            level: level, "Operation answered",
            metadata: operation.metadata.merging(
                ["requestID": "\(id)", "microseconds": "\(duration.nanoseconds / 1_000)"]
            ) { _, new in new })
    }
}

extension OperationSummary {
    /// For the log: neither its text nor its variables.
    var metadata: Logger.Metadata {
        var metadata: Logger.Metadata = [
            "document": "\(DocumentHash(of: document))", "outcome": "\(outcome.label)",
        ]
        metadata["operation"] = name.map { "\($0.prefix(100))" }
        if let upstream {
            metadata["upstreamCalls"] = "\(upstream.calls)"
            metadata["upstreamMicroseconds"] = "\(upstream.time.wholeMicroseconds)"
        }
        return metadata
    }
}

/// What logs and metrics tell of the operation that a response answers.
package struct OperationSummary: Sendable {
    /// As the client gives it; nil where it gives none.
    let name: String?
    /// The text of its document in UTF-8, for its hash.
    let document: [UInt8]
    let outcome: GraphQLResponse.Outcome
    var isMutation = false
    /// Whether it was answered before, and the answer is reused.
    var isReused = false
    /// What it has cost upstream, and how long it took; nil for what is reused.
    var upstream: UpstreamUsage?
}

extension OperationSummary {
    /// Of an operation that was run, and what came of it.
    init(_ request: PreparedRequest, _ outcome: GraphQLResponse.Outcome, isReused: Bool = false) {
        self.init(
            name: request.operationName, document: request.documentText, outcome: outcome,
            isMutation: request.operationType == .mutation, isReused: isReused)
    }
}

extension GraphQLResponse.Outcome {
    /// For logs and metrics.
    var label: String {
        switch self {
        case .complete: "complete"
        case .partial: "partial"
        case .requestError: "refused"
        case .notAllowed: "not_allowed"
        }
    }
}
