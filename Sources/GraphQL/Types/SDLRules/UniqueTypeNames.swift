extension SDLRule {
    /// No two types have the same name (specification, section 3.3).
    static let uniqueTypeNames = SDLRule(name: "Unique Type Names") { document in
        var seen = DuplicateNameFinder()
        return document.typeDefinitions.compactMap { type in
            guard let earlier = seen.firstOccurrence(of: type.name) else { return nil }
            return ValidationFinding(.entering(type.span), at: [earlier.span, type.name.span]) {
                "There can be only one type named \"\(document.text(type.name))\"."
            }
        }
    }
}
