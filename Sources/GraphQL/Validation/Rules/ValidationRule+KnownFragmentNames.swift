extension ValidationRule {
    /// Every fragment that is spread is defined (specification, 5.5.2.1).
    static let knownFragmentNames = ValidationRule(name: "Fragment Spread Target Defined") { document in
        document.selections.indices.compactMap { index in
            guard case .fragmentSpread(let spread) = document.document.selections[index],
                document.selections[index].fragment == nil
            else { return nil }
            return ValidationFinding(.entering(spread.span), at: [spread.name.span]) {
                "Unknown fragment \(document.quoted(spread.name))."
            }
        }
    }
}
