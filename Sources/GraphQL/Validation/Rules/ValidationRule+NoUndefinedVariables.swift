extension ValidationRule {
    /// Every variable that an operation uses, in fragments too, is one that it defines (specification, 5.8.3).
    static let noUndefinedVariables = ValidationRule(name: "All Variable Uses Defined") { document in
        guard !document.variableUses.isEmpty else { return [] }
        var findings: [ValidationFinding] = []
        var scopes = VariableScopes(document)
        for operation in document.operations {
            scopes.forEachUse(in: operation) { use, definition in
                guard definition == nil else { return }
                findings.append(
                    ValidationFinding(
                        .entering(operation.definition.span), at: [use.span, operation.definition.span]
                    ) {
                        "Variable \"$\(document.text(use.name))\" is not defined"
                            + (operation.definition.name.map { " by operation \(document.quoted($0))." }
                                ?? ".")
                    })
            }
        }
        return findings
    }
}
