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
