extension TypeSystemRules {
    /// A type has the fields of an interface, with its arguments and fitting types (specification,
    /// IsValidImplementation).
    func implementation(of interface: NamedType, by type: NamedType) -> [SchemaValidationError] {
        var faults: [SchemaValidationError] = []
        for expected in interface.fields {
            guard let field = type.field(named: expected.name) else {
                faults.append(
                    SchemaValidationError(
                        """
                        Interface field \(interface.name).\(expected.name) expected but \(type.name) does not \
                        provide it.
                        """, at: [expected.node] + nodes(of: type).map(\.span)))
                continue
            }
            let pair = ImplementedField(
                field: field, place: "\(type.name).\(field.name)", expected: expected,
                expectedPlace: "\(interface.name).\(expected.name)")
            faults += fieldType(pair) + arguments(pair) + additionalArguments(pair) + deprecation(pair)
        }
        return faults
    }

    /// The field's type is the interface's, or a subtype of it.
    private func fieldType(_ pair: ImplementedField) -> [SchemaValidationError] {
        if schema.isSubtype(pair.field.type, of: pair.expected.type) { return [] }
        let message = """
            Interface field \(pair.expectedPlace) expects type \(schema.describe(pair.expected.type)) but \
            \(pair.place) is type \(schema.describe(pair.field.type)).
            """
        return [SchemaValidationError(message, at: [typeSpan(of: pair.expected), typeSpan(of: pair.field)])]
    }

    /// The field takes each of the interface's arguments, with the same type.
    private func arguments(_ pair: ImplementedField) -> [SchemaValidationError] {
        pair.expected.arguments.compactMap { expected in
            let expectedPlace = "\(pair.expectedPlace)(\(expected.name):)"
            guard let argument = pair.field.argument(named: expected.name) else {
                return SchemaValidationError(
                    "Interface field argument \(expectedPlace) expected but \(pair.place) does not provide it.",
                    at: [expected.node, pair.field.node])
            }
            if argument.type == expected.type { return nil }
            let message = """
                Interface field argument \(expectedPlace) expects type \(schema.describe(expected.type)) but \
                \(pair.place)(\(expected.name):) is type \(schema.describe(argument.type)).
                """
            return SchemaValidationError(message, at: [typeSpan(of: expected), typeSpan(of: argument)])
        }
    }

    /// What the field takes beyond that is optional.
    private func additionalArguments(_ pair: ImplementedField) -> [SchemaValidationError] {
        pair.field.arguments.compactMap { argument in
            guard argument.isRequired, pair.expected.argument(named: argument.name) == nil else { return nil }
            let message = """
                Argument "\(pair.place)(\(argument.name):)" must not be required type \
                "\(schema.describe(argument.type))" if not provided by the Interface field "\(pair.expectedPlace)".
                """
            return SchemaValidationError(message, at: [argument.node, pair.expected.node])
        }
    }

    /// The field is deprecated only where the interface's is.
    private func deprecation(_ pair: ImplementedField) -> [SchemaValidationError] {
        guard pair.field.deprecationReason != nil, pair.expected.deprecationReason == nil else { return [] }
        let message = """
            Interface field \(pair.expectedPlace) is not deprecated, so implementation field \(pair.place) must not \
            be deprecated.
            """
        return [SchemaValidationError(message, at: [deprecation(of: pair.field), typeSpan(of: pair.field)])]
    }
}

/// A field, and the field of an interface that it implements; the places are schema coordinates.
private struct ImplementedField {
    let field: SchemaField
    let place: String
    let expected: SchemaField
    let expectedPlace: String
}

extension Schema {
    /// Whether every value of `type` is also one of `supertype` (specification, IsValidImplementationFieldType).
    func isSubtype(_ type: WrappedType, of supertype: WrappedType) -> Bool {
        type.wrapping.isSubtype(of: supertype.wrapping) && isSubtype(type.type, of: supertype.type)
    }
}
