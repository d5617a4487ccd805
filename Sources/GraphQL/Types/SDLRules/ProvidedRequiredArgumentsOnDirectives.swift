extension SDLRule {
    /// Directives are given the arguments that they require (specification, 5.4.3).
    static let providedRequiredArgumentsOnDirectives = SDLRule(name: "Provided Required Arguments") {
        document in
        var findings: [ValidationFinding] = []
        for directive in document.document.directives {
            guard let definition = document.directives[directive.name.id], !definition.required.isEmpty else {
                continue
            }
            let given = document.document.arguments[directive.arguments.indices].map {
                document.text($0.name)
            }
            for (name, type) in definition.required where !given.contains(name) {
                findings.append(
                    ValidationFinding(.leaving(directive.span), at: [directive.span]) {
                        """
                        Argument "@\(document.text(directive.name))(\(name):)" of type "\(type)" is required, but it \
                        was not provided.
                        """
                    })
            }
        }
        return findings
    }
}
