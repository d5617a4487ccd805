extension ValidationRule {
    /// Every value is valid for the type of its position (specification, 5.6.1 to 5.6.4).
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

    /// All errors inside a value are reported at the position of the whole value.
    private static func faults(of value: Value, as type: GraphQLType, in document: TypedDocument)
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

extension ValidationRule {
    /// No two fields of an input object value have the same name (specification, 5.6.3).
    static let uniqueInputFieldNames = ValidationRule(name: "Input Object Field Uniqueness") { document in
        guard document.document.objectFields.count > 1 else { return [] }
        var findings: [ValidationFinding] = []
        document.forEachValue { value in
            guard case .object(let run, _) = value, run.count > 1 else { return }
            let fields = Array(document.document.objectFields[run.indices])
            for (first, other) in document.repeated(fields, by: \.name) {
                findings.append(
                    ValidationFinding(.entering(other.span), at: [first.name.span, other.name.span]) {
                        "There can be only one input field named \(document.quoted(other.name))."
                    })
            }
        }
        return findings
    }
}
