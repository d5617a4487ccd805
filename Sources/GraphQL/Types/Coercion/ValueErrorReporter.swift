/// Reports why a value of a request does not fit its type, with the wording of the reference implementation.
struct ValueErrorReporter {
    let schema: Schema
    let suggests: Bool
    private var faults: InputCoercionErrors

    /// Returns the errors of `value`, or of a missing value if nil, as a value of `type`: at most `limit` +
    /// 1; empty if it fits.
    static func faults(
        of value: InputValue?, as type: GraphQLType, schema: Schema, suggests: Bool = true, limit: Int = .max
    ) -> [InputCoercionError] {
        guard let value else {
            let message = "Expected a value of non-null type \"\(schema.describe(type))\" to be provided."
            return type.wrapping.isNonNull ? [InputCoercionError(message: message)] : []
        }
        var diagnosis = ValueErrorReporter(schema: schema, suggests: suggests, limit: limit)
        diagnosis.check(value, type)
        return diagnosis.faults.found
    }

    private init(schema: Schema, suggests: Bool, limit: Int) {
        self.schema = schema
        self.suggests = suggests
        faults = InputCoercionErrors(limit: limit)
    }

    private mutating func check(_ value: InputValue, _ type: GraphQLType) {
        if value == .null {
            if type.wrapping.isNonNull {
                faults.report(
                    "Expected value of non-null type \"\(schema.describe(type))\" not to be null.")
            }
            return
        }
        if let item = type.wrapping.item {
            let itemType = GraphQLType(type.type, item)
            guard case .list(let items) = value else { return check(value, itemType) }
            for (position, item) in items.enumerated() {
                faults.enter(.index(position))
                check(item, itemType)
                faults.exit()
            }
            return
        }
        let named = schema[type.type]
        switch named.kind {
        case .scalar(let scalar): checkScalar(value, scalar, named.name)
        case .enum(let definition): checkEnum(value, definition, named.name)
        case .inputObject(let object): checkObject(value, object, named)
        case .object, .interface, .union: return
        }
    }

    private mutating func checkScalar(_ value: InputValue, _ scalar: ScalarType, _ name: String) {
        if let builtIn = scalar.builtIn {
            do throws(InputCoercionError) { _ = try builtIn.read(value) } catch {
                faults.report(error.message)
            }
        } else if let coercion = schema.scalarCoercions[name] {
            do throws(GraphQLError) { _ = try coercion.read(value) } catch { faults.report(error.message) }
        }
    }

    private mutating func checkEnum(_ value: InputValue, _ definition: EnumType, _ name: String) {
        let given = value.enumName
        if let given, definition.value(named: given) != nil { return }
        let refusal = { [schema, suggests] in
            let found = given?.shortened() ?? value.inspected
            let hint = definition.suggestion(for: found, suggests ? schema.synonyms : nil)
            return given != nil
                ? "Value \"\(found)\" does not exist in \"\(name)\" enum.\(hint)"
                : "Enum \"\(name)\" cannot represent non-string value: \(found).\(hint)"
        }
        faults.report(refusal())
    }

    private mutating func checkObject(_ value: InputValue, _ object: InputObjectType, _ type: NamedType) {
        let expected = "Expected value of type \"\(type.name)\""
        guard case .object(let given) = value else {
            return faults.report("\(expected) to be an object, found: \(value.inspected).")
        }
        var values = [InputValue?](repeating: nil, count: object.fields.count)
        for field in given.fields {
            if let position = object.fieldIndex(named: field.name) { values[position] = field.value }
        }
        for (position, field) in object.fields.enumerated() {
            if let value = values[position] {
                faults.enter(.key(field.name))
                check(value, field.type)
                faults.exit()
            } else if field.isRequired {
                faults.report(
                    "\(expected) to include required field \"\(field.name)\", found: \(value.inspected).")
            }
        }
        for field in given.fields where object.fieldIndex(named: field.name) == nil {
            let refusal = { [schema, suggests] in
                let name = field.name.shortened()
                let hint = object.suggestion(for: name, suggests ? schema.synonyms : nil)
                return "\(expected) not to include unknown field \"\(name)\"\(hint): \(value.inspected)."
            }
            faults.report(refusal())
        }
        if object.isOneOf { checkOneOf(given, object, type) }
    }

    private mutating func checkOneOf(_ given: InputObject, _ object: InputObjectType, _ type: NamedType) {
        let known = given.fields.filter { object.fieldIndex(named: $0.name) != nil }
        if known.count != 1 { faults.report(type.exactlyOneField) }
        guard let first = known.first, first.value == .null else { return }
        faults.enter(.key(first.name))
        faults.report(type.exactlyOneField)
        faults.exit()
    }
}
