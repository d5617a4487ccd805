extension SDLRule {
    /// No two arguments of a field or directive have the same name (specification, sections 3.6.1 and 3.13).
    static let uniqueArgumentDefinitionNames = SDLRule(name: "Unique Argument Definition Names") { document in
        var findings: [ValidationFinding] = []
        func check(
            _ arguments: NodeRange<InputValueDefinition>, of parent: @escaping () -> String,
            in span: SourceSpan
        ) {
            let names = document.document.inputValueDefinitions[arguments.indices].map(\.name)
            for occurrences in DuplicateNameFinder.repeated(names) {
                findings.append(
                    ValidationFinding(.entering(span), at: occurrences.map(\.span)) {
                        "Argument \"\(parent())(\(document.text(occurrences[0])):)\" can only be defined once."
                    })
            }
        }
        for definition in document.document.definitions {
            switch definition {
            case .directive(let directive):
                check(directive.arguments, of: { "@" + document.text(directive.name) }, in: directive.span)
            case .type(let type):
                for field in document.document.fieldDefinitions[type.body.fields.indices] {
                    check(
                        field.arguments, of: { document.text(type.name) + "." + document.text(field.name) },
                        in: type.span)
                }
            case .operation, .fragment, .schema:
                break
            }
        }
        return findings
    }
}
