/// The source of an argument's value in a document, coerced when the variables are known.
///
/// An argument or input field counts as used if its coerced value is not null. A default counts as if it
/// were written (IBM cost specification, 8.2), and null requests nothing.
struct ArgumentSource: Sendable {
    /// The literal; nil if the document has none.
    let literal: Value?
    let type: GraphQLType
    let defaultValue: InputValue?
    /// True if the value is independent of the variables.
    let isConstant: Bool

    init(_ literal: Value?, for definition: SchemaInputValue, in document: Document) {
        self.literal = literal
        type = definition.type
        defaultValue = definition.defaultValue?.value
        isConstant = literal.map { !document.usesVariables($0) } ?? true
    }

    /// Returns the coerced value; nil if there is none or if it does not fit.
    ///
    /// The field's argument coercion reports the error.
    func read(_ literals: LiteralCoercion) -> InputValue? {
        guard let literal else { return defaultValue }
        if case .variable(let name, _) = literal { return literals.variables?[name] ?? defaultValue }
        return literals.coerce(literal, to: type)
    }
}

extension Document {
    fileprivate func usesVariables(_ value: Value) -> Bool {
        switch value {
        case .variable: true
        case .list(let run, _): run.indices.contains { usesVariables(values[$0]) }
        case .object(let run, _): run.indices.contains { usesVariables(objectFields[$0].value) }
        case .int, .float, .string, .boolean, .null, .enum: false
        }
    }
}

extension SchemaCosts {
    /// Returns the cost of an argument: its weight and that of all input fields used in it (5.3.2.2).
    ///
    /// It may be negative.
    func cost(of value: InputValue?, weight: Cost, type: GraphQLType) -> Cost {
        guard let value, value != .null else { return .zero }
        return weight + costOfInputFields(in: value, type)
    }

    private func costOfInputFields(in value: InputValue, _ type: GraphQLType) -> Cost {
        switch value {
        case .list(let items):
            guard let item = type.wrapping.item else { return .zero }
            return items.reduce(.zero) { $0 + costOfInputFields(in: $1, GraphQLType(type.type, item)) }
        case .object(let object):
            guard case .inputObject(let definition) = schema[type.type].kind else { return .zero }
            return object.fields.reduce(.zero) { sum, field in
                guard let position = definition.fieldIndex(named: field.name) else { return sum }
                let weight = inputFields[type.type.index][position]
                return sum + cost(of: field.value, weight: weight, type: definition.fields[position].type)
            }
        case .null, .boolean, .int, .number, .string, .enum:
            return .zero
        }
    }

    /// Returns true if the value of an argument affects its cost.
    func affectsCost(_ weight: Cost, _ type: GraphQLType) -> Bool {
        if weight != .zero { return true }
        if case .inputObject = schema[type.type].kind { return true }
        return false
    }
}
