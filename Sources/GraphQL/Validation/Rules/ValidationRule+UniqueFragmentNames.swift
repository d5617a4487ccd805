extension ValidationRule {
    /// No two fragments have the same name (specification, 5.5.1.1).
    static let uniqueFragmentNames = ValidationRule(name: "Fragment Name Uniqueness") { document in
        guard document.fragments.count > 1 else { return [] }
        return document.repeated(document.fragments.map(\.definition), by: \.name).map { first, other in
            ValidationFinding(.entering(other.span), at: [first.name.span, other.name.span]) {
                "There can be only one fragment named \(document.quoted(other.name))."
            }
        }
    }
}
