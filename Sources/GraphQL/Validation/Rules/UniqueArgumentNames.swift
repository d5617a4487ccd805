extension ValidationRule {
    /// No two arguments of a field or directive have the same name (specification, 5.4.2).
    static let uniqueArgumentNames = ValidationRule(name: "Argument Uniqueness") { document in
        var findings: [ValidationFinding] = []
        document.forEachField { _, field in
            findings += repeatedArguments(field.arguments, of: field.span, in: document)
        }
        for directive in document.document.directives {
            findings += repeatedArguments(directive.arguments, of: directive.span, in: document)
        }
        return findings
    }

    private static func repeatedArguments(
        _ run: NodeRange<Argument>, of owner: SourceSpan, in document: TypedDocument
    ) -> [ValidationFinding] {
        guard run.count > 1 else { return [] }
        let names = document.document.arguments[run.indices].map(\.name)
        return document.groupsOfSame(names).map { names in
            ValidationFinding(.entering(owner), at: names.map(\.span)) {
                "There can be only one argument named \(document.quoted(names[0]))."
            }
        }
    }
}
