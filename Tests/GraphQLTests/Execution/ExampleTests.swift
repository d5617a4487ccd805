import GraphQL
import Testing

@Suite("The example of the README and of the documentation")
struct ExampleTests {
    struct Query: GraphQLObject {
        static let graphQL = ObjectType<Query>("Query") {
            Field("hello") { _ in "world" }
        }
    }

    @Test("answers what it says")
    func answers() async throws {
        let schema = try ExecutableSchema(
            Schema.build("type Query { hello: String! }"), query: Query(), context: EmptyContext.self)
        let response = try await schema.respond(to: GraphQLRequest("{ hello }"), context: EmptyContext.shared)
            .value()
        #expect(String(decoding: response.body, as: UTF8.self) == #"{"data":{"hello":"world"}}"#)
    }
}
