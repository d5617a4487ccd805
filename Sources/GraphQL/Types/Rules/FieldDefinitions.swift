extension TypeSystemRules {
    /// Object and interface types have fields, and fields have output types (specification, sections 3.6 and 3.7).
    func fieldDefinitions(of type: NamedType) -> [SchemaValidationError] {
        if type.fields.isEmpty {
            return [
                SchemaValidationError(
                    "Type \(type.name) must define one or more fields.", at: nodes(of: type).map(\.span))
            ]
        }
        var faults: [SchemaValidationError] = []
        for field in type.fields {
            faults += reservedName(field.name, at: field.node)
            let place = "\(type.name).\(field.name)"
            if !schema[field.type.type].isOutput {
                let message =
                    "The type of \(place) must be Output Type but got: \(schema.describe(field.type))."
                faults.append(SchemaValidationError(message, at: [typeSpan(of: field)]))
            }
            for argument in field.arguments {
                faults += argumentDefinition(argument, "\(place)(\(argument.name):)")
            }
        }
        return faults
    }
}
