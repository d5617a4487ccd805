import Brokerage
import Contract
import GraphQL
import Sandbox
import Storage
import TestSupport
import Testing
import Upstream

/// Sends a text or a list that is far too long to every argument and input field that accepts one.
@Suite("The contract, input by input")
struct InputBoundTests {
    /// One grapheme of 900 KB, whose comparison as a string of Swift takes minutes.
    private static let hugeText = "e" + String(repeating: "\u{301}\u{323}", count: 225_000)

    @Test(
        "a text of one grapheme and 900 KB is rejected with the argument's name, without a call or an effect")
    func texts() async throws {
        try await withTestGateway { gateway in
            let schema = try Schema.build(Contract.schemaText)
            let before = try await Self.state(of: gateway)
            let calls = gateway.sandbox.calls.total
            let inputs = try Self.rootInputs(of: schema).filter { $0.takesText(schema) }
            // A search that found fewer inputs would be wrong.
            #expect(inputs.count > 60)
            for input in inputs {
                let answer = try await Self.send(input, ["v": .string(Self.hugeText)], to: gateway, schema)
                Self.check(answer, refuses: input)
            }
            #expect(gateway.sandbox.calls.total == calls)
            #expect(try await Self.state(of: gateway) == before)
        }
    }

    @Test("such a text in a nested argument is rejected too")
    func nestedTexts() async throws {
        try await withTestGateway { gateway in
            let schema = try Schema.build(Contract.schemaText)
            for document in OperationDocument.mutations { _ = try await document.ask(gateway) }
            var run = ContractRun(schema) { try await gateway.ask($0) }
            try await run.run()
            var count = 0
            for (name, path) in run.paths.sorted(by: { $0.key < $1.key }) where name != "Query" {
                guard let type = schema.type(named: name) else { continue }
                let inputs = type.fields.flatMap { field in
                    HostileInput.all(of: field, in: .query, schema).filter { $0.takesText(schema) }
                }
                for input in inputs {
                    guard let query = path.query(selecting: input.selection(schema), in: schema, ids: run.ids)
                    else { continue }
                    let answer = try await gateway.ask(
                        "query(\(input.variable(schema))) \(query)",
                        variables: ["v": .string(Self.hugeText)])
                    Self.check(answer, refuses: input)
                    count += 1
                }
            }
            #expect(count >= 4)
        }
    }

    @Test("a list of 100,000 entries is rejected with the argument's name")
    func lists() async throws {
        try await withTestGateway { gateway in
            let schema = try Schema.build(Contract.schemaText)
            let inputs = try Self.rootInputs(of: schema).filter { $0.type.wrapping.item != nil }
            var named = 0
            for input in inputs {
                let entry = HostileInput.example(input.type.type, named: input.path.last?.name ?? "", schema)
                let list = try #require(try Self.value(entry).map { Array(repeating: $0, count: 100_000) })
                let answer = try await Self.send(
                    input, ["v": .list(list)], to: gateway, schema, wholeList: true)
                // If each entry has a cost, the operation is refused before its arguments are read.
                if answer["errors"]?[0]?["extensions"]?["code"] == "COST_LIMIT_EXCEEDED" { continue }
                Self.check(answer, refuses: input, wholeList: true)
                named += 1
            }
            #expect(named > 8)
        }
    }

    // MARK: - Steps

    private static func rootInputs(of schema: Schema) throws -> [HostileInput] {
        try [
            (HostileInput.Operation.query, schema.queryType), (.mutation, schema.mutationType),
            (.subscription, schema.subscriptionType),
        ].flatMap { operation, root in
            schema[try #require(root)].fields.flatMap { HostileInput.all(of: $0, in: operation, schema) }
        }
    }

    private static func send(
        _ input: HostileInput, _ variables: InputObject, to gateway: TestGateway, _ schema: Schema,
        wholeList: Bool = false
    ) async throws -> JSONValue {
        let text =
            "\(input.operation)(\(input.variable(schema, wholeList: wholeList))) "
            + "{ \(input.selection(schema, wholeList: wholeList)) }"
        switch input.operation {
        case .query, .mutation: return try await gateway.ask(text, variables: variables)
        case .subscription:
            var responses = try await gateway.follow(text, variables: variables)
            return try #require(try await responses.next())
        }
    }

    private static func check(
        _ answer: JSONValue, refuses input: HostileInput, wholeList: Bool = false
    ) {
        let name = input.name(wholeList: wholeList)
        let error = answer["errors"]?[0]
        let place =
            "\(input.operation).\(input.field.name)(\(name)): \(answer.message?.prefix(200) ?? "no error")"
        #expect(error?["message"]?.string?.hasPrefix("Argument \"\(name)\": ") == true, "\(place)")
        #expect(error?["extensions"]?["argument"]?.string == name, "\(place)")
        #expect(error?["extensions"]?["code"] == "BAD_USER_INPUT", "\(place)")
        // The message does not contain the text.
        #expect((error?["message"]?.string?.utf8.count ?? .max) < 500, "\(place)")
    }

    /// All stored data of the requesting user.
    private static func state(of gateway: TestGateway) async throws -> String? {
        try await UserDataExport(of: gateway.file).json(of: try #require(OwnerID("owner")))
    }

    /// The value of a literal without variables.
    private static func value(_ literal: String) throws -> InputValue? {
        if literal.hasPrefix("\"") { return .string(String(literal.dropFirst().dropLast())) }
        if let number = Int(literal) { return .int(number) }
        if literal.hasPrefix("{") { return .object(["symbol": .string("AAPL")]) }
        return .string(literal)
    }
}

/// One argument, or one field of an input object below an argument, that is replaced by another value.
struct HostileInput {
    enum Operation: String, CustomStringConvertible {
        case query, mutation, subscription
        var description: String { rawValue }
    }

    let operation: Operation
    let field: SchemaField
    /// The path from the argument to the input field.
    let path: [SchemaInputValue]
    let type: GraphQLType

    /// All arguments of a field, and all fields of input objects below them.
    static func all(of field: SchemaField, in operation: Operation, _ schema: Schema) -> [HostileInput] {
        field.arguments.flatMap { below($0, [], field, operation, schema) }
    }

    private static func below(
        _ input: SchemaInputValue, _ path: [SchemaInputValue], _ field: SchemaField,
        _ operation: Operation, _ schema: Schema
    ) -> [HostileInput] {
        let path = path + [input]
        let own = HostileInput(operation: operation, field: field, path: path, type: input.type)
        guard case .inputObject(let object) = schema[input.type.type].kind else { return [own] }
        return [own] + object.fields.flatMap { below($0, path, field, operation, schema) }
    }

    /// The name in messages: `input.allocations[0].symbol`.
    func name(wholeList: Bool) -> String {
        let names = path.map { $0.type.wrapping.item == nil ? $0.name : $0.name + "[0]" }
        let name = names.joined(separator: ".")
        return wholeList ? String(name.dropLast(3)) : name
    }

    /// Whether its value, or the entries of its list, are written as strings.
    func takesText(_ schema: Schema) -> Bool {
        guard case .scalar(let scalar) = schema[type.type].kind else { return false }
        switch scalar.builtIn {
        case .string, .id, nil: return true
        case .int, .float, .boolean: return false
        }
    }

    /// The declaration of `$v`: of an entry of its list, or of the whole list.
    func variable(_ schema: Schema, wholeList: Bool = false) -> String {
        let name = schema[type.type].name
        return wholeList ? "$v: [\(name)!]!" : "$v: \(name)!"
    }

    /// The field with `$v` in the place of the input, and examples in the other required inputs.
    func selection(_ schema: Schema, wholeList: Bool = false) -> String {
        let arguments = Self.values(field.arguments, path[...], schema, wholeList: wholeList)
        let isLeaf = schema[field.type.type].isLeaf
        return "\(field.name)(\(arguments))\(isLeaf ? "" : " { __typename }")"
    }

    private static func values(
        _ inputs: [SchemaInputValue], _ path: ArraySlice<SchemaInputValue>, _ schema: Schema,
        wholeList: Bool
    ) -> String {
        inputs.filter { $0.isRequired || $0.name == path.first?.name }.map { input in
            guard input.name == path.first?.name else {
                return "\(input.name): \(list(example(input.type.type, named: input.name, schema), input))"
            }
            let rest = path.dropFirst()
            guard !rest.isEmpty, case .inputObject(let object) = schema[input.type.type].kind else {
                return "\(input.name): \(wholeList ? "$v" : list("$v", input))"
            }
            let fields = values(object.fields, rest, schema, wholeList: wholeList)
            return "\(input.name): \(list("{ \(fields) }", input))"
        }.joined(separator: ", ")
    }

    private static func list(_ value: String, _ input: SchemaInputValue) -> String {
        input.type.wrapping.item == nil ? value : "[\(value)]"
    }

    /// A literal that a field accepts when its arguments are read.
    static func example(_ type: TypeID, named name: String, _ schema: Schema) -> String {
        let texts = [
            "symbol": "AAPL", "symbols": "AAPL", "currency": "USD", "to": "EUR", "id": "Instrument:AAPL",
        ]
        switch schema[type].kind {
        case .enum(let definition): return definition.values.first?.name ?? ""
        case .inputObject(let object):
            let fields = object.isOneOf ? Array(object.fields.prefix(1)) : object.fields.filter(\.isRequired)
            let values = fields.map {
                "\($0.name): \(list(example($0.type.type, named: $0.name, schema), $0))"
            }
            return "{ \(values.joined(separator: ", ")) }"
        case .scalar(let scalar):
            switch scalar.builtIn {
            case .int: return "1"
            case .float: return "1.5"
            case .boolean: return "true"
            case .string, .id: return "\"\(texts[name] ?? "sample")\""
            case nil:
                switch schema[type].name {
                case "Decimal": return "\"1\""
                case "ProviderName": return "\"alpaca\""
                default: return "\"2028-06-30\""
                }
            }
        case .object, .interface, .union: return ""
        }
    }
}
