import GraphQL
import Testing

@Suite("Rules for type systems")
struct TypeSystemRuleTests {
    @Test("names what breaks a rule, and all places", arguments: bad + evaluatedDirectives)
    func refuses(_ bad: BadTypeSystem) {
        #expect(bad.found() == bad.errors)
    }

    /// The query type precedes the SDL, so locations begin at column 24.
    private static func with(_ sdl: String, _ errors: String...) -> BadTypeSystem {
        var bad = BadTypeSystem("type Query { a: Int }  " + sdl)
        bad.errors = errors
        return bad
    }

    /// graphql-core 3.3.2, the port of graphql-js 17.1, has the same errors at the same lines and columns.
    static let bad = [
        BadTypeSystem("type Other { a: Int }", "Query root type must be provided."),
        BadTypeSystem("schema { mutation: M } type M { a: Int }", "1:1 Query root type must be provided."),
        BadTypeSystem(
            "schema { query: I mutation: E } input I { a: Int } enum E { A }",
            "1:17 Query root type must be Object type, it cannot be I.",
            "1:29 Mutation root type must be Object type if provided, it cannot be E."),
        BadTypeSystem(
            "schema { query: Q mutation: Q subscription: Q } type Q { a: Int }",
            """
            1:17 1:29 1:45 All root types must be different, "Q" type is used as query, mutation, and subscription \
            root types.
            """),
        with(
            "directive @d(a: Query, b: Int! @deprecated) on FIELD",
            "1:37 The type of @d(a:) must be Input Type but got: Query.",
            "1:55 1:50 Required argument @d(b:) cannot be deprecated."),
        with(
            "type __T { __f(__a: Int): Int }",
            "1:24 Name \"__T\" must not begin with \"__\", which is reserved by GraphQL introspection.",
            "1:35 Name \"__f\" must not begin with \"__\", which is reserved by GraphQL introspection.",
            "1:39 Name \"__a\" must not begin with \"__\", which is reserved by GraphQL introspection."),
        with(
            "type T extend type T @d directive @d on OBJECT",
            "1:24 1:31 Type T must define one or more fields."),
        with(
            "type T { a: I b(x: T!): Int } input I { a: Int }",
            "1:36 The type of T.a must be Output Type but got: I.",
            "1:43 The type of T.b(x:) must be Input Type but got: T!."),
        with(
            "enum E { __V } input I { __x: Int } directive @__d(__x: Int) on FIELD",
            "1:60 Name \"__d\" must not begin with \"__\", which is reserved by GraphQL introspection.",
            "1:75 Name \"__x\" must not begin with \"__\", which is reserved by GraphQL introspection.",
            "1:33 Name \"__V\" must not begin with \"__\", which is reserved by GraphQL introspection.",
            "1:49 Name \"__x\" must not begin with \"__\", which is reserved by GraphQL introspection."),
        with("enum E", "1:24 Enum type E must define one or more values."),
        with("union U", "1:24 Union type U must define one or more member types."),
        with(
            "union U = Query | Query | E enum E { A }",
            "1:34 1:42 Union type U can only include type Query once.",
            "1:50 Union type U can only include Object types, it cannot include E."),
        with(
            "type T implements Query & J & J & I { a: Int b: Int } interface I { a: Int } interface J { b: Int }",
            "1:42 Type T must only implement Interface types, it cannot implement Query.",
            "1:50 1:54 Type T can only implement J once."),
        with(
            "interface I implements I { a: Int }",
            "1:47 Type I cannot implement itself because it would create a circular reference."),
        with(
            "type T implements J { a: Int } interface I { a: Int } interface J implements I { a: Int }",
            "1:101 1:42 Type T must implement I because it is implemented by J."),
        with(
            "type T implements I { b(x: Int y: Int!): Int c: [Int] @deprecated } "
                + "interface I { a: Int b(x: String z: Int): Int c: [Int!]! }",
            "1:106 1:24 Interface field I.a expected but T does not provide it.",
            "1:118 1:51 Interface field argument I.b(x:) expects type String but T.b(x:) is type Int.",
            "1:125 1:46 Interface field argument I.b(z:) expected but T.b does not provide it.",
            """
            1:55 1:113 Argument "T.b(y:)" must not be required type "Int!" if not provided by the Interface field \
            "I.b".
            """,
            "1:141 1:72 Interface field I.c expects type [Int!]! but T.c is type [Int].",
            "1:78 1:72 Interface field I.c is not deprecated, so implementation field T.c must not be deprecated."
        ),
        with("input I", "1:24 Input Object type I must define one or more fields."),
        with(
            "input I @oneOf { a: Int! b: Int = 1 c: Int! @deprecated d: Query }",
            "1:44 OneOf input field I.a must be nullable.",
            "1:49 OneOf input field I.b cannot have a default value.",
            "1:68 1:63 Required input field I.c cannot be deprecated.",
            "1:63 OneOf input field I.c must be nullable.",
            "1:83 The type of I.d must be Input Type but got: Query."),
        with(
            "input I { a: Int = \"x\" b: [E!] = [A, null, B] } enum E { A }",
            "1:43 I.a has invalid default value: Int cannot represent non-integer value: \"x\"",
            "1:61 I.b has invalid default value at [1]: Expected value of non-null type \"E!\" not to be null.",
            """
            1:67 I.b has invalid default value at [2]: Value "B" does not exist in "E" enum. Did you mean the enum \
            value "A"?
            """),
        with(
            "input I { a: J! } input J { b: [I!]! c: I! }",
            """
            1:34 1:61 Input Object I cannot be provided a finite value because it references itself through fields: \
            I.a, J.c.
            """),
        with(
            "input I @oneOf { a: I }",
            """
            1:41 Input Object I cannot be provided a finite value because it references itself through fields: I.a.
            """),
        with(
            "input I { a: J = {} } input J { b: I = {} }",
            """
            1:41 1:63 Invalid circular reference. The default value of Input Object field I.a references itself via \
            the default values of: J.b.
            """),
    ]

    /// `buildSchema` of graphql-js 16.6 throws an error at the same line and column for each document.
    ///
    /// The words are those of graphql-core 3.3.2.
    static let evaluatedDirectives = [
        with(
            "type T { a: Int @deprecated(reason: 1) }",
            "1:60 Argument \"reason\" has invalid value: String cannot represent a non string value: 1"),
        with(
            "input I { x: Int @deprecated(reason: A) }",
            "1:61 Argument \"reason\" has invalid value: String cannot represent a non string value: A"),
        with(
            "enum E { A @deprecated(reason: {a: 1}) }",
            "1:55 Argument \"reason\" has invalid value: String cannot represent a non string value: { a: 1 }"
        ),
        with(
            "scalar S @specifiedBy(url: 1)",
            "1:51 Argument \"url\" has invalid value: String cannot represent a non string value: 1"),
        // Valid before the specification of September 2025: graphql-js 16.6 accepts it.
        with(
            "type T { a(b: Int @deprecated(reason: null)): Int }",
            """
            1:62 Argument "reason" has invalid value: Expected value of non-null type "String!" not to be null.
            """),
    ]

    @Test("refuses defaults that take in one another too deep, or too often")
    func boundsDefaults() throws {
        func chain(_ count: Int, fields: (Int) -> String) -> String {
            "type Query { a(x: A0): Int } input A\(count) { f: Int } "
                + (0..<count).map { "input A\($0) { \(fields($0)) }" }.joined(separator: " ")
        }
        #expect(throws: Never.self) { try Schema.build(chain(150) { "f: A\($0 + 1) = {}" }) }
        let deep = #expect(throws: GraphQLErrors.self) {
            try Schema.build(chain(5_000) { "f: A\($0 + 1) = {}" })
        }
        #expect(deep?.errors.first?.message.contains("is too large") == true)
        let wide = #expect(throws: GraphQLErrors.self) {
            try Schema.build(chain(40) { "f: A\($0 + 1) = {} g: A\($0 + 1) = {}" })
        }
        #expect(wide?.errors.first?.message.contains("holds more than 10000 values") == true)
    }

    @Test("walks through long chains of input types without using up the stack")
    func survivesLongCycles() {
        let count = 20_000
        let chain = (0..<count).map { "input A\($0) { f: A\(($0 + 1) % count)! }" }.joined(separator: " ")
        let error = #expect(throws: GraphQLErrors.self) { try Schema.build("type Query { a: Int } " + chain) }
        #expect(error?.errors.count == 1)
        // An error has at most 100 places.
        #expect(error?.errors.first?.locations.count == 100)
    }
}
