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
