extension ValidationRule {
    /// The type of a variable is valid at every position of its use (specification, 5.8.5).
    static let variablesInAllowedPosition = ValidationRule(name: "All Variable Usages Are Allowed") {
        document in
        guard !document.variableUses.isEmpty else { return [] }
        var findings: [ValidationFinding] = []
        var scopes = VariableScopes(document)
        for operation in document.operations {
            scopes.forEachUse(in: operation) { use, definition in
                guard let definition, let position = use.type,
                    let type = document.variableTypes[definition]
                else { return }
                let variable = document.document.variableDefinitions[definition]
                if !fits(type, defaultValue: variable.defaultValue, position, hasDefault: use.hasDefault) {
                    findings.append(
                        ValidationFinding(.leaving(operation.definition.span), at: [variable.span, use.span])
                        {
                            "Variable \"$\(document.text(use.name))\" of type \(document.quoted(type)) "
                                + "used in position expecting type \(document.quoted(position))."
                        })
                }
                if let oneOf = use.oneOf, !type.wrapping.isNonNull {
                    findings.append(
                        ValidationFinding(.leaving(operation.definition.span), at: [variable.span, use.span])
                        {
                            "Variable \"$\(document.text(use.name))\" is of type \(document.quoted(type)) but must "
                                + "be non-nullable to be used for OneOf Input Object \(document.quoted(oneOf))."
                        })
                }
            }
        }
        return findings
    }

    /// IsVariableUsageAllowed: a default of the variable or of the position allows a nullable variable at a
    /// non-null position.
    private static func fits(
        _ type: GraphQLType, defaultValue: Value?, _ position: GraphQLType, hasDefault: Bool
    ) -> Bool {
        guard type.type == position.type else { return false }
        guard position.wrapping.isNonNull, !type.wrapping.isNonNull else {
            return type.wrapping.isSubtype(of: position.wrapping)
        }
        let hasValue: Bool
        switch defaultValue {
        case nil, .null: hasValue = hasDefault
        case .variable, .int, .float, .string, .boolean, .enum, .list, .object: hasValue = true
        }
        return hasValue && type.wrapping.isSubtype(of: position.wrapping.nullable)
    }
}
