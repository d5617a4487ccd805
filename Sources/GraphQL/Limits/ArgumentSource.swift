/// What an argument is given in a document, to be read when the variables are known.
///
/// An argument or input field counts as given where it has a value after coercion that is not null: a default counts
/// as if it had been written (IBM cost specification, 8.2), and null asks for nothing.
struct ArgumentSource: Sendable {
    /// Nil where the document gives none.
    let literal: Value?
    let type: WrappedType
    let defaultValue: InputValue?
    /// Whether it is the same whatever the variables.
    let isConstant: Bool

    init(_ literal: Value?, for definition: SchemaInputValue, in document: Document) {
        self.literal = literal
        type = definition.type
        defaultValue = definition.defaultValue?.value
        isConstant = literal.map { !document.usesVariables($0) } ?? true
    }

    /// The coerced value; nil where there is none, or where it does not fit, which the field's own arguments will say.
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
    /// What an argument costs: its weight, and that of all input fields that are used in it (5.3.2.2).
    ///
    /// It may be negative.
    func cost(of value: InputValue?, weight: Cost, type: WrappedType) -> Cost {
        guard let value, value != .null else { return .zero }
        return weight + costOfInputFields(in: value, type)
    }

    private func costOfInputFields(in value: InputValue, _ type: WrappedType) -> Cost {
        switch value {
        case .list(let items):
            guard let item = type.wrapping.item else { return .zero }
            return items.reduce(.zero) { $0 + costOfInputFields(in: $1, WrappedType(type.type, item)) }
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

    /// Whether the value of an argument bears on its cost at all.
    func matters(_ weight: Cost, _ type: WrappedType) -> Bool {
        if weight != .zero { return true }
        if case .inputObject = schema[type.type].kind { return true }
        return false
    }
}
