import Foundation
import GraphQL
import NIOCore
import NIOHTTP1
import SocketInputs
import Synchronization
import TestSupport
import Web

/// The route, with tools over a small schema.
struct ToolHandler {
    private let router: Router
    private let ids = RequestIDGenerator()
    private let limits: ServerLimits

    init(_ context: ToolContext = ToolContext(), isProduction: Bool = false) throws {
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
        if isProduction { configuration = configuration.inProduction }
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

    /// The JSON of the response to a message of the first revisions, without a token or with one.
    func json(_ message: String, token: String? = nil) async throws -> JSONValue {
        let fields =
            ["Content-Type: application/json"] + (token.map { ["Authorization: Bearer \($0)"] } ?? [])
        let response = try await response(
            to: ToolInputs.Input(fields: fields, body: Array(message.utf8), id: nil))
        guard case .complete(let body) = response.body else {
            throw ToolMessage.Invalid("the body is a stream")
        }
        return try JSONValue(parsing: String(decoding: body, as: UTF8.self))
    }

    /// The response to a request, with the result of a streamed call as its body.
    func completeResponse(to input: ToolInputs.Input) async throws -> HTTPResponse {
        var response = try await response(to: input)
        guard case .streamed(let body) = response.body else { return response }
        let events = Mutex<[String]>([])
        try await body.produce(BodyWriter { part, _ in events.withLock { $0.append(String(buffer: part)) } })
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
final class ToolContext: Sendable {
    let gate = Event<Void>()
}

/// A session with scopes, over the real engine.
final class ToolSession: GraphQLSession {
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
