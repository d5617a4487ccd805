extension ValidationRule {
    /// Every value is one that its position takes (specification, 5.6.1 to 5.6.4).
    static let valuesOfCorrectType = ValidationRule(name: "Values of Correct Type") { document in
        var findings: [ValidationFinding] = []
        for index in document.arguments.indices {
            guard let type = document.arguments[index].type else { continue }
            findings += faults(of: document.document.arguments[index].value, as: type, in: document)
        }
        for index in document.variableTypes.indices {
            guard let type = document.variableTypes[index], document.kind(of: type.type).isInput,
                let value = document.document.variableDefinitions[index].defaultValue
            else { continue }
            findings += faults(of: value, as: type, in: document)
        }
        return findings
    }

    /// All that is wrong inside of a value is told where the walk comes to the value as a whole.
    private static func faults(of value: Value, as type: WrappedType, in document: TypedDocument)
        -> [ValidationFinding]
    {
        if case .variable = value { return [] }
        let faults = LiteralErrorReporter.faults(
            of: value, as: type, in: document.document, schema: document.schema,
            suggests: document.options.suggests, limit: document.options.maximumErrors)
        return faults.map { fault in
            ValidationFinding(.entering(value.span), at: [fault.span ?? value.span]) { fault.message }
        }
    }
}
