extension TypeSystemRules {
    /// An input object type has fields of input types; those of a oneOf type are all optional (specification, 3.10).
    func inputFields(of type: NamedType, _ object: InputObjectType) -> [SchemaValidationError] {
        if object.fields.isEmpty {
            return [
                SchemaValidationError(
                    "Input Object type \(type.name) must define one or more fields.",
                    at: nodes(of: type).map(\.span))
            ]
        }
        var faults: [SchemaValidationError] = []
        for field in object.fields {
            let place = "\(type.name).\(field.name)"
            faults += reservedName(field.name, at: field.node)
            faults += inputType(of: field, place, at: typeSpan(of: field))
            faults += requiredButDeprecated(field, "input field", place)
            faults += defaultValue(of: field, place)
            if object.isOneOf { faults += oneOfField(field, place) }
        }
        return faults
    }

    private func oneOfField(_ field: SchemaInputValue, _ place: String) -> [SchemaValidationError] {
        var faults: [SchemaValidationError] = []
        if field.type.wrapping.isNonNull {
            faults.append(
                SchemaValidationError(
                    "OneOf input field \(place) must be nullable.", at: [typeSpan(of: field)]))
        }
        if field.defaultValue != nil {
            faults.append(
                SchemaValidationError(
                    "OneOf input field \(place) cannot have a default value.", at: [field.node]))
        }
        return faults
    }
}
