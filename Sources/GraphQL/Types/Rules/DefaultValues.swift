extension TypeSystemRules {
    /// A default fits the type of its argument or input field (specification, sections 3.6.1 and 3.10).
    func defaultValue(of value: SchemaInputValue, _ place: String) -> [SchemaValidationError] {
        guard value.defaultValue != nil, let literal = node(of: value)?.defaultValue else { return [] }
        let faults = LiteralErrorReporter.faults(of: literal, as: value.type, in: document, schema: schema)
        return faults.map { fault in
            SchemaValidationError(
                "\(place) has invalid default value\(fault.path.inputPath): \(fault.message)",
                at: [fault.span ?? literal.span])
        }
    }
}
