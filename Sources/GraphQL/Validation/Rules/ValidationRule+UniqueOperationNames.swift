extension ValidationRule {
    /// No two operations have the same name (specification, 5.2.2.1).
    static let uniqueOperationNames = ValidationRule(name: "Operation Name Uniqueness") { document in
        guard document.operations.count > 1 else { return [] }
        let named = document.operations.compactMap { operation in
            operation.definition.name.map { (name: $0, span: operation.definition.span) }
        }
        return document.repeated(named, by: \.name).map { first, other in
            ValidationFinding(.entering(other.span), at: [first.name.span, other.name.span]) {
                "There can be only one operation named \(document.quoted(other.name))."
            }
        }
    }
}
