extension ValidationRule {
    /// Variables have scalar, enum and input object types, or lists of them (specification, 5.8.2).
    static let variablesAreInputTypes = ValidationRule(name: "Variables Are Input Types") { document in
        document.variableTypes.indices.compactMap { index in
            guard let type = document.variableTypes[index], !document.kind(of: type.type).isInput else {
                return nil
            }
            let variable = document.document.variableDefinitions[index]
            return ValidationFinding(.entering(variable.span), at: [variable.type.span]) {
                "Variable \"$\(document.text(variable.name))\" cannot be non-input type \(document.quoted(type))."
            }
        }
    }
}
