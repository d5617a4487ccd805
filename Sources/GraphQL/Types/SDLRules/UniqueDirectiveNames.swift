extension SDLRule {
    /// No two directives have the same name (specification, section 3.13).
    static let uniqueDirectiveNames = SDLRule(name: "Unique Directive Names") { document in
        var seen = DuplicateNameFinder()
        return document.syntax.directives.compactMap { directive in
            guard let earlier = seen.firstOccurrence(of: directive.name) else { return nil }
            return ValidationFinding(.entering(directive.span), at: [earlier.span, directive.name.span]) {
                "There can be only one directive named \"@\(document.text(directive.name))\"."
            }
        }
    }
}
