/// Coerces JSON values of a request to their types (specification, sections 3.5 to 3.12).
///
/// The result contains no reason for a failure; `ValueErrorReporter` determines it.
struct InputValueCoercion {
    let schema: Schema

    /// Returns the value with defaults of input fields filled in; nil if it does not fit.
    func coerce(_ value: InputValue, to type: GraphQLType) -> InputValue? {
        if case .null = value { return type.wrapping.isNonNull ? nil : .null }
        if let item = type.wrapping.item {
            let itemType = GraphQLType(type.type, item)
            // A single value is coerced to a list of one item.
            guard case .list(let items) = value else {
                return coerce(value, to: itemType).map { .list([$0]) }
            }
            // A list whose items need no conversion is returned without a copy.
            if !itemType.wrapping.isList, case .scalar(let scalar) = schema[type.type].kind,
                scalar.builtIn?.preserves(all: items) == true
            {
                return value
            }
            var coerced: [InputValue] = []
            coerced.reserveCapacity(items.count)
            for item in items {
                guard let item = coerce(item, to: itemType) else { return nil }
                coerced.append(item)
            }
            return .list(coerced)
        }
        switch schema[type.type].kind {
        case .scalar(let scalar):
            if let builtIn = scalar.builtIn { return try? builtIn.read(value) }
            guard let coercion = schema.scalarCoercions[schema[type.type].name] else { return value }
            return try? coercion.read(value)
        case .enum(let definition):
            guard let name = value.enumName, definition.value(named: name) != nil else { return nil }
            return .enum(name)
        case .inputObject(let object):
            return coerceObject(value, to: object)
        case .object, .interface, .union:
            return nil
        }
    }

    private func coerceObject(_ value: InputValue, to object: InputObjectType) -> InputValue? {
        guard case .object(let given) = value else { return nil }
        var values = [InputValue?](repeating: nil, count: object.fields.count)
        for field in given.fields {
            guard let position = object.fieldIndex(named: field.name) else { return nil }
            values[position] = field.value
        }
        var fields: [(name: String, value: InputValue)] = []
        for (position, field) in object.fields.enumerated() {
            if let value = values[position] {
                guard let coerced = coerce(value, to: field.type) else { return nil }
                fields.append((field.name, coerced))
            } else if field.isRequired {
                return nil
            } else if let value = field.defaultValue?.value {
                fields.append((field.name, value))
            }
        }
        if object.isOneOf, given.fields.count != 1 || fields.count != 1 || fields[0].value == .null {
            return nil
        }
        return .object(InputObject(fields))
    }
}

extension InputValue {
    /// The name of an enum value, which is a string in JSON; nil for other values.
    var enumName: String? {
        switch self {
        case .string(let name), .enum(let name): name
        case .null, .boolean, .int, .number, .list, .object: nil
        }
    }

    /// Returns true if lists and objects are nested deeper than `levels`.
    ///
    /// Values of custom scalars are not inspected.
    func isDeeper(than levels: Int, as type: GraphQLType, in schema: Schema) -> Bool {
        // Only input objects nest without a bound; the type limits the depth of all other values.
        guard case .inputObject = schema[type.type].kind else { return false }
        var stack = [(value: self, type: type, level: 0)]
        while let (value, type, level) = stack.popLast() {
            if level > levels { return true }
            if let item = type.wrapping.item {
                let itemType = GraphQLType(type.type, item)
                guard case .list(let items) = value else {
                    stack.append((value, itemType, level + 1))
                    continue
                }
                for item in items { stack.append((item, itemType, level + 1)) }
            } else if case .inputObject(let object) = schema[type.type].kind, case .object(let given) = value
            {
                for field in given.fields {
                    guard let definition = object.field(named: field.name) else { continue }
                    stack.append((field.value, definition.type, level + 1))
                }
            }
        }
        return false
    }
}
