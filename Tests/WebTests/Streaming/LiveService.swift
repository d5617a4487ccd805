import GraphQL
import TestSupport
import Web

/// A service over a real schema, whose subscriptions count.
enum LiveService {
    /// A service whose tokens all end with one event.
    static func make(endingTokens end: Event<Void>? = nil) throws -> TestGraphQLService {
        make(try schema(), endingTokens: end)
    }

    /// A service whose mutations report their start, and then wait.
    static func make(mutationStarted started: Event<Void>, waitingFor gate: Event<Void>) throws
        -> TestGraphQLService
    {
        var service = try make()
        service.subscribe = { [subscribe = service.subscribe] request, context in
            if request.operationType == .mutation {
                started.happen()
                await gate.wait()
            }
            return await subscribe(request, context)
        }
        return service
    }

    static func schema() throws -> ExecutableSchema<LiveContext> {
        try ExecutableSchema(
            Schema.build(
                """
                type Query { hello: String! echo(text: String!): String! failing: String never: String! }
                type Mutation { act: String! renew: String! }
                type Subscription { count(to: Int!): Int! endless: Int! whose: String! partly: Int }
                """), query: LiveQuery(), mutation: LiveMutation(), subscription: LiveSubscription(),
            context: LiveContext.self)
    }

    /// The service of a schema; a test reads the schema's counters.
    static func make(
        _ schema: ExecutableSchema<LiveContext>, endingTokens end: Event<Void>? = nil
    ) -> TestGraphQLService {
        var service = TestGraphQLService(
            respond: { request, context in
                schema.respond(
                    to: request, context: LiveContext(context.sessionName),
                    allowing: context.allowedOperations)
            })
        service.subscribe = { request, context in
            if request.documentText == Array("mutation { renew }".utf8) { end?.happen() }
            return await schema.subscribe(to: request, context: LiveContext(context.sessionName))
        }
        if let end {
            service.isValid = { _ in !end.hasHappened }
            service.onEnd = { _, observer in
                let waiting = Task {
                    await end.wait()
                    if !Task.isCancelled { observer() }
                }
                return { waiting.cancel() }
            }
        }
        service.prepare = schema.prepare
        return service
    }
}

/// The context of requests to a `LiveService`.
final class LiveContext: Sendable {
    /// The name of the session.
    let session: String

    init(_ session: String) { self.session = session }
}

private struct LiveQuery: GraphQLObject {
    typealias Context = LiveContext

    static let graphQL = ObjectType<LiveQuery>("Query") {
        Field("hello") { _ in "world" }
        Field("echo", Text.self, once: { arguments, _ in .ready(arguments.text) })
        Field("failing", once: { _ -> MaybeAsync<String?> in .async { throw Broken() } })
        // Ends only when the request is cancelled.
        Field(
            "never",
            once: { _ -> MaybeAsync<String> in
                .async {
                    try await Task.sleep(for: .seconds(3_600))
                    return ""
                }
            })
    }

    struct Text: GraphQLArguments {
        let text: String
        init(_ arguments: ArgumentReader) throws { text = try arguments["text"] }
    }
}

private struct Broken: Error {}

private struct LiveMutation: GraphQLObject {
    typealias Context = LiveContext
    static let graphQL = ObjectType<LiveMutation>("Mutation") {
        Field("act") { _ in "done" }
        // The service ends the token when this field starts.
        Field("renew") { _ in "another token" }
    }
}

private struct LiveSubscription: GraphQLObject {
    typealias Context = LiveContext

    static let graphQL = ObjectType<LiveSubscription>("Subscription") {
        Field("count", Bound.self, events: { bound, _ in AsyncStream.of(1...max(bound.to, 1)) })
        Field("endless", events: { _ in AsyncStream<Int> { $0.yield(1) } })
        Field("whose", events: { context in AsyncStream.of([context.session]) })
        Field(
            "partly",
            events: { _ in AsyncStream<Result<Int?, any Error>>.of([.failure(Broken()), .success(2)]) })
    }

    struct Bound: GraphQLArguments {
        let to: Int
        init(_ arguments: ArgumentReader) throws { to = try arguments["to"] }
    }
}

extension AsyncStream where Element: Sendable {
    /// A stream of these elements, which ends after the last one.
    fileprivate static func of(_ elements: some Sequence<Element>) -> AsyncStream {
        AsyncStream { stream in
            for element in elements { stream.yield(element) }
            stream.finish()
        }
    }
}
