import GraphQL
import Web

/// A service over the real engine.
enum SmallSchema {
    static let text = """
        type Query { hello: String! }
        type Mutation { act: String! }

        """

    static func service(options: ExecutionOptions = ExecutionOptions()) throws -> GraphQLService<Void> {
        let schema = try ExecutableSchema(
            Schema.build(text), query: Query(), mutation: Mutation(), context: Void.self, options: options)
        return GraphQLService(
            schemaText: text, session: { _ in .success(()) },
            respond: { request, context in
                schema.respond(to: request, context: (), allowing: context.allowedOperations)
            })
    }

    private struct Query: GraphQLObject {
        static let graphQL = Object<Query>("Query") {
            Field("hello") { _ in "world" }
        }
    }

    private struct Mutation: GraphQLObject {
        static let graphQL = Object<Mutation>("Mutation") {
            Field("act") { _ in "done" }
        }
    }
}
