extension SDLRule {
    /// Directives are given only arguments that they define (specification, 5.4.1).
    static let knownArgumentNamesOnDirectives = SDLRule(name: "Known Argument Names") { document in
        var findings: [ValidationFinding] = []
        for directive in document.document.directives where !directive.arguments.isEmpty {
            guard let definition = document.directives[directive.name.id] else { continue }
            for argument in document.document.arguments[directive.arguments.indices] {
                let name = document.text(argument.name)
                if definition.arguments.contains(name) { continue }
                findings.append(
                    ValidationFinding(.entering(directive.span), at: [argument.span]) {
                        "Unknown argument \"\(name)\" on directive \"@\(document.text(directive.name))\"."
                            + Suggestions.didYouMean(name, among: definition.arguments)
                    })
            }
        }
        return findings
    }
}
