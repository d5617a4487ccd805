import GraphQL
import Testing

@Suite("Limits on what an operation counts")
struct CountLimitTests {
    static let sdl = """
        directive @tag(n: Int) repeatable on FIELD | QUERY | VARIABLE_DEFINITION | FRAGMENT_DEFINITION | FRAGMENT_SPREAD
        type Query { a: Query, b: Query, c: Int, d(n: Int): Int }
        """

    /// A document exactly at a limit, one above it, and the expected message.
    struct Case: CustomTestStringConvertible, Sendable {
        let limits: OperationLimits
        let below: String
        let at: String
        let past: String
        let message: String
        let place: String
        let code: String

        var testDescription: String { "\(code) \(past)" }
    }

    static let cases = [
        Case(
            limits: OperationLimits(tokens: 5), below: "{ c }", at: "{ c c c }", past: "{\n c c c\n c }",
            message: "The document has 6 tokens; the limit is 5. Send a shorter document.", place: "3:4",
            code: "TOKEN_LIMIT_EXCEEDED"),
        Case(
            limits: OperationLimits(depth: 3), below: "{ a { c } }", at: "{ a { b { c } } }",
            past: "{ a { c } b { a { c\n b { c } } } }",
            message: "The operation nests fields 4 levels deep; the limit is 3. "
                + "Select less deep, or send several operations.", place: "2:6", code: "DEPTH_LIMIT_EXCEEDED"),
        Case(
            limits: OperationLimits(depth: 3), below: "{ ...F } fragment F on Query { a { c } }",
            at: "{ ... { ...F } } fragment F on Query { a { ...G } } fragment G on Query { a { c } }",
            past: "{ a { ...F } }\nfragment F on Query { a { ...G } }\nfragment G on Query { c a { c } }",
            message: "The operation nests fields 4 levels deep; the limit is 3. "
                + "Select less deep, or send several operations.", place: "3:29", code: "DEPTH_LIMIT_EXCEEDED"
        ),
        Case(
            limits: OperationLimits(introspectionDepth: 3), below: "{ __schema { description } }",
            at: "{ a { a { a { c } } } __type(name: \"Query\") { ofType { name } } }",
            past: "{ a { __schema { types { name } } }\n __schema { types {\n ofType { name } } } }",
            message: "The operation nests fields of introspection 4 levels deep; the limit is 3. "
                + "Select less deep, or send several operations.", place: "3:11",
            code: "INTROSPECTION_DEPTH_LIMIT_EXCEEDED"),
        Case(
            limits: OperationLimits(aliases: 3), below: "{ x: c y: c c }", at: "{ x: a { y: c } z: c c }",
            past: "{ x: a { y: c z: c\n w: c } }",
            message:
                "The operation has 4 aliases; the limit is 3. Use fewer aliases, or send several operations.",
            place: "2:2", code: "ALIAS_LIMIT_EXCEEDED"),
        Case(
            limits: OperationLimits(aliases: 3), below: "{ ...F } fragment F on Query { x: c y: c }",
            at: "{ ...F z: c } fragment F on Query { x: c y: c }",
            past: "{ a { ...F } b { ...F } }\nfragment F on Query { x: c\n y: c }",
            message:
                "The operation has 4 aliases; the limit is 3. Use fewer aliases, or send several operations.",
            place: "3:2", code: "ALIAS_LIMIT_EXCEEDED"),
        Case(
            limits: OperationLimits(aliases: 0), below: "{ c }", at: "{ a { c } }",
            past: "{ a {\n s: __typename } }",
            message:
                "The operation has 1 aliases; the limit is 0. Use fewer aliases, or send several operations.",
            place: "2:2", code: "ALIAS_LIMIT_EXCEEDED"),
        Case(
            limits: OperationLimits(rootFields: 3), below: "{ a { c c c c } c }", at: "{ c c c }",
            past: "{ a { c } c\n ...F }\nfragment F on Query { c\n ... { a { c } } }",
            message: "The operation has 4 root fields; the limit is 3. "
                + "Select fewer fields, or send several operations.", place: "4:8",
            code: "ROOT_FIELD_LIMIT_EXCEEDED"),
        Case(
            limits: OperationLimits(selections: 3), below: "{ a { c c } }",
            at: "{ a { c c c } b { a { c c c } } }",
            past: "{ c b { c c c c } a { c c ...F } }\nfragment F on Query { c c\n }",
            message:
                "A selection set has 4 fields; the limit is 3. Select fewer fields, or send several operations.",
            place: "1:15", code: "SELECTION_LIMIT_EXCEEDED"),
        Case(
            limits: OperationLimits(selections: 3), below: "{ ...F } fragment F on Query { c c }",
            at: "{ ...F a { ...F ...G } } fragment F on Query { c c } fragment G on Query { c }",
            past: "{ a {\n...F\n...F } }\nfragment F on Query { c\n c }",
            message:
                "A selection set has 4 fields; the limit is 3. Select fewer fields, or send several operations.",
            place: "5:2", code: "SELECTION_LIMIT_EXCEEDED"),
        Case(
            limits: OperationLimits(fields: 4), below: "{ a { b { c } } }",
            at: "{ ...F ...F } fragment F on Query { a { c } }",
            past: "{ ...F b { ...F } }\nfragment F on Query { a {\n c } }",
            message:
                "The operation has 5 fields; the limit is 4. Select fewer fields, or send several operations.",
            place: "3:2", code: "FIELD_LIMIT_EXCEEDED"),
        Case(
            limits: OperationLimits(directives: 2), below: "{ c @tag }",
            at: "query ($n: Int @tag @tag) @tag @tag { d(n: $n) @tag @skip(if: true) ...F @tag @tag }"
                + " fragment F on Query @tag @tag { c }",
            past: "{ c ...F }\nfragment F on Query { c @tag @tag\n @tag @tag d @tag @tag @tag }",
            message: "One place has 4 directives; the limit is 2. Use fewer directives there.", place: "3:2",
            code: "DIRECTIVE_LIMIT_EXCEEDED"),
        Case(
            limits: OperationLimits(directives: 0), below: "{ c }", at: "{ c }",
            past: "query ($n: Int\n@tag) { d(n: $n) }",
            message: "One place has 1 directives; the limit is 0. Use fewer directives there.", place: "2:1",
            code: "DIRECTIVE_LIMIT_EXCEEDED"),
    ]

    @Test(
        "what is below a limit or at it passes, what is past it is refused with its place", arguments: cases)
    func limit(_ limit: Case) throws {
        let schema = try LimitedSchema(CountLimitTests.sdl)
        #expect(try schema.refusals(of: limit.below, limit.limits) == [])
        #expect(try schema.refusals(of: limit.at, limit.limits) == [])
        let refusal = LimitRefusal(limit.message, at: limit.place, limit.code)
        #expect(try schema.refusals(of: limit.past, limit.limits) == [refusal])
        #expect(try schema.refusals(of: limit.past, .unlimited) == [])
    }

    @Test("the defaults are those of the documentation")
    func defaults() {
        let documented = OperationLimits(
            tokens: 2_000, depth: 15, introspectionDepth: 15, aliases: 30, rootFields: 30, selections: 200,
            fields: 5_000, directives: 5, cost: 5_000, assumedListSize: 10, responseBytes: 8_388_608)
        #expect(OperationLimits.default == documented)
        #expect(OperationLimits() == documented)
    }

    @Test("every limit that is passed is told, in one go")
    func several() throws {
        let schema = try LimitedSchema(CountLimitTests.sdl)
        let limits = OperationLimits(depth: 1, aliases: 0, rootFields: 1, directives: 0)
        let refusals = try schema.refusals(of: "{ x: a { c } c @tag }", limits)
        #expect(
            refusals.map(\.code) == [
                "DEPTH_LIMIT_EXCEEDED", "ALIAS_LIMIT_EXCEEDED", "ROOT_FIELD_LIMIT_EXCEEDED",
                "DIRECTIVE_LIMIT_EXCEEDED",
            ])
        #expect(refusals.map(\.place) == ["1:10", "1:3", "1:14", "1:16"])
    }

    @Test("an error says limit and value for code too")
    func extensions() throws {
        let schema = try LimitedSchema(CountLimitTests.sdl)
        let errors = #expect(throws: GraphQLErrors.self) {
            try schema.cost("{ a { c } }", limits: OperationLimits(depth: 1))
        }
        #expect(
            errors?.errors.map(\.extensions) == [
                ["code": .string("DEPTH_LIMIT_EXCEEDED"), "limit": .int(1), "value": .int(2)]
            ])
    }

    @Test("what other operations and their fragments ask for is not counted")
    func others() throws {
        let schema = try LimitedSchema(CountLimitTests.sdl)
        let text = """
            query A { c ...F }
            query B @tag @tag { x: a { a { a { ...G } } } }
            fragment G on Query { y: c @tag @tag @tag }
            fragment F on Query { b { c } }
            """
        let measure = try schema.measure(text)
        #expect(
            measure
                == OperationMetrics(
                    tokens: 53, depth: 2, introspectionDepth: 0, aliases: 0, rootFields: 2, selections: 2,
                    fields: 3,
                    directives: 0))
    }

    @Test("what @skip and @include leave out is counted, since variables may let it in")
    func conditions() throws {
        let schema = try LimitedSchema(CountLimitTests.sdl)
        let text =
            "query ($no: Boolean!) { a @skip(if: true) { x: c } ... @include(if: $no) { b { b { c } } } }"
        let measure = try schema.measure(text)
        #expect(measure.depth == 3 && measure.aliases == 1 && measure.fields == 5)
    }

    @Test("the parser refuses a document at the same limit of tokens, with the same code")
    func tokens() throws {
        let limits = OperationLimits(tokens: 3).limiting(.default)
        #expect(limits == ParserLimits(tokens: 3))
        #expect(OperationLimits().limiting(ParserLimits(tokens: 10)).tokens == 10)
        _ = try parse("{ c }", limits: limits)
        let error = try #require(throws: SyntaxError.self) { try parse("{ c\nc }", limits: limits) }
        #expect(
            LimitRefusal(GraphQLError(error))
                == LimitRefusal(
                    "Syntax Error: Document contains more than 3 tokens. Parsing aborted.", at: "2:3",
                    "TOKEN_LIMIT_EXCEEDED"))
        let other = try #require(throws: SyntaxError.self) { try parse("{ c", limits: .default) }
        #expect(GraphQLError(other).extensions == ["code": .string("GRAPHQL_PARSE_FAILED")])
    }
}
