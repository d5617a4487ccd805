import GraphQL
import Testing

@Suite("Rules for SDL documents")
struct SDLRuleTests {
    @Test("names what breaks a rule, and all places", arguments: bad + builtInNames + oneOfExtensions)
    func refuses(_ bad: BadTypeSystem) {
        #expect(bad.found() == bad.errors)
    }

    /// graphql-core 3.3.2, the port of graphql-js 17.1, has the same errors at the same lines and columns.
    ///
    /// So has graphql-js 16.6, in which `@oneOf` is unknown and a message has other words.
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

    /// The specification excludes these names (section 3.3).
    ///
    /// `validateSDL` of graphql-js 16.6 has the same errors at the same lines and columns if it gets a schema with
    /// these types. Without a schema, it ignores the definitions.
    static let builtInNames = [
        BadTypeSystem(
            "type Query { a: Int } scalar Int enum __TypeKind { A }",
            "1:30 Type \"Int\" already exists in the schema. It cannot also be defined in this type definition.",
            "1:39 Type \"__TypeKind\" already exists in the schema. It cannot also be defined in this type definition."
        )
    ]

    /// graphql-core 3.3.2 does not check this rule (specification, section 3.10.2).
    static let oneOfExtensions = [
        BadTypeSystem(
            "type Query { a(b: I): Int } input I { a: Int } extend input I @oneOf",
            "1:63 Directive \"@oneOf\" may not be used on an extension of input object type \"I\".")
    ]

    /// The query type precedes the SDL, so locations begin at column 23.
    @Test("refuses directives in their own definitions", arguments: cycles)
    func refusesCycles(_ cycle: BadTypeSystem) {
        #expect(BadTypeSystem("type Query { a: Int } " + cycle.sdl).found() == cycle.errors)
    }

    /// The rule of pull request 4726 of graphql-js has the same errors at the same lines and columns, in
    /// graphql-js 16.6.
    ///
    /// It does not find the last cycle. graphql-js 17.1 does not contain the rule.
    static let cycles = [
        BadTypeSystem(
            "directive @a(x: Int @a) on ARGUMENT_DEFINITION",
            "1:43 Cannot reference directive \"@a\" within itself."),
        BadTypeSystem(
            "directive @deprecated(reason: String = \"x\" @deprecated) on ARGUMENT_DEFINITION",
            "1:66 Cannot reference directive \"@deprecated\" within itself."),
        BadTypeSystem(
            "directive @a(x: Int @b) on ARGUMENT_DEFINITION directive @b(x: Int @b) on ARGUMENT_DEFINITION",
            "1:90 Cannot reference directive \"@b\" within itself."),
        BadTypeSystem(
            """
            directive @a(x: Int @b) on ARGUMENT_DEFINITION directive @b(x: Int @c) on ARGUMENT_DEFINITION \
            directive @c(x: Int @d, y: Int @a) on ARGUMENT_DEFINITION directive @d on ARGUMENT_DEFINITION
            """,
            """
            1:43 1:90 1:148 Cannot reference directive "@a" within itself through a series of directive \
            applications: "@b", "@c", "@a".
            """),
        BadTypeSystem(
            "directive @a(x: I) on INPUT_OBJECT input I @a { x: Int }",
            """
            1:39 1:66 Cannot reference directive "@a" within itself through a series of references: "I", "@a".
            """),
        BadTypeSystem(
            "directive @a(x: S) on SCALAR scalar S extend scalar S @a",
            """
            1:39 1:77 Cannot reference directive "@a" within itself through a series of references: "S", "@a".
            """),
        BadTypeSystem(
            """
            directive @a(x: [I!]) on INPUT_FIELD_DEFINITION | ARGUMENT_DEFINITION input I { x: Int, y: E } \
            enum E { A } extend enum E { B @b } directive @b(x: Int @a) on ENUM_VALUE
            """,
            """
            1:40 1:114 1:149 1:174 Cannot reference directive "@a" within itself through a series of references: \
            "I", "E", "@b", "@a".
            """),
        BadTypeSystem(
            """
            directive @a(x: I) on FIELD input I { i: J k: K } input J { i: I } input K { x: Int @d } \
            directive @d(j: J) on INPUT_FIELD_DEFINITION
            """,
            """
            1:128 1:86 1:69 1:107 Cannot reference directive "@d" within itself through a series of references: \
            "J", "I", "K", "@d".
            """),
    ]

    @Test("follows long chains of directives without using up the stack")
    func survivesLongCycles() {
        let count = 20_000
        let chain = (0..<count).map {
            "directive @d\($0)(x: Int @d\(($0 + 1) % count)) on ARGUMENT_DEFINITION"
        }
        let error = #expect(throws: GraphQLErrors.self) {
            try Schema.build("type Query { a: Int } " + chain.joined(separator: " "))
        }
        #expect(error?.errors.count == 1)
        // An error has at most 100 places.
        #expect(error?.errors.first?.locations.count == 100)
    }

    /// graphql-core 3.3.2 accepts these documents, too; so does graphql-js 16.6, except the one with `@oneOf`.
    @Test(
        "accepts what the rules allow",
        arguments: [
            // Extensions before definitions, and an interface of an interface.
            """
            extend type A implements J { b: Int } extend interface I { b: Int } extend schema { query: A }
            schema { mutation: M } interface J { a: Int } interface I implements J { a: Int }
            type A implements I { a: Int } type M { a: Int }
            """,
            """
            directive @d(n: Int) repeatable on OBJECT | SCHEMA extend schema @d(n: 1) @d(n: 2)
            type Query @d @d { a: Int } extend type Query @d(n: 3)
            """,
            """
            "s" schema { query: Q } "d" directive @d("x" x: Int! = 1 @deprecated) on | FIELD | QUERY
            "q" type Q { "f" a("y" y: E = A @deprecated): Int } "e" enum E { "v" A }
            """,
            // The definitions of the specification of October 2021.
            """
            directive @deprecated(reason: String = "No longer supported") on FIELD_DEFINITION | ENUM_VALUE
            directive @skip(if: Boolean!) on FIELD | FRAGMENT_SPREAD | INLINE_FRAGMENT
            directive @specifiedBy(url: String!) on SCALAR
            type Query { a: S @deprecated } scalar S @specifiedBy(url: "u")
            """,
            // Directives in the definition of another directive, and a type that refers to itself.
            """
            type Query { a: Int } directive @a(i: I @b, e: E) on INPUT_FIELD_DEFINITION | ENUM_VALUE
            directive @b(s: S) on ARGUMENT_DEFINITION | INPUT_FIELD_DEFINITION
            input I { i: I s: S @b } enum E { A } scalar S
            """,
            // A value that does not fit, of a directive that the schema does not evaluate.
            "type Query @d(n: \"x\") { a: Int } directive @d(n: Int) on OBJECT",
            "type Query { _a: Int_ int: string } type string { a: Int } scalar Int_ enum _E { _ }",
            "type Query { a(b: I): Int } input I @oneOf { a: Int } extend input I { b: Int }",
            """
            extend schema @link(url: "u", import: ["@key", {name: "@x", as: "@y"}])
            directive @link(url: String!, import: [Import]) repeatable on SCHEMA scalar Import
            type Query { a: Int }
            """,
        ])
    func accepts(_ sdl: String) {
        #expect(BadTypeSystem(sdl).found() == [])
    }

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
