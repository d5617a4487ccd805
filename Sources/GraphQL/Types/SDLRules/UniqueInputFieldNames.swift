extension SDLRule {
    /// No field is given twice in an input object value (specification, 5.6.3).
    static let uniqueInputFieldNames = SDLRule(name: "Unique Input Field Names") { document in
        var findings: [ValidationFinding] = []
        func check(_ value: Value) {
            guard case .object(let fields, _) = value, fields.count > 1 else { return }
            var seen = DuplicateNameFinder()
            for field in document.document.objectFields[fields.indices] {
                guard let earlier = seen.firstOccurrence(of: field.name) else { continue }
                findings.append(
                    ValidationFinding(.entering(field.span), at: [earlier.span, field.name.span]) {
                        "There can be only one input field named \"\(document.text(field.name))\"."
                    })
            }
        }
        // Together these arrays hold every value of the document, nested ones included.
        let syntax = document.document
        for argument in syntax.arguments { check(argument.value) }
        for definition in syntax.inputValueDefinitions { definition.defaultValue.map(check) }
        for definition in syntax.variableDefinitions { definition.defaultValue.map(check) }
        for value in syntax.values { check(value) }
        for field in syntax.objectFields { check(field.value) }
        return findings
    }
}
