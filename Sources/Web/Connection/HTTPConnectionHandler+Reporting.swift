import Logging
import NIOCore
import NIOHTTP1

/// What is told of answers to those who run the server.
extension HTTPConnectionHandler {
    /// Counts an answer and logs it, without what a client has asked for or been told.
    func report(_ response: HTTPResponse, to exchange: HTTPExchange) {
        let duration = NIODeadline.now() - exchange.arrival
        server.load.metrics.record(
            path: server.router.label(for: exchange.path), method: exchange.method.rawValue,
            status: response.status.code, response.operation, took: duration)
        server.logger.log(
            level: server.configuration.answerLevel, "Answered",
            metadata: Self.metadata(response, exchange, duration))
    }

    private static func metadata(
        _ response: HTTPResponse, _ exchange: HTTPExchange, _ duration: TimeAmount
    ) -> Logger.Metadata {
        var metadata: Logger.Metadata = [
            "requestID": "\(exchange.id)", "method": "\(exchange.method.rawValue)",
            "path": "\(exchange.path)", "status": "\(response.status.code)",
            "bytes": "\(response.body.count.map(String.init) ?? "streamed")",
            "microseconds": "\(duration.nanoseconds / 1_000)",
        ]
        if let operation = response.operation { metadata.merge(operation.metadata) { own, _ in own } }
        return metadata
    }
}
