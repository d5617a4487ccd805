import GraphQL
import Testing

@Suite("Schemas built from SDL")
struct SchemaBuildingTests {
    @Test("merges extensions into what they extend")
    func mergesExtensions() throws {
        let schema = try Schema.build(
            """
            type Query { a: U } extend type Query implements Node @tag { id: ID! }
            interface Node { id: ID! } union U = Query extend union U = Other type Other { e: E }
            enum E { A } extend enum E { B @deprecated } input I { a: Int } extend input I { b: Int = 2 }
            scalar S extend scalar S @specifiedBy(url: "https://example.com") directive @tag on OBJECT
            schema { query: Query } extend schema { mutation: Other }
            """)
        let query = try #require(schema.type(named: "Query"))
        #expect(query.fields.map(\.name) == ["a", "id"])
        #expect(query.interfaces.map { schema[$0].name } == ["Node"])
        #expect(query.appliedDirectives.map(\.name) == ["tag"])
        #expect(
            schema.typeID(named: "U").map { schema.possibleTypes(of: $0).map { schema[$0].name } } == [
                "Query", "Other",
            ])
        #expect(schema.mutationType.map { schema[$0].name } == "Other")
        guard case .enum(let values) = schema.type(named: "E")?.kind,
            case .inputObject(let input) = schema.type(named: "I")?.kind,
            case .scalar(let scalar) = schema.type(named: "S")?.kind
        else {
            Issue.record("The types are not of their kinds.")
            return
        }
        #expect(values.values.map(\.deprecationReason) == [nil, "No longer supported"])
        #expect(input.fields.map(\.defaultValue?.value) == [nil, .int(2)])
        #expect(scalar.specifiedByURL == "https://example.com")
    }

    @Test("finds root types by their usual names only without a schema definition")
    func findsRootTypes() throws {
        let usual = try Schema.build(
            "type Query { a: Int } type Mutation { a: Int } type Subscription { a: Int }")
        #expect(usual.subscriptionType.map { usual[$0].name } == "Subscription")
        let own = try Schema.build("schema { query: Root } type Root { a: Int } type Mutation { a: Int }")
        #expect(own.queryType.map { own[$0].name } == "Root")
        #expect(own.mutationType == nil)
    }

    @Test("fills in the defaults of input fields in a default, whatever the order of the types")
    func coercesDefaults() throws {
        let schema = try Schema.build(
            """
            type Query { a(x: A = {b: {}}, list: [E!] = RED): Int }
            input A { b: B c: Float = 1.50 } input B { d: [C] = {} e: ID = 7 } input C { f: Int = 3 } enum E { RED }
            """)
        let field = try #require(schema.type(named: "Query")?.field(named: "a"))
        let defaults = field.arguments.map { $0.defaultValue?.value.literal }
        #expect(defaults == ["{ b: { d: [{ f: 3 }], e: \"7\" }, c: 1.5 }", "[RED]"])
        #expect(field.arguments.map { $0.defaultValue?.literal } == ["{ b: {  } }", "RED"])
    }

    @Test("keeps directives as applied, with coerced arguments and defaults")
    func keepsAppliedDirectives() throws {
        let schema = try Schema.build(
            """
            directive @cost(weight: Int!, by: [Field!] = [{name: "first"}]) repeatable on FIELD_DEFINITION | SCHEMA
            input Field { name: String! times: Int = 1 }
            type Query { a: Int @cost(weight: 2) @cost(weight: 3, by: {name: "x"}) @deprecated(reason: "Old") }
            schema @cost(weight: 5) { query: Query }
            """)
        let field = try #require(schema.type(named: "Query")?.field(named: "a"))
        #expect(
            field.appliedDirectives.map { InputValue.object($0.arguments).literal } == [
                "{ weight: 2, by: [{ name: \"first\", times: 1 }] }",
                "{ weight: 3, by: [{ name: \"x\", times: 1 }] }", "{ reason: \"Old\" }",
            ])
        #expect(schema.appliedDirectives.first(named: "cost")?.arguments["weight"] == .int(5))
        #expect(field.deprecationReason == "Old")
    }

    @Test("passes over executable definitions, but checks the directives and types that they name")
    func passesOverOperations() throws {
        #expect(throws: Never.self) { try Schema.build("type Query { a: Int } { a @skip(if: true) }") }
        let bad = BadTypeSystem("type Query { a: Int } query ($x: Nope) { a @nope }")
        #expect(bad.found() == ["1:34 Unknown type \"Nope\".", "1:44 Unknown directive \"@nope\"."])
    }

    @Test("prints a schema that builds to the same schema", arguments: GoldenTypeSystems.recorded.cases)
    func printsWhatItReads(_ golden: GoldenTypeSystem) throws {
        guard golden.printed != nil else { return }
        let printed = try Schema.build(golden.sdl).print(appliedDirectives: true)
        #expect(try Schema.build(printed).print(appliedDirectives: true) == printed)
    }

    @Test("prints directives of the schema's own where it is asked to")
    func printsAppliedDirectives() throws {
        let sdl = """
            directive @tag(name: String = "none", at: [E]) repeatable on OBJECT | FIELD_DEFINITION | ENUM_VALUE

            type Query @tag {
              a: E @deprecated @tag(name: "x", at: [A])
            }

            enum E {
              A
            }

            enum F {
              B @tag(at: [A, A])
            }
            """
        let schema = try Schema.build(sdl)
        #expect(schema.print(appliedDirectives: true) == sdl)
        #expect(!schema.print().contains("type Query @tag"))
    }
}
