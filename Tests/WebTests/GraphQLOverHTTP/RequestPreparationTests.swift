import Foundation
import GraphQL
import NIOCore
import Synchronization
import TestSupport
import Testing
import Web

@Suite("The preparation of a request's document")
struct RequestPreparationTests {
    /// A way to send one document.
    enum Form: String, CaseIterable, CustomTestStringConvertible {
        case post, postAcceptingStream, postAcceptingStreamOnly
        case get, getAcceptingStream, getAcceptingStreamOnly
        case webSocket, array

        var testDescription: String { rawValue }
    }

    private static let trace = "traceparent: 00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01"

    /// The service, with tracing and a cache policy for each operation.
    private func service(_ schema: ExecutableSchema<LiveContext>) -> TestGraphQLService {
        var service = LiveService.make(schema)
        service.tracer = RequestTracer()
        service.audience = { _ in [] }
        return service
    }

    /// Sends one document and waits for the response.
    private func send(_ document: String, as form: Form, to server: TestServer) async throws {
        let body = RawRequest.query(document)
        let escaped = document.addingPercentEncoding(withAllowedCharacters: .alphanumerics) ?? ""
        let both = "Accept: application/json, text/event-stream"
        switch form {
        case .post: _ = try await server.ask(RawRequest.post(body, fields: [Self.trace]))
        case .postAcceptingStream:
            _ = try await server.ask(RawRequest.post(body, fields: [Self.trace, both]))
        case .postAcceptingStreamOnly:
            let answer = try await server.ask(
                RawRequest.post(body, fields: [Self.trace, "Accept: text/event-stream"]))
            #expect(answer.body.contains("event: complete"))
        case .get: _ = try await server.ask(RawRequest.get("/graphql?query=\(escaped)", fields: [Self.trace]))
        case .getAcceptingStream:
            _ = try await server.ask(RawRequest.get("/graphql?query=\(escaped)", fields: [Self.trace, both]))
        case .getAcceptingStreamOnly:
            let answer = try await server.ask(
                RawRequest.get(
                    "/graphql?query=\(escaped)", fields: [Self.trace, "Accept: text/event-stream"]))
            #expect(answer.body.contains("event: complete"))
        case .webSocket:
            let socket = try await SocketClient.open(
                server, SocketClient.handshake(fields: "\(Self.trace)\r\n"))
            try await socket.say(#"{"type":"connection_init"}"#)
            _ = try await socket.next()
            try await socket.subscribe("a", document)
            #expect(try await socket.next().text.contains(#""id":"a""#))
        case .array: _ = try await server.ask(RawRequest.post("[\(body)]", fields: [Self.trace]))
        }
    }

    @Test(
        "happens once, also if it is refused",
        arguments: Form.allCases, ["{ hello", "{ nothing }", "{ hello } # sent for the first time"])
    func once(_ form: Form, _ document: String) async throws {
        let schema = try LiveService.schema()
        let prepared = Atomic(0)
        var service = service(schema)
        service.prepare = { request in
            prepared.wrappingAdd(1, ordering: .relaxed)
            return schema.prepare(request)
        }
        var limits = ServerLimits.patient
        limits.batch = 10
        try await withServer(service, limits: limits) { server in
            try await send(document, as: form, to: server)
            #expect(prepared.load(ordering: .relaxed) == 1)
            #expect(schema.parsedDocuments == 1)
        }
    }

    @Test("happens once for each request of an array")
    func array() async throws {
        let schema = try LiveService.schema()
        var limits = ServerLimits.patient
        limits.batch = 10
        try await withServer(service(schema), limits: limits) { server in
            let bodies = ["{ hello", "{ nothing }", "{ hello }"].map(RawRequest.query)
            _ = try await server.ask(
                RawRequest.post("[\(bodies.joined(separator: ","))]", fields: [Self.trace]))
            #expect(schema.parsedDocuments == 3)
            let nested = try await server.ask(RawRequest.post("[[\(bodies[0])]]"))
            #expect(
                nested.message == #"The request must be a JSON object with the key "query", not an array."#)
        }
    }
}
