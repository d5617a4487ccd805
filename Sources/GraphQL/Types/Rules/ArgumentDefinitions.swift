extension TypeSystemRules {
    /// Arguments have input types, and those that must be given are not deprecated (specification, section 3.6.1).
    ///
    /// `place` is the argument's schema coordinate, such as `Query.user(id:)`.
    func argumentDefinition(_ argument: SchemaInputValue, _ place: String) -> [SchemaValidationError] {
        reservedName(argument.name, at: argument.node)
            + inputType(of: argument, place, at: typeSpan(of: argument))
            + requiredButDeprecated(argument, "argument", place)
            + defaultValue(of: argument, place)
    }

    /// The type is one that input can have.
    func inputType(
        of value: SchemaInputValue, _ place: String, at span: @autoclosure () -> SourceSpan?
    ) -> [SchemaValidationError] {
        if schema[value.type.type].isInput { return [] }
        let type = schema.describe(value.type)
        return [
            SchemaValidationError("The type of \(place) must be Input Type but got: \(type).", at: [span()])
        ]
    }

    /// What must be given cannot be deprecated: nobody could stop to use it (specification, section 3.13.3).
    func requiredButDeprecated(_ value: SchemaInputValue, _ noun: String, _ place: String)
        -> [SchemaValidationError]
    {
        guard value.isRequired, value.deprecationReason != nil else { return [] }
        return [
            SchemaValidationError(
                "Required \(noun) \(place) cannot be deprecated.",
                at: [deprecation(of: value), typeSpan(of: value)])
        ]
    }
}
