import GraphQL
import Logging
import NIOCore

/// Counts and logs operations without a response of their own: those of an array, of a stream, and of a
/// WebSocket.
///
/// It also counts the uses of the schema by all operations.
struct OperationRecorder: Sendable {
    let metrics: Metrics
    let logger: Logger
    /// At which each is logged.
    let level: Logger.Level
    /// See `GraphQLService.countUse`.
    let countUse: (@Sendable (PreparedRequest, ClientApplication?) -> Void)?

    /// Counts the use of the schema by an operation, unless it was not allowed to run.
    func recordUse(
        of request: PreparedRequest, _ outcome: GraphQLResponse.Outcome, by application: ClientApplication?
    ) {
        if outcome != .notAllowed { countUse?(request, application) }
    }

    /// Records the first result of an operation, with the duration from the end of its request.
    func record(_ operation: OperationSummary, of id: RequestID, took duration: TimeAmount) {
        metrics.record(operation, took: duration)
        logger.log(
            level: level, "Operation executed",
            metadata: operation.metadata.merging(
                ["requestID": "\(id)", "microseconds": .stringConvertible(duration.nanoseconds / 1_000)]
            ) { _, new in new })
    }
}

extension OperationSummary {
    /// For the log: neither its text nor its variables.
    var metadata: Logger.Metadata {
        var metadata: Logger.Metadata = [
            "document": "\(DocumentHash(of: document))", "outcome": "\(outcome.label)",
        ]
        metadata["operation"] = name.map { "\($0.shortened(toBytes: 100))" }
        if let application {
            metadata["clientName"] = "\(application.name)"
            if !application.version.isEmpty { metadata["clientVersion"] = "\(application.version)" }
        }
        if let upstream {
            metadata["upstreamCalls"] = .stringConvertible(upstream.calls)
            metadata["upstreamMicroseconds"] = .stringConvertible(upstream.time.wholeMicroseconds)
        }
        return metadata
    }
}

/// The properties of an operation for logs and metrics.
package struct OperationSummary: Sendable {
    /// The name in the request; nil if it has none.
    let name: String?
    /// The text of its document in UTF-8, for its hash.
    let document: [UInt8]
    let outcome: GraphQLResponse.Outcome
    /// The application that sent it; nil if it does not identify itself.
    var application: ClientApplication?
    var isMutation = false
    /// Whether the response comes from the response cache.
    var isReused = false
    /// The upstream calls and their duration; nil for a cached response.
    var upstream: UpstreamUsage?
}

extension OperationSummary {
    /// Creates the summary of an executed operation.
    init(
        _ request: PreparedRequest, _ outcome: GraphQLResponse.Outcome, from application: ClientApplication?,
        isReused: Bool = false
    ) {
        self.init(
            name: request.operationName, document: request.documentText, outcome: outcome,
            application: application, isMutation: request.operationType == .mutation, isReused: isReused)
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
