import GraphQL
import Testing

@Suite("Rules for SDL documents")
struct SDLRuleTests {
    @Test("names what breaks a rule, and all places", arguments: bad)
    func refuses(_ bad: BadTypeSystem) {
        #expect(bad.found() == bad.errors)
    }

    static let bad = [
        BadTypeSystem(
            "schema { query: Q } schema { query: Q } type Q { a: Int }",
            "1:21 Must provide only one schema definition.",
            "1:10 1:30 There can be only one query type in schema."),
        BadTypeSystem(
            "schema { query: Q mutation: Q mutation: Q } type Q { a: Int }",
            "1:19 1:31 There can be only one mutation type in schema."),
        BadTypeSystem(
            "type Query { a: Int }\nenum Query { A }", "1:6 2:6 There can be only one type named \"Query\"."),
        BadTypeSystem(
            "type Query { a: E } enum E { A B A } extend enum E { B }",
            "1:30 1:34 Enum value \"E.A\" can only be defined once.",
            "1:32 1:54 Enum value \"E.B\" can only be defined once."),
        BadTypeSystem(
            "type Query { a: Int a: Int } extend type Query { a: Int }",
            "1:14 1:21 Field \"Query.a\" can only be defined once.",
            "1:14 1:50 Field \"Query.a\" can only be defined once."),
        BadTypeSystem(
            "type Query { a(x: Int, y: Int, x: Int): Int }",
            "1:16 1:32 Argument \"Query.a(x:)\" can only be defined once."),
        BadTypeSystem(
            "directive @d(x: Int, x: Int) on FIELD type Query { a: Int }",
            "1:14 1:22 Argument \"@d(x:)\" can only be defined once."),
        BadTypeSystem(
            "directive @d on FIELD directive @d on QUERY type Query { a: Int }",
            "1:12 1:34 There can be only one directive named \"@d\"."),
        BadTypeSystem(
            "type Query { a: Strin, b(x: Quer): [Query!]! }",
            "1:17 Unknown type \"Strin\". Did you mean \"String\"?",
            "1:29 Unknown type \"Quer\". Did you mean \"Query\"?"),
        BadTypeSystem("type Query { a: Int @nope }", "1:21 Unknown directive \"@nope\"."),
        BadTypeSystem(
            "type Query @deprecated { a(x: Int @oneOf): Int @skip(if: true) }",
            "1:12 Directive \"@deprecated\" may not be used on OBJECT.",
            "1:35 Directive \"@oneOf\" may not be used on ARGUMENT_DEFINITION.",
            "1:48 Directive \"@skip\" may not be used on FIELD_DEFINITION."),
        BadTypeSystem(
            "directive @d on OBJECT type Query @d { a: Int } extend type Query @d",
            "1:35 1:67 The directive \"@d\" can only be used once at this location."),
        BadTypeSystem(
            "type Query { a: Int } extend type Quer { b: Int } extend enum Query { A }",
            "1:35 Cannot extend type \"Quer\" because it is not defined. Did you mean \"Query\"?",
            "1:1 1:51 Cannot extend non-enum type \"Query\"."),
        BadTypeSystem(
            "type Query { a: Int @deprecated(reasn: \"x\") }",
            "1:33 Unknown argument \"reasn\" on directive \"@deprecated\". Did you mean \"reason\"?"),
        BadTypeSystem(
            "type Query { a: Int @deprecated(reason: \"x\", reason: \"y\") }",
            "1:33 1:46 There can be only one argument named \"reason\"."),
        BadTypeSystem(
            "type Query { a(x: I = {a: 1, a: 2}): Int } input I { a: Int }",
            "1:24 1:30 There can be only one input field named \"a\"."),
        BadTypeSystem(
            "scalar S @specifiedBy type Query { a: S }",
            "1:10 Argument \"@specifiedBy(url:)\" of type \"String!\" is required, but it was not provided."),
        BadTypeSystem("type Query {", "1:13 Syntax Error: Expected Name, found <EOF>."),
    ]

    @Test("reports no more errors than it is asked for, and says so")
    func stopsAtTheLimit() {
        let fields = (0..<10).map { "a\($0): Unknown" }.joined(separator: " ")
        let error = #expect(throws: GraphQLErrors.self) {
            try Schema.build("type Query { \(fields) }", errorLimit: 3)
        }
        #expect(error?.errors.count == 4)
        #expect(
            error?.errors.last?.message
                == "Too many validation errors, error limit reached. Validation aborted.")
    }
}
