import Contract
import GraphQL
import Sandbox
import TestSupport
import Testing

/// Gives each argument and input field of the schema an invalid value of its type, beside a field that is healthy.
@Suite("An invalid argument")
struct ArgumentFailureTests {
    /// Longer than every text may be, and no instant, day or number.
    private static let text = "x y" + String(repeating: "z", count: 30_000)

    @Test("of a root field of queries leaves the fields beside it, as a literal and as a variable")
    func queries() async throws {
        try await withTestGateway { gateway in
            let schema = try Schema.build(Contract.schemaText)
            let root = schema[try #require(schema.queryType)]
            var counts: [String: Int] = [:]
            for input in root.fields.flatMap({ HostileInput.all(of: $0, in: .query, schema) }) {
                guard let invalid = InvalidValue(of: input, in: schema) else { continue }
                let field = "it: \(input.selection(schema))"
                let literal = "{ \(field.replacing("$v", with: invalid.literal)) providers { id } }"
                let variable = "query(\(input.variable(schema))) { \(field) providers { id } }"
                for answer in [
                    try await gateway.ask(literal),
                    try await gateway.ask(variable, variables: ["v": invalid.value]),
                ] {
                    Self.check(answer, refuses: input)
                    #expect(
                        answer["data"]?["providers"]?.elements?.isEmpty == false,
                        "\(input.field.name): \(answer.message ?? "")")
                    counts[schema[input.type.type].name, default: 0] += 1
                }
            }
            #expect(gateway.sandbox.calls.total == 0)
            // A generator that found fewer inputs would be wrong.
            #expect(
                Set(counts.keys) == [
                    "String", "ID", "Int", "DateTime", "Date", "Decimal", "ProviderName",
                ], "\(counts)")
            #expect(counts.values.reduce(0, +) > 80, "\(counts)")
        }
    }

    @Test("that is a list of too many entries leaves the fields beside it")
    func lists() async throws {
        try await withTestGateway { gateway in
            let schema = try Schema.build(Contract.schemaText)
            let root = schema[try #require(schema.queryType)]
            let inputs = root.fields.flatMap { HostileInput.all(of: $0, in: .query, schema) }
                .filter { $0.type.wrapping.item != nil && $0.takesText(schema) }
            for input in inputs {
                let list = InputValue.list(Array(repeating: .string("AAPL"), count: 501))
                let query = """
                    query(\(input.variable(schema, wholeList: true))) {
                      it: \(input.selection(schema, wholeList: true)) providers { id } }
                    """
                let answer = try await gateway.ask(query, variables: ["v": list])
                Self.check(answer, refuses: input, wholeList: true)
                #expect(answer["data"]?["it"] == .null, "\(input.field.name)")
                #expect(answer["data"]?["providers"]?.elements?.isEmpty == false, "\(input.field.name)")
            }
            #expect(inputs.count >= 7)
        }
    }

    @Test("of a mutation or a subscription is an error with its name")
    func others() async throws {
        try await withTestGateway { gateway in
            let schema = try Schema.build(Contract.schemaText)
            let roots = [
                (HostileInput.Operation.mutation, try #require(schema.mutationType)),
                (.subscription, try #require(schema.subscriptionType)),
            ]
            var count = 0
            for input in roots.flatMap({ operation, root in
                schema[root].fields.flatMap { HostileInput.all(of: $0, in: operation, schema) }
            }) where input.takesText(schema) {
                guard let invalid = InvalidValue(of: input, in: schema) else { continue }
                let query =
                    "\(input.operation)(\(input.variable(schema))) { it: \(input.selection(schema)) }"
                if input.operation == .subscription {
                    var responses = try await gateway.follow(query, variables: ["v": invalid.value])
                    let answer = try #require(try await responses.next())
                    Self.check(answer, refuses: input)
                    #expect(try await responses.next() == nil, "\(input.field.name)")
                } else {
                    let answer = try await gateway.ask(query, variables: ["v": invalid.value])
                    Self.check(answer, refuses: input)
                    #expect(answer["data"]?["it"] == .null, "\(input.field.name): \(answer.message ?? "")")
                }
                count += 1
            }
            #expect(count > 40)
        }
    }

    @Test(
        "of another type than the schema's, or an unknown value of an enum, is an error of the request",
        arguments: [
            #"quotes(symbols: [1]) { price }"#, #"chart(symbol: "AAPL", interval: ONE_LIGHTYEAR) { id }"#,
            #"search(text: "apple", first: "ten") { region }"#, "chart { id }",
        ])
    func requests(field: String) async throws {
        try await withTestGateway { gateway in
            let answer = try await gateway.ask("{ \(field) providers { id } }")
            #expect(answer["data"] == nil && answer["errors"]?[0]?["path"] == nil, "\(answer)")
            #expect(answer["errors"]?[0]?["locations"]?.elements?.count == 1)
        }
    }

    /// Expects one error, at the field or at its item.
    private static func check(
        _ answer: JSONValue, refuses input: HostileInput, wholeList: Bool = false
    ) {
        let name = input.name(wholeList: wholeList)
        let place =
            "\(input.operation).\(input.field.name)(\(name)): \(answer.message?.prefix(200) ?? "no error")"
        // Fields with an item for each entry of the list.
        let isItem =
            !wholeList && ["quotes", "charts", "nodes"].contains(input.field.name) && name.hasSuffix("[0]")
            && input.operation == .query
        let path: String? =
            input.operation == .subscription ? answer.failures.first?.path : isItem ? "it.0" : "it"
        #expect(answer.failures == [FieldFailure(path, "BAD_USER_INPUT", nil)], "\(place)")
        #expect(answer["errors"]?[0]?["extensions"]?["argument"]?.string == name, "\(place)")
        #expect(answer.message?.hasPrefix("Argument \"\(name)\": ") == true, "\(place)")
    }

    /// A value that has the type of an input, and that the input refuses.
    private struct InvalidValue {
        let value: InputValue
        let literal: String

        /// Nil for a type of which every value is valid: enums, booleans.
        init?(of input: HostileInput, in schema: Schema) {
            if input.takesText(schema) {
                (value, literal) = (.string(text), "\"\(text)\"")
            } else if case .scalar(let scalar) = schema[input.type.type].kind, scalar.builtIn == .int {
                (value, literal) = (.int(-1), "-1")
            } else {
                return nil
            }
        }
    }
}
