extension TypeSystemRules {
    /// Directives and their arguments have names of their own, and arguments input types (specification, 3.13).
    func directiveDefinition(_ directive: DirectiveType) -> [SchemaValidationError] {
        guard directive.node != nil else { return [] }
        var faults = reservedName(directive.name, at: directive.node)
        for argument in directive.arguments {
            faults += reservedName(argument.name, at: argument.node)
            let place = "@\(directive.name)(\(argument.name):)"
            faults += inputType(of: argument, place, at: argument.node)
            faults += requiredButDeprecated(argument, "argument", place)
            faults += defaultValue(of: argument, place)
        }
        return faults
    }
}
