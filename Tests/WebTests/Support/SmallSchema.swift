import GraphQL
import Web

/// A service over the real engine.
enum SmallSchema {
    static let text = """
        type Query { hello: String! say(tone: Tone!): String! }
        type Mutation { act: String! }
        enum Tone { LOUD SOFT }

        """

    static func service(options: ExecutionOptions = ExecutionOptions()) throws -> TestGraphQLService {
        let schema = try ExecutableSchema(
            Schema.build(text), query: Query(), mutation: Mutation(), context: EmptyContext.self,
            options: options)
        var service = TestGraphQLService(
            schemaText: text, session: { _ in .success("anonymous") },
            respond: { request, context in
                schema.respond(to: request, context: EmptyContext.shared, allowing: context.allowedOperations)
            })
        service.prepare = schema.prepare
        return service
    }

    private struct Query: GraphQLObject {
        static let graphQL = ObjectType<Query>("Query") {
            Field("hello") { _ in "world" }
            Field("say", Saying.self, once: { arguments, _ in .ready(arguments.tone.rawValue) })
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

    private struct Mutation: GraphQLObject {
        static let graphQL = ObjectType<Mutation>("Mutation") {
            Field("act") { _ in "done" }
        }
    }
}
