import GraphQL
import Testing

@Suite("Introspection within the default limits")
struct IntrospectionLimitTests {
    /// The query of graphql-js's `getIntrospectionQuery` with all options, with its deepest types `levels`
    /// deep.
    static func query(levels: Int) -> String {
        let type =
            String(repeating: " ofType { kind name", count: levels) + String(repeating: " }", count: levels)
        return """
            query IntrospectionQuery {
              __schema {
                description
                queryType { name kind } mutationType { name kind } subscriptionType { name kind }
                types { ...FullType }
                directives {
                  name description isRepeatable locations
                  args(includeDeprecated: true) { ...InputValue }
                }
              }
            }
            fragment FullType on __Type {
              kind name description specifiedByURL isOneOf
              fields(includeDeprecated: true) {
                name description
                args(includeDeprecated: true) { ...InputValue }
                type { ...TypeRef }
                isDeprecated deprecationReason
              }
              inputFields(includeDeprecated: true) { ...InputValue }
              interfaces { ...TypeRef }
              enumValues(includeDeprecated: true) { name description isDeprecated deprecationReason }
              possibleTypes { ...TypeRef }
            }
            fragment InputValue on __InputValue {
              name description type { ...TypeRef } defaultValue isDeprecated deprecationReason
            }
            fragment TypeRef on __Type { kind name\(type) }
            """
    }

    @Test("the introspection query of the usual tools passes, and costs nothing")
    func tools() throws {
        let schema = try LimitedSchema(CostTests.sdl)
        let text = IntrospectionLimitTests.query(levels: 9)
        #expect(try schema.refusals(of: text, .default) == [])
        #expect(try schema.cost(text) == schema.cost("{ __typename }"))
        let measure = try schema.measure(text)
        #expect(measure.introspectionDepth == 15 && measure.depth == 1 && measure.aliases == 0)
    }

    @Test("one level of types more is refused with its place")
    func deeper() throws {
        let schema = try LimitedSchema(CostTests.sdl)
        let refusals = try schema.refusals(of: IntrospectionLimitTests.query(levels: 10), .default)
        #expect(refusals.map(\.code) == ["INTROSPECTION_DEPTH_LIMIT_EXCEEDED"])
        #expect(refusals.map(\.place) == ["28:220"])
    }

    @Test(
        "lists of introspection within lists are refused by validation",
        arguments: [
            ("{ __schema { types { fields { type { fields { name } } } } } }", nil),
            ("{ __schema { types { fields { type { interfaces { possibleTypes { name } } } } } } }", "1:3"),
            (
                "{ __type(name: \"A\") { ...T } } fragment T on __Type { fields { type { inputFields { type { ...U } } } } } "
                    + "fragment U on __Type { interfaces { name } }", "1:3"
            ),
        ])
    func lists(_ query: String, _ place: String?) throws {
        let schema = try LimitedSchema(CostTests.sdl)
        do {
            _ = try schema.check(query, .default)
            #expect(place == nil)
        } catch let errors as GraphQLErrors {
            #expect(errors.errors.map(\.message) == ["Maximum introspection depth exceeded"])
            #expect(errors.errors.map { LimitRefusal($0).place } == [place])
        }
    }

    @Test("aliases, root fields and fields of introspection count with the rest")
    func amplification() throws {
        let schema = try LimitedSchema(CostTests.sdl)
        let text = "{ " + (0...30).map { "x\($0): __schema { types { name } } " }.joined() + "}"
        let refusals = try schema.refusals(of: text, .default)
        #expect(refusals.map(\.code) == ["ALIAS_LIMIT_EXCEEDED", "ROOT_FIELD_LIMIT_EXCEEDED"])
    }
}
