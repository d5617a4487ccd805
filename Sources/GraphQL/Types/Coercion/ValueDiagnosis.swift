/// Says why a value that a request gave does not fit its type, in the words of the reference implementation.
struct ValueDiagnosis {
    let schema: Schema
    let suggests: Bool
    private(set) var faults: [InputFault] = []

    /// Every fault of `value`, nil standing for none at all, as a value of `type`; empty where it fits.
    static func faults(
        of value: InputValue?, as type: WrappedType, schema: Schema, suggests: Bool = true
    ) -> [InputFault] {
        guard let value else {
            let message = "Expected a value of non-null type \"\(schema.describe(type))\" to be provided."
            return type.wrapping.isNonNull ? [InputFault(message: message)] : []
        }
        var diagnosis = ValueDiagnosis(schema: schema, suggests: suggests)
        diagnosis.check(value, type, at: [])
        return diagnosis.faults
    }

    private init(schema: Schema, suggests: Bool) {
        self.schema = schema
        self.suggests = suggests
    }

    private mutating func report(_ message: String, at path: [PathSegment]) {
        faults.append(InputFault(message: message, path: path))
    }

    private mutating func check(_ value: InputValue, _ type: WrappedType, at path: [PathSegment]) {
        if value == .null {
            if type.wrapping.isNonNull {
                report(
                    "Expected value of non-null type \"\(schema.describe(type))\" not to be null.", at: path)
            }
            return
        }
        if let item = type.wrapping.item {
            let itemType = WrappedType(type.type, item)
            guard case .list(let items) = value else { return check(value, itemType, at: path) }
            for (position, item) in items.enumerated() {
                check(item, itemType, at: path + [.index(position)])
            }
            return
        }
        let named = schema[type.type]
        switch named.kind {
        case .scalar(let scalar): checkScalar(value, scalar, named.name, at: path)
        case .enum(let definition): checkEnum(value, definition, named.name, at: path)
        case .inputObject(let object): checkObject(value, object, named, at: path)
        case .object, .interface, .union: return
        }
    }

    private mutating func checkScalar(
        _ value: InputValue, _ scalar: ScalarType, _ name: String, at path: [PathSegment]
    ) {
        if let builtIn = scalar.builtIn {
            do throws(InputFault) { _ = try builtIn.read(value) } catch { report(error.message, at: path) }
        } else if let coercion = schema.scalarCoercions[name] {
            do throws(GraphQLError) { _ = try coercion.read(value) } catch { report(error.message, at: path) }
        }
    }

    private mutating func checkEnum(
        _ value: InputValue, _ definition: EnumType, _ name: String, at path: [PathSegment]
    ) {
        if let given = value.enumName {
            if definition.value(named: given) != nil { return }
            let hint = definition.suggestion(for: given, suggests)
            report("Value \"\(given)\" does not exist in \"\(name)\" enum.\(hint)", at: path)
        } else {
            let found = value.inspected
            let hint = definition.suggestion(for: found, suggests)
            report("Enum \"\(name)\" cannot represent non-string value: \(found).\(hint)", at: path)
        }
    }

    private mutating func checkObject(
        _ value: InputValue, _ object: InputObjectType, _ type: NamedType, at path: [PathSegment]
    ) {
        let expected = "Expected value of type \"\(type.name)\""
        guard case .object(let given) = value else {
            return report("\(expected) to be an object, found: \(value.inspected).", at: path)
        }
        var values = [InputValue?](repeating: nil, count: object.fields.count)
        for field in given.fields {
            if let position = object.fieldIndex(named: field.name) { values[position] = field.value }
        }
        for (position, field) in object.fields.enumerated() {
            if let value = values[position] {
                check(value, field.type, at: path + [.key(field.name)])
            } else if field.isRequired {
                report(
                    "\(expected) to include required field \"\(field.name)\", found: \(value.inspected).",
                    at: path)
            }
        }
        for field in given.fields where object.fieldIndex(named: field.name) == nil {
            let hint = object.suggestion(for: field.name, suggests)
            report(
                "\(expected) not to include unknown field \"\(field.name)\"\(hint): \(value.inspected).",
                at: path)
        }
        if object.isOneOf { checkOneOf(given, object, type, at: path) }
    }

    private mutating func checkOneOf(
        _ given: InputObject, _ object: InputObjectType, _ type: NamedType, at path: [PathSegment]
    ) {
        let known = given.fields.filter { object.fieldIndex(named: $0.name) != nil }
        if known.count != 1 { report(type.exactlyOneField, at: path) }
        if let first = known.first, first.value == .null {
            report(type.exactlyOneField, at: path + [.key(first.name)])
        }
    }
}
