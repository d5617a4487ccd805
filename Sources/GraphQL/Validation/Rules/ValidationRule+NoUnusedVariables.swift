extension ValidationRule {
    /// Every variable that an operation defines is used, in the operation or its fragments (specification, 5.8.4).
    static let noUnusedVariables = ValidationRule(name: "All Variables Used") { document in
        guard !document.document.variableDefinitions.isEmpty else { return [] }
        var findings: [ValidationFinding] = []
        var scopes = VariableScopes(document)
        var usedIn = [Int](repeating: -1, count: document.document.names.count)
        for (index, operation) in document.operations.enumerated()
        where !operation.definition.variables.isEmpty {
            scopes.forEachUse(in: operation) { use, _ in usedIn[Int(use.name.id)] = index }
            for variable in document.document.variableDefinitions[operation.definition.variables.indices]
            where usedIn[Int(variable.name.id)] != index {
                findings.append(
                    ValidationFinding(.entering(operation.definition.span), at: [variable.span]) {
                        "Variable \"$\(document.text(variable.name))\" is never used"
                            + (operation.definition.name.map { " in operation \(document.quoted($0))." }
                                ?? ".")
                    })
            }
        }
        return findings
    }
}
