import GraphQL
import Testing

/// Variables of an operation on one small schema, and the result of their coercion.
struct VariableCase: CustomTestStringConvertible {
    var definitions: String
    var given: InputObject
    /// The values as an input object, or the messages.
    var expected: [String]

    var testDescription: String { definitions }

    init(_ definitions: String, _ given: InputObject, _ expected: String...) {
        self.definitions = definitions
        self.given = given
        self.expected = expected
    }
}

@Suite("Coercion of input")
struct InputCoercionTests {
    private static let sdl = """
        type Query { a(x: Int! = 1, y: In, l: [Int]): Int }
        enum Color { RED GREEN }
        input In { n: Int! = 4 s: String! c: Color l: [In!] }
        input One @oneOf { a: Int b: String }
        scalar Decimal scalar Any
        interface Numbers { f: Float id: ID }
        """

    private static func schema() throws -> Schema {
        let decimal = ScalarInputCoercion { value throws(GraphQLError) in
            guard case .number = value else {
                throw GraphQLError("Decimal cannot represent \(value.inspected)")
            }
            return value
        }
        return try Schema.build(sdl, scalarCoercions: ["Decimal": decimal])
    }

    @Test("coerces variables to their types, or says why not", arguments: cases)
    func coercesVariables(_ test: VariableCase) throws {
        let schema = try Self.schema()
        let document = try parse("query (\(test.definitions)) { a }")
        guard case .operation(let operation) = document.definitions.first else {
            Issue.record("The document has no operation.")
            return
        }
        do throws(GraphQLErrors) {
            let values = try schema.coerceVariables(of: operation, in: document, given: test.given)
            let names = operation.variables.indices.map { document.variableDefinitions[$0].name }
            let fields = names.compactMap { name in
                values[name].map { (name: document.text(name), value: $0) }
            }
            #expect([InputValue.object(InputObject(fields)).literal] == test.expected)
        } catch {
            #expect(error.errors.map(\.message) == test.expected)
            #expect(error.errors.allSatisfy { $0.locations.count == 1 })
        }
    }

    static let cases = [
        VariableCase("$v: Int", ["v": .int(7)], "{ v: 7 }"),
        VariableCase("$v: Int", ["v": .number("7.0")], "{ v: 7 }"),
        VariableCase("$v: Int", [:], "{  }"),
        VariableCase("$v: Int", ["v": .null], "{ v: null }"),
        VariableCase("$v: Int = 3", [:], "{ v: 3 }"),
        VariableCase("$v: Int = 3", ["v": .null], "{ v: null }"),
        VariableCase(
            "$v: Int", ["v": .number("1.50")],
            "Variable \"$v\" has invalid value: Int cannot represent non-integer value: 1.5"),
        VariableCase(
            "$v: Int", ["v": .int(2_147_483_648)],
            "Variable \"$v\" has invalid value: Int cannot represent non 32-bit signed integer value: 2147483648"
        ),
        VariableCase(
            "$v: Int", ["v": .number("1e400")],
            "Variable \"$v\" has invalid value: Int cannot represent non-integer value: Infinity"),
        VariableCase(
            "$v: Int!", [:],
            "Variable \"$v\" has invalid value: Expected a value of non-null type \"Int!\" to be provided."),
        VariableCase(
            "$v: Int!", ["v": .null],
            "Variable \"$v\" has invalid value: Expected value of non-null type \"Int!\" not to be null."),
        VariableCase("$v: Float", ["v": .int(7)], "{ v: 7 }"),
        VariableCase("$v: Float", ["v": .number("2.50")], "{ v: 2.5 }"),
        VariableCase("$v: ID", ["v": .int(7)], "{ v: \"7\" }"),
        VariableCase(
            "$v: ID", ["v": .number("12345678901234567890")], "{ v: \"12345678901234567890\" }"),
        VariableCase(
            "$v: ID", ["v": .number("-12345678901234567890")], "{ v: \"-12345678901234567890\" }"),
        VariableCase(
            "$v: ID", ["v": .number("7.5")],
            "Variable \"$v\" has invalid value: ID cannot represent value: 7.5"),
        VariableCase(
            "$v: String", ["v": .boolean(true)],
            "Variable \"$v\" has invalid value: String cannot represent a non string value: true"),
        VariableCase("$v: [[Int]]", ["v": .int(1)], "{ v: [[1]] }"),
        VariableCase(
            "$v: [Int!]", ["v": .list([.int(1), .null, .string("a")])],
            "Variable \"$v\" has invalid value at [1]: Expected value of non-null type \"Int!\" not to be null.",
            "Variable \"$v\" has invalid value at [2]: Int cannot represent non-integer value: \"a\""),
        VariableCase("$v: Color", ["v": .string("RED")], "{ v: RED }"),
        VariableCase(
            "$v: Color", ["v": .string("REDD")],
            """
            Variable "$v" has invalid value: Value "REDD" does not exist in "Color" enum. Did you mean the enum value \
            "RED"?
            """),
        VariableCase("$v: In", ["v": .object(["s": .string("x")])], "{ v: { n: 4, s: \"x\" } }"),
        VariableCase(
            "$v: In", ["v": .object(["l": .list([.object(["s": .int(1), "m": .null])])])],
            "Variable \"$v\" has invalid value: Expected value of type \"In\" to include required field \"s\", "
                + "found: { l: [[Object]] }.",
            "Variable \"$v\" has invalid value at .l[0].s: String cannot represent a non string value: 1",
            "Variable \"$v\" has invalid value at .l[0]: Expected value of type \"In\" not to include unknown field "
                + "\"m\". Did you mean \"c\", \"l\", \"n\", or \"s\"? Found: { s: 1, m: null }."),
        VariableCase(
            "$v: One", ["v": .object(["a": .int(1), "b": .null])],
            """
            Variable "$v" has invalid value: Within OneOf Input Object type "One", exactly one field must be \
            specified, and the value for that field must be non-null.
            """),
        VariableCase("$v: Any", ["v": .object(["a": .number("1.50")])], "{ v: { a: 1.50 } }"),
        VariableCase("$v: Decimal = 1.50", [:], "{ v: 1.50 }"),
        VariableCase(
            "$v: Decimal", ["v": .string("x")],
            "Variable \"$v\" has invalid value: Decimal cannot represent \"x\""),
        VariableCase(
            "$v: Query", [:],
            "Variable \"$v\" expected value of type \"Query\" which cannot be used as an input type."),
    ]

    @Test("refuses values that are nested too deep, before the stack is at risk")
    func refusesDeepValues() throws {
        let schema = try Self.schema()
        let document = try parse("query ($v: In, $any: Any) { a }")
        guard case .operation(let operation) = document.definitions.first else { return }
        var deep = InputObject()
        for _ in 0..<500 { deep = ["s": .string("x"), "l": .list([.object(deep)])] }
        let error = #expect(throws: GraphQLErrors.self) {
            try schema.coerceVariables(of: operation, in: document, given: ["v": .object(deep)])
        }
        #expect(
            error?.errors.map(\.message) == ["Variable \"$v\" has invalid value: It is nested too deeply."])
        #expect(error?.errors.first?.locations == [SourceLocation(line: 1, column: 8)])
        // A custom scalar accepts any value unchanged.
        #expect(throws: Never.self) {
            try schema.coerceVariables(of: operation, in: document, given: ["any": .object(deep)])
        }
    }

    @Test("stops after as many wrong variables as it is asked for")
    func stopsAtTheLimit() throws {
        let schema = try Self.schema()
        let document = try parse("query ($a: Int!, $b: Int!, $c: Int!) { a }")
        guard case .operation(let operation) = document.definitions.first else { return }
        let error = #expect(throws: GraphQLErrors.self) {
            try schema.coerceVariables(of: operation, in: document, given: [:], errorLimit: 1)
        }
        #expect(
            error?.errors.last?.message
                == "Too many errors processing variables, error limit reached. Execution aborted.")
        #expect(error?.errors.count == 2)
    }

    @Test("tells a variable that is null from one that was not given")
    func knowsWhatWasGiven() throws {
        let schema = try Self.schema()
        let document = try parse("query ($a: Int, $b: Int, $c: Int = 1) { a }")
        guard case .operation(let operation) = document.definitions.first else { return }
        let values = try schema.coerceVariables(of: operation, in: document, given: ["b": .null])
        let names = operation.variables.indices.map { document.variableDefinitions[$0].name }
        #expect(names.map { values[$0] } == [nil, .null, .int(1)])
        #expect(names.map { values.isGiven($0) } == [false, true, false])
        #expect(values["b"] == .null)
    }

    @Test("coerces arguments in the order of their definitions, or names the place of the first fault")
    func coercesArguments() throws {
        let cases: [(String, String)] = [
            ("{ a }", "{ x: 1 }"),
            ("{ a(l: 5, x: 2) }", "{ x: 2, l: [5] }"),
            (
                "query ($u: Int) { a(x: $u, y: {s: \"q\", n: $u}, l: [$u]) }",
                "{ x: 1, y: { n: 4, s: \"q\" }, l: [null] }"
            ),
            (
                "{ a(x: null) }",
                "1:8 Argument \"x\" has invalid value: Expected value of non-null type \"Int!\" not to be null."
            ),
            (
                "{ a(y: {s: 3}) }",
                "1:12 Argument \"y\" has invalid value at .s: String cannot represent a non string value: 3"
            ),
        ]
        let schema = try Self.schema()
        let definitions = try #require(schema.type(named: "Query")?.field(named: "a")).arguments
        for (text, expected) in cases {
            let document = try parse(text)
            guard case .field(let field) = document.selections.first else { continue }
            do throws(GraphQLError) {
                let values = try schema.coerceArguments(
                    definitions, given: field.arguments, in: document, at: field.span, variables: .empty)
                #expect(InputValue.object(values).literal == expected)
            } catch {
                let place = try #require(error.locations.first)
                #expect("\(place.line):\(place.column) \(error.message)" == expected)
            }
        }
    }

    @Test("tells of as many faults of variables as the limit allows", arguments: [0, 1, 50])
    func faultLimit(_ limit: Int) throws {
        let schema = try Self.schema()
        let document = try parse("query ($v: [Int!]) { a(l: $v) }")
        guard case .operation(let operation) = document.definitions.first else { return }
        let given = InputValue.list(Array(repeating: .boolean(true), count: 100_000))
        do throws(GraphQLErrors) {
            _ = try schema.coerceVariables(
                of: operation, in: document, given: ["v": given], errorLimit: limit)
            Issue.record("it was accepted")
        } catch {
            #expect(error.errors.count == limit + 1)
            #expect(
                error.errors.last?.message
                    == "Too many errors processing variables, error limit reached. Execution aborted.")
        }
    }

    @Test("shows values in messages as JavaScript would, within bounds")
    func inspectsValues() {
        let deep = InputValue.object(["a": .list([.object(["b": .int(1)]), .list([]), .object([:])])])
        #expect(deep.inspected == "{ a: [[Object], [], {}] }")
        #expect(InputValue.list((0..<12).map { .int($0) }).inspected.hasSuffix("9, ... 2 more items]"))
        #expect(InputValue.list((0..<11).map { .int($0) }).inspected.hasSuffix("9, ... 1 more item]"))
        #expect(InputValue.string("a\"\u{1}\n").inspected == #""a\"\u0001\n""#)
        let numbers = [
            "1.50", "1e21", "1e20", "1.5e-7", "0.000001", "-0.0", "123456789012345678901", "5e-324",
        ]
        #expect(
            numbers.map { InputValue.number($0).inspected } == [
                "1.5", "1e+21", "100000000000000000000", "1.5e-7", "0.000001", "0", "123456789012345680000",
                "5e-324",
            ])
    }

    @Test("offers the names that may have been meant, closest first")
    func suggests() {
        #expect(Suggestions.didYouMean("frist", among: ["orders", "first"]) == " Did you mean \"first\"?")
        #expect(
            Suggestions.resembling("FIELD", among: ["field10", "field2", "yield", "field"]) == [
                "field", "field2", "yield", "field10",
            ])
        #expect(Suggestions.didYouMean("xyz", among: ["abc"]) == "")
        #expect(Suggestions.list(["a", "b", "c"], conjunction: "or") == "a, b, or c")
    }
}
