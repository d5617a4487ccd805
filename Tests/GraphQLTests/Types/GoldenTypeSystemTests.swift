import Foundation
import Testing

@testable import GraphQL

/// A random type system, and the result of the reference implementation (Tests/Golden/types).
struct GoldenTypeSystem: Decodable, CustomTestStringConvertible {
    var seed: Int
    var sdl: String
    /// The errors of the type system.
    var errors: [GoldenError]?
    /// The printed schema, if there are no errors.
    var printed: String?
    /// The names of its types, in the order of introspection.
    var order: [String]?
    /// An operation, its variables as an input object, and the result of their coercion.
    var query: String?
    var variables: String?
    var variableErrors: [GoldenError]?
    var coerced: String?
    /// The arguments of each field that the operation selects.
    var arguments: [GoldenArguments]?

    var testDescription: String { "seed \(seed)" }
}

struct GoldenError: Decodable, Equatable {
    var message: String
    /// Line and column; empty if the reference implementation reports no location.
    var locations: [[Int]]
}

struct GoldenArguments: Decodable, Equatable {
    var values: String?
    var error: GoldenError?
}

/// The file with all cases.
struct GoldenTypeSystems: Decodable {
    struct BuiltIn: Decodable {
        var introspection: String
        var scalars: [String: String]
    }

    var builtIn: BuiltIn
    var cases: [GoldenTypeSystem]

    static let recorded: GoldenTypeSystems = {
        let file = URL(filePath: #filePath).deletingLastPathComponent()
            .appending(path: "../../Golden/types/cases.json").standardizedFileURL
        do {
            return try JSONDecoder().decode(GoldenTypeSystems.self, from: Data(contentsOf: file))
        } catch {
            Issue.record(error)
            return GoldenTypeSystems(builtIn: BuiltIn(introspection: "", scalars: [:]), cases: [])
        }
    }()
}

@Suite("Type systems, held against the reference implementation")
struct GoldenTypeSystemTests {
    @Test(
        "builds and prints them alike, and finds the same wrong with them",
        arguments: GoldenTypeSystems.recorded.cases)
    func builds(_ golden: GoldenTypeSystem) {
        do throws(GraphQLErrors) {
            let schema = try Schema.build(golden.sdl)
            #expect(golden.errors == nil)
            #expect(schema.print() == golden.printed)
            #expect(schema.types.map(\.name) == golden.order)
        } catch {
            #expect(error.errors.map(\.golden).forgetting(golden.errors ?? []) == golden.errors)
        }
    }

    @Test(
        "coerces variables and arguments alike",
        arguments: GoldenTypeSystems.recorded.cases.filter { $0.query != nil })
    func coerces(_ golden: GoldenTypeSystem) throws {
        let schema = try Schema.build(golden.sdl)
        let document = try parse(#require(golden.query))
        let given = try golden.given()
        guard case .operation(let operation) = document.definitions.first else {
            Issue.record("The document has no operation.")
            return
        }
        do throws(GraphQLErrors) {
            let values = try schema.coerceVariables(of: operation, in: document, given: given)
            #expect(golden.variableErrors == nil)
            #expect(coerced(values, of: operation, in: document) == golden.coerced?.canonicalNumbers)
            let recorded = golden.arguments ?? []
            let arguments = arguments(of: operation, in: document, schema, values).forgetting(recorded)
            #expect(arguments == recorded.map(\.canonical))
        } catch {
            #expect(
                error.errors.map(\.golden).forgetting(golden.variableErrors ?? []) == golden.variableErrors)
        }
    }

    @Test("has the built-in types and directives of the specification, described alike")
    func describesBuiltIns() throws {
        let schema = try Schema.build("type Query { a: Int b: Float c: ID }")
        let recorded = GoldenTypeSystems.recorded.builtIn
        #expect(try parse(schema.printIntrospection()).print() == recorded.introspection)
        for scalar in BuiltInScalar.allCases {
            let type = try #require(schema.type(named: scalar.rawValue))
            #expect(type.description == recorded.scalars[scalar.rawValue])
        }
    }

    private func coerced(
        _ values: VariableValues, of operation: OperationDefinition, in document: Document
    ) -> String {
        let names = operation.variables.indices.map { document.variableDefinitions[$0].name }
        let fields = names.compactMap { name in values[name].map { (name: document.text(name), value: $0) } }
        return InputValue.object(InputObject(fields)).recorded
    }

    private func arguments(
        of operation: OperationDefinition, in document: Document, _ schema: Schema, _ values: VariableValues
    ) -> [GoldenArguments] {
        operation.selectionSet.selections.indices.compactMap { index in
            guard case .field(let field) = document.selections[index], let query = schema.queryType,
                let definition = schema[query].field(named: document.text(field.name))
            else { return nil }
            do throws(GraphQLError) {
                let arguments = try schema.coerceArguments(
                    definition.arguments, given: field.arguments, in: document, at: field.span,
                    variables: values)
                return GoldenArguments(values: InputValue.object(arguments).recorded)
            } catch {
                return GoldenArguments(error: error.golden)
            }
        }
    }
}

extension GoldenTypeSystem {
    /// The variables of the request.
    fileprivate func given() throws -> InputObject {
        let value = try parseValue(SourceText(variables ?? "{}"))
        guard case .object(let fields) = UntypedLiteral(document: value.document).value(of: value.node) else {
            throw GraphQLError("The variables are no object.")
        }
        return fields
    }
}

extension GraphQLError {
    fileprivate var golden: GoldenError {
        GoldenError(message: message, locations: locations.map { [$0.line, $0.column] })
    }
}

extension [GoldenError] {
    /// The errors without locations that the reference implementation omits.
    fileprivate func forgetting(_ recorded: [GoldenError]) -> [GoldenError] {
        enumerated().map { position, error in
            guard position < recorded.count, recorded[position].locations.isEmpty else { return error }
            return GoldenError(message: error.message, locations: [])
        }
    }
}

extension [GoldenArguments] {
    /// The errors without locations that the reference implementation omits.
    fileprivate func forgetting(_ recorded: [GoldenArguments]) -> [GoldenArguments] {
        enumerated().map { position, arguments in
            guard let error = arguments.error, position < recorded.count else { return arguments }
            return GoldenArguments(
                error: [error].forgetting([recorded[position].error].compactMap(\.self))[0])
        }
    }
}

extension GoldenArguments {
    fileprivate var canonical: GoldenArguments {
        GoldenArguments(values: values?.canonicalNumbers, error: error)
    }
}

extension InputValue {
    /// The value in the format of the golden file: enum values are strings, and numbers have their shortest
    /// form.
    fileprivate var recorded: String {
        switch self {
        case .null: "null"
        case .boolean(let value): value ? "true" : "false"
        case .int(let number): String(number)
        case .number(let digits): digits.canonicalNumbers
        case .string(let text), .enum(let text): text.quotedAsJSON
        case .list(let items): "[" + items.map(\.recorded).joined(separator: ", ") + "]"
        case .object(let object):
            "{ " + object.fields.map { "\($0.name): \($0.value.recorded)" }.joined(separator: ", ") + " }"
        }
    }
}

extension String {
    /// The value with each number that has a fraction or an exponent in its shortest form: custom scalars
    /// retain all digits.
    fileprivate var canonicalNumbers: String {
        replacing(#/-?[0-9]+(\.[0-9]+)?([eE][+-]?[0-9]+)?/#) { match in
            guard match.1 != nil || match.2 != nil, let number = Double(match.0) else {
                return String(match.0)
            }
            return InputValue(float: number).literal
        }
    }
}
