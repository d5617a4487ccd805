import GraphQL
import Logging
import NIOCore
import NIOHTTP1
import PorticoCore
import Synchronization
import TestSupport
import Web

/// A collector of spans: a server of its own that keeps what it is sent.
final class Collector: Route {
    private let bodies = Mutex<[[UInt8]]>([])

    func admit(_ head: RequestHead, id: RequestID) -> Result<RequestHandler, RequestRejection> {
        .success { [self] body, _ in
            bodies.withLock { $0.append(Array(body.readableBytesView)) }
            return .ready(HTTPResponse(.ok, "application/json", body: Array("{}".utf8)))
        }
    }

    /// All that was sent so far.
    var spans: [JSONValue] {
        get throws {
            try bodies.withLock { $0 }.flatMap { body in
                try JSONValue(parsing: body)["resourceSpans"]?[0]?["scopeSpans"]?[0]?["spans"]?.elements ?? []
            }
        }
    }
}

/// Runs a collector around a test, which is given its address.
func withCollector(_ test: (Collector, _ url: String) async throws -> Void) async throws {
    let collector = Collector()
    let session = NoSession()
    let service = GraphQLService(schemaText: "", session: { _ in session })
    let server = try await HTTPServer.start(
        ServerConfiguration(host: "127.0.0.1", port: 0), service: service, routes: ["/v1/traces": collector],
        logger: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() })
    let running = Task { try await server.run() }
    let result = await Result.of { try await test(collector, "http://127.0.0.1:\(server.port)") }
    running.cancel()
    _ = await running.result
    try result.get()
}

/// Refuses all operations: a collector only receives spans.
private final class NoSession: GraphQLSession {
    func execute(_: PreparedRequest, in _: RequestContext) -> MaybeAsync<GraphQLResponse> {
        .ready(GraphQLResponse(requestErrors: [GraphQLError("Spans only.")]))
    }
}
