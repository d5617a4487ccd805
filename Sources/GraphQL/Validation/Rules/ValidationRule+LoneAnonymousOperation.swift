extension ValidationRule {
    /// An operation without a name is the only one (specification, 5.2.3.1).
    static let loneAnonymousOperation = ValidationRule(name: "Lone Anonymous Operation") { document in
        guard document.operations.count > 1 else { return [] }
        return document.operations.compactMap { operation in
            guard operation.definition.name == nil else { return nil }
            return ValidationFinding(.entering(operation.definition.span), at: [operation.definition.span]) {
                "This anonymous operation must be the only defined operation."
            }
        }
    }
}
