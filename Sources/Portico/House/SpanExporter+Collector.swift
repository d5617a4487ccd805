import Logging
import Upstream
import Web

extension SpanExporter {
    /// Sends spans to a collector over the transport that providers are called by.
    convenience init(to collector: HTTPURL, over transport: HTTPClient, logger: Logger) {
        let resource = ["service.name": "portico", "service.version": Version.current]
        self.init(of: resource, logger: logger) { body in
            var request = HTTPClientRequest(
                .post, collector, body: body, deadline: .now + .seconds(10), maximumResponseBytes: 64 << 10)
            request.headers.add("Content-Type", "application/json")
            let response = try await transport.send(request)
            guard response.isSuccess else { throw CollectorError(status: response.status) }
        }
    }
}

/// A collector that does not take what it is sent.
private struct CollectorError: Error, CustomStringConvertible {
    let status: Int

    var description: String { "It answered with status \(status)." }
}
