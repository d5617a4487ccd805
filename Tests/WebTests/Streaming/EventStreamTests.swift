import GraphQL
import NIOCore
import TestSupport
import Testing

@testable import Web

@Suite("The expiry of a reserved event stream")
struct EventStreamTests {
    private let stream = EventStream(principal: nil, holding: nil, limit: 2)
    private let operation: StreamedOperation

    init() throws {
        let service = try LiveService.make().service
        let configuration = ServerConfiguration()
        let resources = OperationResources(
            service, configuration, ServerResources(configuration.limits), .silent)
        let context = RequestContext(
            requestID: RequestIDGenerator().make(), client: ClientAddress(nil), token: nil,
            session: service.session(nil), accepted: AcceptedResponses(accept: nil))
        operation = StreamedOperation(
            try resources.prepare(GraphQLRequest("{ hello }")), in: context, resources)
    }

    @Test("ends the stream and the operations that wait for it")
    func reserved() async throws {
        let hasEnded = Event<Void>()
        try stream.start(operation, id: "a") { hasEnded.happen() }
        #expect(stream.expire())
        await hasEnded.wait()
        #expect(!stream.expire())
        #expect(throws: HTTPError.unknownEventStream) { try stream.start(operation, id: "b") {} }
    }

    @Test("has no effect on a stream that a connection has opened: its operations complete")
    func opened() async throws {
        let (isOpen, early, late) = (Event<Void>(), Event<Void>(), Event<Void>())
        let writer = BodyWriter { part, _ in
            let text = String(buffer: part)
            if text == ":\n\n" { isOpen.happen() }
            if text.hasSuffix("event: complete\ndata: {\"id\":\"early\"}\n\n") { early.happen() }
            if text.hasSuffix("event: complete\ndata: {\"id\":\"late\"}\n\n") { late.happen() }
        }
        try stream.start(operation, id: "early") {}
        let body = try stream.open(heartbeat: .seconds(3_600)) {}
        let connection = Task { try await body.produce(writer) }
        await isOpen.wait()
        #expect(!stream.expire())
        try stream.start(operation, id: "late") {}
        await early.wait()
        await late.wait()
        connection.cancel()
        try await connection.value
        #expect(!stream.expire())
        #expect(throws: HTTPError.unknownEventStream) { try stream.start(operation, id: "a") {} }
    }
}
