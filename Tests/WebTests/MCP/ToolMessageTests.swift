import Foundation
import GraphQL
import NIOCore
import NIOHTTP1
import SocketInputs
import Synchronization
import TestSupport
import Testing

@testable import Web

/// Generated messages to the route of `/mcp`, without sockets.
@Suite("Generated messages of the Model Context Protocol")
struct ToolMessageTests {
    /// FUZZ_RUNS sets the number of messages.
    private static let runs = ProcessInfo.processInfo.environment["FUZZ_RUNS"].flatMap { Int($0) } ?? 2_000

    @Test("get a response of JSON-RPC with the id of the message, or an error of HTTP")
    func responses() async throws {
        let handler = try ToolHandler()
        var inputs = ToolInputs(seed: 1)
        var statuses: [Int: Int] = [:]
        var (results, toolErrors) = (0, 0)
        for number in 0..<Self.runs {
            let input = inputs.next()
            let response = try await handler.completeResponse(to: input)
            statuses[Int(response.status.code), default: 0] += 1
            do {
                let message = try ToolMessage(response, to: input)
                if message.result != nil { results += 1 }
                if message.result?["isError"] as? Bool == true { toolErrors += 1 }
            } catch {
                Issue.record("message \(number): \(error)\n\(input.text)")
                return
            }
        }
        // Each kind of response occurs.
        #expect(Set(statuses.keys).isSuperset(of: [200, 202, 400, 401, 403, 404, 406, 415]), "\(statuses)")
        #expect(results > Self.runs / 20 && toolErrors > Self.runs / 200, "\(results), \(toolErrors)")
    }
}

/// A call whose client asks for its progress.
@Suite("The stream of a tool's call")
struct ToolStreamTests {
    private static func call(_ more: String, accept: String) -> ToolInputs.Input {
        let body = #"{"jsonrpc":"2.0","id":7,"method":"tools/call","params":{"name":"Slow"\#(more)}}"#
        return ToolInputs.Input(
            fields: ["Content-Type: application/json", "Accept: \(accept)"], body: Array(body.utf8), id: "7")
    }

    @Test("tells that the call has started, before its result is available")
    func stream() async throws {
        let context = ToolContext()
        let handler = try ToolHandler(context)
        let response = try await handler.response(
            to: Self.call(#","_meta":{"progressToken":"p"}"#, accept: "application/json, text/event-stream"))
        guard case .streamed(let body) = response.body else {
            Issue.record("the body is complete")
            return
        }
        #expect(response.contentType.map { "\($0)" } == "text/event-stream; charset=utf-8")
        let parts = Mutex<[String]>([])
        try await body.produce(
            BodyWriter { part in
                parts.withLock { $0.append(String(buffer: part)) }
                // The client has the first event.
                context.gate.happen()
            })
        #expect(
            parts.withLock(\.self).first == """
                event: message
                data: {"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":"p","progress":0,\
                "total":1,"message":"The operation Slow has started."}}

                :


                """)
        #expect(
            parts.withLock(\.self).dropFirst().first == #"""
                event: message
                data: {"jsonrpc":"2.0","id":7,"result":{"content":[{"type":"text","text":\#
                "{\"data\":{\"slow\":\"done\"}}"}],"isError":false,"structuredContent":{"data":{"slow":"done"}}}}


                """#)
    }

    @Test(
        "is one object for a client that asks for no progress, or accepts no events",
        arguments: [
            ("", "application/json, text/event-stream"),
            (#","_meta":{"progressToken":"p"}"#, "application/json"),
            (#","_meta":{"progressToken":1.5}"#, "application/json, text/event-stream"),
        ])
    func object(more: String, accept: String) async throws {
        let context = ToolContext()
        context.gate.happen()
        let response = try await ToolHandler(context).response(to: Self.call(more, accept: accept))
        guard case .complete(let body) = response.body else {
            Issue.record("the body is a stream")
            return
        }
        #expect(String(decoding: body, as: UTF8.self).hasPrefix(#"{"jsonrpc":"2.0","id":7,"result":"#))
    }
}

/// The route, with tools over a small schema.
private struct ToolHandler {
    private let router: Router
    private let ids = RequestIDGenerator()
    private let limits: ServerLimits

    init(_ context: ToolContext = ToolContext()) throws {
        let schema = try ExecutableSchema(
            Schema.build(Self.text), query: Query(), mutation: Mutation(), context: ToolContext.self)
        let session = { @Sendable (token: String?) -> ToolSession in
            switch token {
            case nil: ToolSession(schema, context, [])
            case "reader": ToolSession(schema, context, ["READ"])
            case "trader": ToolSession(schema, context, ["READ", "TRADE"])
            default: ToolSession(schema, context, [], rejection: .invalidToken("The token is unknown."))
            }
        }
        var service = GraphQLService(schemaText: Self.text) { token in
            guard token == "unverified" else { return session(token) }
            return ToolSession(schema, context, []) { session("reader") }
        }
        service.prepare = schema.prepare
        service.tools = ToolCatalog(
            documents: Self.documents, mutations: ["Act"], schema: schema.schema, schemaText: Self.text,
            rules: ToolRules(
                scalars: [:], serverFields: ["ActInput": "key"], notes: ["act": "It needs a reason."]),
            version: "1")
        var configuration = ServerConfiguration(host: "127.0.0.1", port: 0, limits: .patient)
        configuration.limits.jsonDepth = 64
        limits = configuration.limits
        router = Router(service, configuration, ServerResources(configuration.limits), logger: .silent)
    }

    /// The response to a request, which the server's own parser reads.
    func response(to input: ToolInputs.Input) async throws -> HTTPResponse {
        var parser = RequestParser(limits)
        parser.receive(ByteBuffer(bytes: input.request))
        guard case .head(let head) = parser.next() else { throw ToolMessage.Invalid("its head is malformed") }
        switch router.admit(head, id: ids.make()) {
        case .success(let handler): return try await handler(ByteBuffer(bytes: input.body), false).value()
        case .failure(let rejection): return rejection.response
        }
    }

    /// The response to a request, with the result of a streamed call as its body.
    func completeResponse(to input: ToolInputs.Input) async throws -> HTTPResponse {
        var response = try await response(to: input)
        guard case .streamed(let body) = response.body else { return response }
        let events = Mutex<[String]>([])
        try await body.produce(BodyWriter { part in events.withLock { $0.append(String(buffer: part)) } })
        let text = events.withLock { $0.joined() }
        let messages = text.split(separator: "\n").filter { $0.hasPrefix("data: ") }.map { $0.dropFirst(6) }
        guard messages.count == 2, messages[0].contains("notifications/progress"), let last = messages.last
        else { throw ToolMessage.Invalid("its stream is \(text)") }
        response.body = .complete(Array(last.utf8))
        return response
    }

    private static let documents = [
        "query Hello { hello }", "query Say($tone: Tone!) { say(tone: $tone) }",
        "query Find($at: Point, $count: Int = 1) { find(at: $at, count: $count) }", "query Own { own }",
        "query Several { a: hello own }", "query Slow { slow }",
        "mutation Act($input: ActInput!, $inputs: [ActInput!]) { act(input: $input, others: $inputs) }",
    ]

    private static let text = """
        directive @requires(scope: Scope!) on FIELD_DEFINITION
        enum Scope { READ TRADE }
        type Query {
          hello: String
          say(tone: Tone!): String!
          find(at: Point, count: Int): Int
          own: String @requires(scope: READ)
          slow: String
        }
        type Mutation { act(input: ActInput!, others: [ActInput!]): String @requires(scope: TRADE) }
        enum Tone { LOUD SOFT }
        input Point @oneOf { x: Int of: Point }
        input ActInput { key: String! text: String! inner: [ActInput!] }
        """

    private struct Query: GraphQLObject {
        typealias Context = ToolContext

        static let graphQL = ObjectType<Query>("Query") {
            Field("hello") { _ in Optional("world") }
            Field("say", Saying.self, once: { arguments, _ in .ready(arguments.tone.rawValue) })
            Field("find", Finding.self, once: { arguments, _ in .async { arguments.count } })
            Field("own", once: { _ -> MaybeAsync<String?> in throw Failure() })
            Field(
                "slow",
                once: { context -> MaybeAsync<String?> in
                    .async {
                        await context.gate.wait()
                        return "done"
                    }
                })
        }
    }

    private struct Failure: Error {}

    private struct Mutation: GraphQLObject {
        typealias Context = ToolContext

        static let graphQL = ObjectType<Mutation>("Mutation") {
            Field("act", Acting.self, once: { arguments, _ in .ready(Optional(arguments.input.key)) })
        }
    }

    private enum Tone: String, GraphQLEnum, GraphQLInput {
        case loud = "LOUD"
        case soft = "SOFT"

        static var sample: Tone { .loud }
    }

    private struct Saying: GraphQLArguments {
        let tone: Tone
        init(_ arguments: ArgumentReader) throws { tone = try arguments["tone"] }
    }

    private struct Point: GraphQLInputObject {
        static var sample: Point { Point() }
        init() {}
        init(_ fields: ArgumentReader) throws {
            let _: Int? = try fields["x"]
            let _: Point? = try fields["of"]
        }
    }

    private struct Finding: GraphQLArguments {
        let count: Int?
        init(_ arguments: ArgumentReader) throws {
            let _: Point? = try arguments["at"]
            count = try arguments["count"]
        }
    }

    private struct ActInput: GraphQLInputObject {
        let key: String
        static var sample: ActInput { ActInput(key: "") }
        init(key: String) { self.key = key }
        init(_ fields: ArgumentReader) throws {
            key = try fields["key"]
            let _: String = try fields["text"]
            let _: [ActInput]? = try fields["inner"]
        }
    }

    private struct Acting: GraphQLArguments {
        let input: ActInput
        init(_ arguments: ArgumentReader) throws {
            input = try arguments["input"]
            let _: [ActInput]? = try arguments["others"]
        }
    }
}

/// The context of the schema: `slow` waits for the gate.
private final class ToolContext: Sendable {
    let gate = Event<Void>()
}

/// A session with scopes, over the real engine.
private final class ToolSession: GraphQLSession {
    let scopes: Set<String>
    let tokenRejection: AuthenticationError?
    let verification: (@Sendable () async -> any GraphQLSession)?
    private let schema: ExecutableSchema<ToolContext>
    private let context: ToolContext

    init(
        _ schema: ExecutableSchema<ToolContext>, _ context: ToolContext, _ scopes: Set<String>,
        rejection: AuthenticationError? = nil,
        verification: (@Sendable () async -> any GraphQLSession)? = nil
    ) {
        (self.schema, self.context, self.scopes, tokenRejection) = (schema, context, scopes, rejection)
        self.verification = verification
    }

    func execute(_ request: PreparedRequest, in context: RequestContext) -> MaybeAsync<GraphQLResponse> {
        schema.respond(to: request, context: self.context, allowing: context.allowedOperations)
    }

    func subscribe(
        _ request: PreparedRequest, in context: RequestContext
    ) async -> Result<ResponseStream, SubscriptionError> {
        await schema.subscribe(to: request, context: self.context, in: context.incrementalFormat)
    }
}

/// A response to a message, which obeys JSON-RPC 2.0 and the Model Context Protocol.
private struct ToolMessage {
    /// The reason why a response is not valid.
    struct Invalid: Error, CustomStringConvertible {
        let description: String
        init(_ description: String) { self.description = description }
    }

    /// The member `result`; nil for an error, and for the response to a notification.
    let result: [String: Any]?

    /// - Throws: `Invalid`, or Foundation's error for a body that is not JSON.
    init(_ response: HTTPResponse, to input: ToolInputs.Input) throws {
        guard case .complete(let body) = response.body else { throw Invalid("the body is not complete") }
        if response.status == .accepted {
            guard body.isEmpty, input.id == nil else { throw Invalid("202 with a body, or for a request") }
            result = nil
            return
        }
        let json = try JSONSerialization.jsonObject(with: Data(body)) as? [String: Any]
        guard let json else { throw Invalid("the body is no object") }
        guard json["jsonrpc"] as? String == "2.0" else {
            // An error of HTTP before the route: of another site.
            guard response.status == .forbidden, json["errors"] is [Any] else {
                throw Invalid("\(response.status) without a message of JSON-RPC")
            }
            result = nil
            return
        }
        let isAnswer =
            response.status == .ok || response.status == .badRequest || response.status == .notFound
        if let id = input.id, isAnswer, !body.starts(with: #"{"jsonrpc":"2.0","id":\#(id),"#.utf8) {
            // The id is compared as it was sent, except for an escaped character.
            guard id.contains("\\"), json["id"] as? String == "é" else { throw Invalid("the id differs") }
        }
        if let error = json["error"] as? [String: Any] {
            guard json["result"] == nil, error["code"] is Int, (error["message"] as? String)?.isEmpty == false
            else { throw Invalid("the error is malformed") }
            result = nil
            return
        }
        guard response.status == .ok, let result = json["result"] as? [String: Any] else {
            throw Invalid("neither a result nor an error")
        }
        self.result = result
        guard let content = result["content"] as? [[String: Any]] else { return }
        guard content.count == 1, content[0]["type"] as? String == "text",
            (content[0]["text"] as? String)?.isEmpty == false, let isError = result["isError"] as? Bool,
            isError == (result["structuredContent"] == nil)
        else { throw Invalid("the result of the tool is malformed") }
    }
}
