extension ValidationRule {
    /// The schema has a root type for each operation (specification, 5.2.1.1).
    static let knownOperationTypes = ValidationRule(name: "Operation Type Existence") { document in
        document.operations.compactMap { operation in
            guard operation.rootType == nil else { return nil }
            return ValidationFinding(.entering(operation.definition.span), at: [operation.definition.span]) {
                "The \(operation.definition.type.rawValue) operation is not supported by the schema."
            }
        }
    }
}
