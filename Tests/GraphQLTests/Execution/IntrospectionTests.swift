import GraphQL
import Testing

@Suite("Introspection")
struct IntrospectionTests {
    private func respond(_ document: String) async throws -> String {
        let schema = try ExecutableSchema(Schema.build(librarySDL), query: Query(), context: Library.self)
        let response = try await schema.respond(to: GraphQLRequest(document), context: Library()).value()
        return String(decoding: response.body, as: UTF8.self)
    }

    @Test(
        "answers about types",
        arguments: [
            Exchange(
                name: "an object type, with wrapped field types",
                document:
                    #"""
                    { __type(name: "Magazine") { kind name interfaces { name } fields { name type { kind \#
                    name ofType { name } } } } }
                    """#,
                response:
                    #"""
                    {"data":{"__type":{"kind":"OBJECT","name":"Magazine","interfaces":[{"name":"Item"}],\#
                    "fields":[{"name":"title","type":{"kind":"SCALAR","name":"String","ofType":null}},\#
                    {"name":"issue","type":{"kind":"SCALAR","name":"Int","ofType":null}},{"name":"editor",\#
                    "type":{"kind":"OBJECT","name":"Author","ofType":null}}]}}}
                    """#
            ),
            Exchange(
                name: "an interface has possible types",
                document:
                    #"""
                    { __type(name: "Item") { possibleTypes { name } enumValues { name } inputFields { \#
                    name } } }
                    """#,
                response:
                    #"""
                    {"data":{"__type":{"possibleTypes":[{"name":"Book"},{"name":"Magazine"}],\#
                    "enumValues":null,"inputFields":null}}}
                    """#
            ),
            Exchange(
                name: "an input object has fields with defaults",
                document:
                    #"""
                    { __type(name: "Filter") { isOneOf inputFields { name defaultValue type { kind ofType \#
                    { kind ofType { kind ofType { name } } } } } } }
                    """#,
                response:
                    #"""
                    {"data":{"__type":{"isOneOf":false,"inputFields":[{"name":"words",\#
                    "defaultValue":"[\"a\"]","type":{"kind":"NON_NULL","ofType":{"kind":"LIST",\#
                    "ofType":{"kind":"NON_NULL","ofType":{"name":"String"}}}}},{"name":"limit",\#
                    "defaultValue":null,"type":{"kind":"SCALAR","ofType":null}},{"name":"nested",\#
                    "defaultValue":null,"type":{"kind":"INPUT_OBJECT","ofType":null}}]}}}
                    """#
            ),
            Exchange(
                name: "an unknown type is null",
                document: #"{ __type(name: "Nope") { name } __typename }"#,
                response: #"{"data":{"__type":null,"__typename":"Query"}}"#),
            Exchange(
                name: "the roots",
                document: "{ __schema { queryType { name } mutationType { name } } }",
                response: #"{"data":{"__schema":{"queryType":{"name":"Query"},"mutationType":null}}}"#),
        ])
    func answers(_ exchange: Exchange) async throws {
        #expect(try await respond(exchange.document) == exchange.response)
    }

    /// The type of the field is `__Type!` (specification, section 4.2), so that the null is that of the response.
    @Test("has no null for the query type, also if a condition of its selection fails")
    func failedCondition() async throws {
        let schema = try ExecutableSchema(Schema.build(librarySDL), query: Query(), context: Library.self)
        let request = GraphQLRequest(
            "query ($b: Boolean = true) { __schema { queryType { name @include(if: $b) } } }",
            variables: ["b": .null])
        let response = try await schema.respond(to: request, context: Library()).value()
        let body = String(decoding: response.body, as: UTF8.self)
        #expect(body.contains(#""data":null"#), "\(body)")
        #expect(body.contains(#""path":["__schema","queryType"]"#), "\(body)")
    }
}
