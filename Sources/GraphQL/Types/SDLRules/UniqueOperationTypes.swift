extension SDLRule {
    /// Each operation has at most one root type (specification, section 3.3.1).
    static let uniqueOperationTypes = SDLRule(name: "Unique Operation Types") { document in
        var first: [OperationType: OperationTypeDefinition] = [:]
        var findings: [ValidationFinding] = []
        for case .schema(let schema) in document.document.definitions {
            for index in schema.operationTypes.indices {
                let root = document.document.operationTypeDefinitions[index]
                guard let earlier = first[root.operation] else {
                    first[root.operation] = root
                    continue
                }
                findings.append(
                    ValidationFinding(.entering(schema.span), at: [earlier.span, root.span]) {
                        "There can be only one \(root.operation.rawValue) type in schema."
                    })
            }
        }
        return findings
    }
}
