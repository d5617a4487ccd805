extension ValidationRule {
    /// No two variables of an operation have the same name (specification, 5.8.1).
    static let uniqueVariableNames = ValidationRule(name: "Variable Uniqueness") { document in
        var findings: [ValidationFinding] = []
        for operation in document.operations {
            let variables = document.document.variableDefinitions[operation.definition.variables.indices]
            for names in document.groupsOfSame(variables.map(\.name)) {
                findings.append(
                    ValidationFinding(.entering(operation.definition.span), at: names.map(\.span)) {
                        "There can be only one variable named \"$\(document.text(names[0]))\"."
                    })
            }
        }
        return findings
    }
}
