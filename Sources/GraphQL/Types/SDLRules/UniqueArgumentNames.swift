extension SDLRule {
    /// No argument is given twice (specification, 5.4.2).
    static let uniqueArgumentNames = SDLRule(name: "Unique Argument Names") { document in
        var findings: [ValidationFinding] = []
        func check(_ arguments: NodeRange<Argument>, in span: SourceSpan) {
            if arguments.count < 2 { return }
            let names = document.document.arguments[arguments.indices].map(\.name)
            for occurrences in DuplicateNameFinder.repeated(names) {
                findings.append(
                    ValidationFinding(.entering(span), at: occurrences.map(\.span)) {
                        "There can be only one argument named \"\(document.text(occurrences[0]))\"."
                    })
            }
        }
        for directive in document.document.directives { check(directive.arguments, in: directive.span) }
        for case .field(let field) in document.document.selections { check(field.arguments, in: field.span) }
        return findings
    }
}
