/// Coerces literals of a document to their types (specification, sections 3.5 to 3.12, "Input Coercion").
///
/// The result contains no reason for a failure; `LiteralErrorReporter` determines it.
struct LiteralCoercion {
    let document: Document
    let schema: Schema
    /// The variables; nil in type system documents, which have none.
    var variables: VariableValues?
    /// Returns the default of an input field by its position.
    ///
    /// The schema builder replaces this function, because the defaults are not yet coerced during the build.
    var inputDefault: ((TypeID, Int) -> InputValue?)?

    /// Returns the value with defaults of input fields filled in; nil if it does not fit.
    func coerce(_ literal: Value, to type: GraphQLType) -> InputValue? {
        if case .variable(let name, _) = literal {
            // Validation has checked that the type of the variable fits this position.
            guard let value = variables?[name] else { return nil }
            return value == .null && type.wrapping.isNonNull ? nil : value
        }
        if case .null = literal { return type.wrapping.isNonNull ? nil : .null }
        if let item = type.wrapping.item {
            return coerceList(literal, items: GraphQLType(type.type, item))
        }
        switch schema[type.type].kind {
        case .scalar(let scalar):
            return coerce(literal, to: scalar, named: schema[type.type].name)
        case .enum(let definition):
            guard case .enum(let name) = literal, definition.value(named: document.text(name)) != nil else {
                return nil
            }
            return .enum(document.text(name))
        case .inputObject(let object):
            return coerceObject(literal, to: object, type.type)
        case .object, .interface, .union:
            return nil
        }
    }

    private func coerceList(_ literal: Value, items type: GraphQLType) -> InputValue? {
        guard case .list(let run, _) = literal else {
            // A single value is coerced to a list of one item.
            return coerce(literal, to: type).map { .list([$0]) }
        }
        var items: [InputValue] = []
        items.reserveCapacity(Int(run.count))
        for index in run.indices {
            let item = document.values[index]
            if let value = coerce(item, to: type) {
                items.append(value)
            } else if case .variable = item, !type.wrapping.isNonNull {
                // A variable without a value counts as null in a list.
                items.append(.null)
            } else {
                return nil
            }
        }
        return .list(items)
    }

    private func coerceObject(_ literal: Value, to object: InputObjectType, _ id: TypeID) -> InputValue? {
        guard case .object(let run, _) = literal else { return nil }
        var given = [Value?](repeating: nil, count: object.fields.count)
        for index in run.indices {
            let field = document.objectFields[index]
            guard let position = object.fieldIndex(named: document.text(field.name)) else { return nil }
            given[position] = field.value
        }
        var fields: [(name: String, value: InputValue)] = []
        for (position, field) in object.fields.enumerated() {
            if let literal = given[position], !isMissingVariable(literal) {
                guard let value = coerce(literal, to: field.type) else { return nil }
                fields.append((field.name, value))
            } else if field.isRequired {
                return nil
            } else if let value = defaultValue(of: field, at: position, in: id) {
                fields.append((field.name, value))
            }
        }
        if object.isOneOf, run.count != 1 || fields.count != 1 || fields[0].value == .null { return nil }
        return .object(InputObject(fields))
    }

    private func defaultValue(of field: SchemaInputValue, at position: Int, in id: TypeID) -> InputValue? {
        if let inputDefault { return inputDefault(id, position) }
        return field.defaultValue?.value
    }

    private func coerce(_ literal: Value, to scalar: ScalarType, named name: String) -> InputValue? {
        if let builtIn = scalar.builtIn { return try? builtIn.read(literal, in: document) }
        let value = UntypedLiteral(document: document, variables: variables).value(of: literal)
        guard let coercion = schema.scalarCoercions[name] else { return value }
        return try? coercion.read(value)
    }

    private func isMissingVariable(_ literal: Value) -> Bool {
        guard case .variable(let name, _) = literal else { return false }
        return variables?[name] == nil
    }
}

/// Evaluates a literal without a type, as input for a custom scalar.
package struct UntypedLiteral {
    private let document: Document
    private let variables: VariableValues?

    package init(document: Document, variables: VariableValues? = nil) {
        self.document = document
        self.variables = variables
    }

    /// Returns the value; numbers retain their digits.
    ///
    /// A variable without a value is null in a list; in an object its field is omitted.
    package func value(of literal: Value) -> InputValue {
        switch literal {
        case .variable(let name, _): return variables?[name] ?? .null
        case .int(let span):
            let digits = document.source.text(span)
            return Int(digits).map { .int($0) } ?? .number(digits)
        case .float(let span): return .number(document.source.text(span))
        case .string(let string): return .string(document.string(string))
        case .boolean(let value, _): return .boolean(value)
        case .null: return .null
        case .enum(let name): return .enum(document.text(name))
        case .list(let run, _): return .list(run.indices.map { value(of: document.values[$0]) })
        case .object(let run, _): return .object(object(run))
        }
    }

    private func object(_ run: NodeRange<ObjectField>) -> InputObject {
        var fields: [(name: String, value: InputValue)] = []
        for index in run.indices {
            let field = document.objectFields[index]
            if case .variable(let name, _) = field.value, variables?[name] == nil { continue }
            fields.append((document.text(field.name), value(of: field.value)))
        }
        return InputObject(fields)
    }
}
