extension TypeSystemRules {
    /// Checks the implemented interfaces of a type: only interfaces, each once, not itself, and all that
    /// they implement (specification, sections 3.6 and 3.7, IsValidImplementation).
    func interfaces(of type: NamedType) -> [SchemaValidationError] {
        var faults: [SchemaValidationError] = []
        let all = Set(type.interfaces)
        var implemented: Set<TypeID> = []
        for id in type.interfaces {
            let interface = schema[id]
            guard case .interface = interface.kind else {
                faults.append(
                    SchemaValidationError(
                        """
                        Type \(type.name) must only implement Interface types, it cannot implement \(interface.name).
                        """, at: implementsSpans(type, interface)))
                continue
            }
            if id == type.id {
                faults.append(
                    SchemaValidationError(
                        """
                        Type \(type.name) cannot implement itself because it would create a circular reference.
                        """, at: implementsSpans(type, interface)))
            }
            guard implemented.insert(id).inserted else {
                faults.append(
                    SchemaValidationError(
                        "Type \(type.name) can only implement \(interface.name) once.",
                        at: implementsSpans(type, interface)))
                continue
            }
            faults += inherited(from: interface, by: type, implementing: all)
            faults += implementation(of: interface, by: type)
        }
        return faults
    }

    /// Checks that the type implements all interfaces of its interface.
    private func inherited(
        from interface: NamedType, by type: NamedType, implementing all: Set<TypeID>
    ) -> [SchemaValidationError] {
        let missing = interface.interfaces.filter { !all.contains($0) }
        return missing.map { id in
            let inherited = schema[id]
            let message =
                id == type.id
                ? "Type \(type.name) cannot implement \(interface.name) because it would create a circular reference."
                : """
                Type \(type.name) must implement \(inherited.name) because it is implemented by \(interface.name).
                """
            return SchemaValidationError(
                message, at: implementsSpans(interface, inherited) + implementsSpans(type, interface))
        }
    }
}

extension TypeSystemRules {
    /// Checks that a type has the fields of an interface, with its arguments and compatible types
    /// (specification, IsValidImplementation).
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
                field: field, coordinate: "\(type.name).\(field.name)", expected: expected,
                expectedCoordinate: "\(interface.name).\(expected.name)")
            faults += fieldType(pair) + arguments(pair) + additionalArguments(pair) + deprecation(pair)
        }
        return faults
    }

    /// Checks that the field's type is the interface's type or a subtype of it.
    private func fieldType(_ pair: ImplementedField) -> [SchemaValidationError] {
        if schema.isSubtype(pair.field.type, of: pair.expected.type) { return [] }
        let message = """
            Interface field \(pair.expectedCoordinate) expects type \(schema.describe(pair.expected.type)) but \
            \(pair.coordinate) is type \(schema.describe(pair.field.type)).
            """
        return [SchemaValidationError(message, at: [typeSpan(of: pair.expected), typeSpan(of: pair.field)])]
    }

    /// Checks that the field has each argument of the interface's field, with the same type.
    private func arguments(_ pair: ImplementedField) -> [SchemaValidationError] {
        pair.expected.arguments.compactMap { expected in
            let expectedPlace = "\(pair.expectedCoordinate)(\(expected.name):)"
            guard let argument = pair.field.argument(named: expected.name) else {
                return SchemaValidationError(
                    "Interface field argument \(expectedPlace) expected but \(pair.coordinate) does not provide it.",
                    at: [expected.node, pair.field.node])
            }
            if argument.type == expected.type { return nil }
            let message = """
                Interface field argument \(expectedPlace) expects type \(schema.describe(expected.type)) but \
                \(pair.coordinate)(\(expected.name):) is type \(schema.describe(argument.type)).
                """
            return SchemaValidationError(message, at: [typeSpan(of: expected), typeSpan(of: argument)])
        }
    }

    /// Checks that additional arguments are optional.
    private func additionalArguments(_ pair: ImplementedField) -> [SchemaValidationError] {
        pair.field.arguments.compactMap { argument in
            guard argument.isRequired, pair.expected.argument(named: argument.name) == nil else { return nil }
            let message = """
                Argument "\(pair.coordinate)(\(argument.name):)" must not be required type \
                "\(schema.describe(argument.type))" if not provided by the Interface field "\(pair.expectedCoordinate)".
                """
            return SchemaValidationError(message, at: [argument.node, pair.expected.node])
        }
    }

    /// Checks that the field is deprecated only if the interface's field is.
    private func deprecation(_ pair: ImplementedField) -> [SchemaValidationError] {
        guard pair.field.deprecationReason != nil, pair.expected.deprecationReason == nil else { return [] }
        let message = """
            Interface field \(pair.expectedCoordinate) is not deprecated, so implementation field \(pair.coordinate) must not \
            be deprecated.
            """
        return [SchemaValidationError(message, at: [deprecation(of: pair.field), typeSpan(of: pair.field)])]
    }
}

/// A field with the interface field that it implements; places are schema coordinates.
private struct ImplementedField {
    let field: SchemaField
    let coordinate: String
    let expected: SchemaField
    let expectedCoordinate: String
}

extension Schema {
    /// Returns true if every value of `type` is also a value of `supertype` (specification,
    /// IsValidImplementationFieldType).
    func isSubtype(_ type: GraphQLType, of supertype: GraphQLType) -> Bool {
        type.wrapping.isSubtype(of: supertype.wrapping) && isSubtype(type.type, of: supertype.type)
    }
}
