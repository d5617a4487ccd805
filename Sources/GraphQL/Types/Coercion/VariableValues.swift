/// The variables of a request, coerced to their types (specification, section 6.1.2).
///
/// A nullable variable that the request omits and that has no default has no value, which differs from null.
public final class VariableValues: Sendable {
    /// A variable of the operation.
    struct Entry: Sendable {
        let name: Name
        let text: String
        /// The value; nil if the request omits it and it has no default.
        let value: InputValue?
        let isGiven: Bool
    }

    let entries: [Entry]
    /// The positions by `Name.id`; only for operations with so many variables that a linear search would be
    /// slow.
    private let index: [UInt32: Int]?

    /// The empty set of variables.
    public static let empty = VariableValues([])

    init(_ entries: [Entry]) {
        self.entries = entries
        index =
            entries.count <= 16
            ? nil
            : Dictionary(
                entries.enumerated().map { ($1.name.id, $0) }, uniquingKeysWith: { first, _ in first })
    }

    /// The value of a variable, by a name of the document for which the values were coerced; nil if it has
    /// none.
    public subscript(name: Name) -> InputValue? { entry(name.id)?.value }

    /// The value of a variable, by its name without the dollar sign; nil if it has none.
    public subscript(name: String) -> InputValue? { entries.first { $0.text.hasSameBytes(as: name) }?.value }

    /// Returns true if the request contains a value for the variable, possibly null.
    public func isGiven(_ name: Name) -> Bool { entry(name.id)?.isGiven ?? false }

    private func entry(_ id: UInt32) -> Entry? {
        if let index { return index[id].map { entries[$0] } }
        return entries.first { $0.name.id == id }
    }
}

extension Schema {
    /// Coerces the variables of a request for an operation (specification, CoerceVariableValues).
    ///
    /// - Parameters:
    ///   - operation: An operation of `document`.
    ///   - document: A document that is valid against this schema.
    ///   - given: The request's variables by name. Variables that the operation does not define are ignored.
    ///   - errorLimit: The maximum number of errors; one more error then states that there are others.
    ///   - suggests: True if messages suggest similar names, which reveals names of the schema.
    /// - Returns: The variables that have a value.
    /// - Throws: The errors of the variables, each with the position of the variable's definition.
    public func coerceVariables(
        of operation: OperationDefinition, in document: Document, given: InputObject, errorLimit: Int = 50,
        suggests: Bool = true
    ) throws(GraphQLErrors) -> VariableValues {
        if operation.variables.isEmpty { return .empty }
        var coercion = VariableCoercion(
            schema: self, document: document, given: given, suggests: suggests, errorLimit: errorLimit)
        for index in operation.variables.indices {
            coercion.coerce(document.variableDefinitions[index])
            if coercion.errors.count > errorLimit {
                let last = GraphQLError(
                    "Too many errors processing variables, error limit reached. Execution aborted.",
                    extensions: RequestErrorCode.badUserInput.extensions)
                throw GraphQLErrors(coercion.errors.prefix(max(0, errorLimit)) + [last])
            }
        }
        if !coercion.errors.isEmpty { throw GraphQLErrors(coercion.errors) }
        return VariableValues(coercion.entries)
    }
}

/// The state of coercing the variables of one request.
private struct VariableCoercion {
    let schema: Schema
    let document: Document
    let suggests: Bool
    private let errorLimit: Int
    private let given: [String: InputValue]
    private(set) var entries: [VariableValues.Entry] = []
    private(set) var errors: [GraphQLError] = []

    init(schema: Schema, document: Document, given: InputObject, suggests: Bool, errorLimit: Int) {
        self.schema = schema
        self.document = document
        self.suggests = suggests
        self.errorLimit = errorLimit
        // Names of variables are ASCII. A name that is canonically equivalent to one must not match it.
        let named = given.fields.lazy.filter { $0.name.utf8.allSatisfy { $0 < 0x80 } }
        self.given = Dictionary(named.map { ($0.name, $0.value) }, uniquingKeysWith: { _, last in last })
    }

    mutating func coerce(_ definition: VariableDefinition) {
        let name = document.text(definition.name)
        guard let id = schema.typeID(named: document.text(definition.type.name)), schema[id].isInput else {
            let type = definition.type.wrapping.description(around: document.text(definition.type.name))
            return report(
                "Variable \"$\(name)\" expected value of type \"\(type)\" which cannot be used as an input type.",
                definition.type.span)
        }
        let type = GraphQLType(id, definition.type.wrapping)
        if let value = given[name] {
            coerce(value, type, definition, name)
        } else if let literal = definition.defaultValue {
            coerceDefault(literal, type, definition, name)
        } else if type.wrapping.isNonNull {
            reportFaults(ValueErrorReporter.faults(of: nil, as: type, schema: schema), definition, name)
        } else {
            append(definition, name, nil, isGiven: false)
        }
    }

    private mutating func coerce(
        _ value: InputValue, _ type: GraphQLType, _ definition: VariableDefinition, _ name: String
    ) {
        if value.isDeeper(than: maximumInputDepth, as: type, in: schema) {
            return report(
                "Variable \"$\(name)\" has invalid value: It is nested too deeply.", definition.span)
        }
        if let coerced = InputValueCoercion(schema: schema).coerce(value, to: type) {
            append(definition, name, coerced, isGiven: true)
        } else {
            let faults = ValueErrorReporter.faults(
                of: value, as: type, schema: schema, suggests: suggests, limit: errorLimit)
            reportFaults(faults, definition, name)
        }
    }

    private mutating func coerceDefault(
        _ literal: Value, _ type: GraphQLType, _ definition: VariableDefinition, _ name: String
    ) {
        if let value = LiteralCoercion(document: document, schema: schema).coerce(literal, to: type) {
            return append(definition, name, value, isGiven: false)
        }
        let faults = LiteralErrorReporter.faults(
            of: literal, as: type, in: document, schema: schema, suggests: suggests, limit: errorLimit)
        reportFaults(faults, definition, name, "default value")
    }

    private mutating func append(
        _ definition: VariableDefinition, _ name: String, _ value: InputValue?, isGiven: Bool
    ) {
        entries.append(.init(name: definition.name, text: name, value: value, isGiven: isGiven))
    }

    private mutating func reportFaults(
        _ faults: [InputCoercionError], _ definition: VariableDefinition, _ name: String,
        _ noun: String = "value"
    ) {
        for fault in faults {
            report(
                "Variable \"$\(name)\" has invalid \(noun)\(fault.path.inputPath): \(fault.message)",
                definition.span)
        }
        // Both traversals of a value agree. If they ever disagree, the value is still rejected.
        if faults.isEmpty { report("Variable \"$\(name)\" has invalid \(noun).", definition.span) }
    }

    private mutating func report(_ message: String, _ span: SourceSpan) {
        errors.append(
            GraphQLError(
                message, locations: [document.source.location(of: span)],
                extensions: RequestErrorCode.badUserInput.extensions))
    }
}
