import GraphQL
import Web

/// A service over a real schema, whose subscriptions count.
enum LiveService {
    /// A service; `isValid` tells whether a session has not ended.
    static func make(
        isValid: @escaping @Sendable (String) -> Bool = { _ in true }
    ) throws -> GraphQLService<String> {
        let schema = try ExecutableSchema(
            Schema.build(
                """
                type Query { hello: String! echo(text: String!): String! failing: String never: String! }
                type Mutation { act: String! }
                type Subscription { count(to: Int!): Int! endless: Int! whose: String! partly: Int }
                """), query: LiveQuery(), mutation: LiveMutation(), subscription: LiveSubscription(),
            context: String.self)
        var service = GraphQLService<String>(
            schemaText: "",
            session: { token in
                switch token {
                case nil: .success("anonymous")
                case "good": .success("somebody")
                case .some: .failure(.invalidToken("The token is unknown or has expired."))
                }
            },
            respond: { request, context in
                schema.respond(to: request, context: context.session, allowing: context.allowedOperations)
            })
        service.subscribe = { request, context in
            await schema.subscribe(to: request, context: context.session)
        }
        service.isValid = isValid
        service.operationType = { schema.operationType(of: $0) }
        return service
    }
}

private struct LiveQuery: GraphQLObject {
    typealias Context = String

    static let graphQL = Object<LiveQuery>("Query") {
        Field("hello") { _ in "world" }
        Field("echo", Text.self, once: { arguments, _ in .ready(arguments.text) })
        Field("failing", once: { _ -> Loading<String?> in .later { throw Broken() } })
        // Ends with whoever asks for it.
        Field(
            "never",
            once: { _ -> Loading<String> in
                .later {
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
    typealias Context = String
    static let graphQL = Object<LiveMutation>("Mutation") { Field("act") { _ in "done" } }
}

private struct LiveSubscription: GraphQLObject {
    typealias Context = String

    static let graphQL = Object<LiveSubscription>("Subscription") {
        Field("count", Bound.self, events: { bound, _ in AsyncStream.of(1...max(bound.to, 1)) })
        Field("endless", events: { _ in AsyncStream<Int> { $0.yield(1) } })
        Field("whose", events: { context in AsyncStream.of([context]) })
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
    /// A stream of these elements, which ends with them.
    fileprivate static func of(_ elements: some Sequence<Element>) -> AsyncStream {
        AsyncStream { stream in
            for element in elements { stream.yield(element) }
            stream.finish()
        }
    }
}
