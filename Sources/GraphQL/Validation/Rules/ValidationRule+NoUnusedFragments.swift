extension ValidationRule {
    /// Every fragment is spread by some operation, directly or through other fragments (specification, 5.5.1.4).
    static let noUnusedFragments = ValidationRule(name: "Fragments Must Be Used") { document in
        guard !document.fragments.isEmpty else { return [] }
        var walk = FragmentTraversal(document)
        var usedNames: Set<UInt32> = []
        for operation in document.operations {
            walk.forEachNewFragment(from: operation.definition.selectionSet) { fragment in
                usedNames.insert(document.fragments[fragment].definition.name.id)
            }
        }
        // Fragments of one name are used together: which of them is meant is the fault of another rule.
        return document.fragments.compactMap { fragment in
            let definition = fragment.definition
            guard !usedNames.contains(definition.name.id) else { return nil }
            return ValidationFinding(.end, at: [definition.span]) {
                "Fragment \(document.quoted(definition.name)) is never used."
            }
        }
    }
}
