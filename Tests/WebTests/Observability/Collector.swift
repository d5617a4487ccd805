import GraphQL
import NIOCore
import NIOHTTP1
import Synchronization
import TestSupport
import Web

/// A collector of spans: a server that stores the requests that it receives.
struct Collector: Route {
    let status: HTTPResponseStatus
    private let bodies: AsyncStream<[UInt8]>
    private let collected: AsyncStream<[UInt8]>.Continuation

    init(answering status: HTTPResponseStatus = .ok) {
        self.status = status
        (bodies, collected) = AsyncStream.makeStream()
    }

    func admit(_ head: RequestHead, id: RequestID) -> Result<RequestHandler, RequestRejection> {
        guard head.method == .POST, head.fields.contentType == "application/json" else {
            return .failure(RequestRejection(.methodNotAllowed(head.method, allowed: [.POST]), id: id))
        }
        return .success { [status, collected] body, _ in
            collected.yield(Array(body.readableBytesView))
            return .ready(HTTPResponse(status, "application/json", body: Array("{}".utf8)))
        }
    }

    /// Returns the spans of the next request, with the attributes of the server.
    func next() async throws -> (resource: JSONValue?, spans: [JSONValue]) {
        for await body in bodies {
            let spans = try JSONValue(parsing: body)["resourceSpans"]?[0]
            return (spans?["resource"], spans?["scopeSpans"]?[0]?["spans"]?.elements ?? [])
        }
        throw CancellationError()
    }

    /// Sends to a collector on a server.
    static func send(to server: TestServer) -> SpanExporter.Send {
        { body in
            let answer = try await server.ask(
                RawRequest.post(String(decoding: body, as: UTF8.self), path: "/v1/traces"))
            guard answer.status == 200 else { throw NotTaken() }
        }
    }

    struct NotTaken: Error {}
}
