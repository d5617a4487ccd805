extension TypeSystemRules {
    /// Checks that object and interface types have fields, and that fields have output types (specification,
    /// sections 3.6 and 3.7).
    func fieldDefinitions(of type: NamedType) -> [SchemaValidationError] {
        if type.fields.isEmpty {
            return [
                SchemaValidationError(
                    "Type \(type.name) must define one or more fields.", at: nodes(of: type).map(\.span))
            ]
        }
        var faults: [SchemaValidationError] = []
        for field in type.fields {
            faults += reservedName(field.name, at: field.node)
            let coordinate = "\(type.name).\(field.name)"
            if !schema[field.type.type].isOutput {
                let message =
                    "The type of \(coordinate) must be Output Type but got: \(schema.describe(field.type))."
                faults.append(SchemaValidationError(message, at: [typeSpan(of: field)]))
            }
            for argument in field.arguments {
                faults += argumentDefinition(argument, "\(coordinate)(\(argument.name):)")
            }
        }
        return faults
    }
}

extension TypeSystemRules {
    /// Checks that arguments have input types, and that required arguments are not deprecated
    /// (specification, section 3.6.1).
    ///
    /// `coordinate` is the argument's schema coordinate, such as `Query.user(id:)`.
    func argumentDefinition(_ argument: SchemaInputValue, _ coordinate: String) -> [SchemaValidationError] {
        reservedName(argument.name, at: argument.node)
            + inputType(of: argument, coordinate, at: typeSpan(of: argument))
            + requiredButDeprecated(argument, "argument", coordinate)
            + defaultValue(of: argument, coordinate)
    }

    /// Checks that the type is an input type.
    func inputType(
        of value: SchemaInputValue, _ coordinate: String, at span: @autoclosure () -> SourceSpan?
    ) -> [SchemaValidationError] {
        if schema[value.type.type].isInput { return [] }
        let type = schema.describe(value.type)
        return [
            SchemaValidationError(
                "The type of \(coordinate) must be Input Type but got: \(type).", at: [span()])
        ]
    }

    /// Checks that a required argument or input field is not deprecated: clients could not omit it
    /// (specification, section 3.13.3).
    func requiredButDeprecated(_ value: SchemaInputValue, _ noun: String, _ coordinate: String)
        -> [SchemaValidationError]
    {
        guard value.isRequired, value.deprecationReason != nil else { return [] }
        return [
            SchemaValidationError(
                "Required \(noun) \(coordinate) cannot be deprecated.",
                at: [deprecation(of: value), typeSpan(of: value)])
        ]
    }
}

extension TypeSystemRules {
    /// Checks that a default fits the type of its argument or input field (specification, sections 3.6.1 and
    /// 3.10).
    func defaultValue(of value: SchemaInputValue, _ coordinate: String) -> [SchemaValidationError] {
        guard value.defaultValue != nil, let literal = node(of: value)?.defaultValue else { return [] }
        let faults = LiteralErrorReporter.faults(
            of: literal, as: value.type, in: document, schema: schema, limit: limit)
        return faults.map { fault in
            SchemaValidationError(
                "\(coordinate) has invalid default value\(fault.path.inputPath): \(fault.message)",
                at: [fault.span ?? literal.span])
        }
    }
}

extension TypeSystemRules {
    /// Checks the arguments of `@deprecated` and `@specifiedBy`, which the schema evaluates (specification,
    /// sections 3.13.3 and 3.13.4).
    ///
    /// Arguments of other directives are not checked, like in the reference implementation.
    func evaluatedDirectives() -> [SchemaValidationError] {
        document.directives.flatMap { applied -> [SchemaValidationError] in
            let name = document.text(applied.name)
            guard name == "deprecated" || name == "specifiedBy",
                let directive = schema.directive(named: name)
            else { return [] }
            return document.arguments[applied.arguments.indices].flatMap { argumentValue($0, of: directive) }
        }
    }

    private func argumentValue(_ argument: Argument, of directive: SchemaDirective) -> [SchemaValidationError]
    {
        let name = document.text(argument.name)
        guard let type = directive.argument(named: name)?.type else { return [] }
        let faults = LiteralErrorReporter.faults(
            of: argument.value, as: type, in: document, schema: schema, limit: limit)
        return faults.map { fault in
            SchemaValidationError(
                "Argument \"\(name)\" has invalid value\(fault.path.inputPath): \(fault.message)",
                at: [fault.span ?? argument.value.span])
        }
    }
}

extension TypeSystemRules {
    /// Checks that names of directives and their arguments are valid and unique, and that arguments have
    /// input types (specification, 3.13).
    func directiveDefinition(_ directive: SchemaDirective) -> [SchemaValidationError] {
        guard directive.node != nil else { return [] }
        var faults = reservedName(directive.name, at: directive.node)
        for argument in directive.arguments {
            faults += reservedName(argument.name, at: argument.node)
            let coordinate = "@\(directive.name)(\(argument.name):)"
            faults += inputType(of: argument, coordinate, at: argument.node)
            faults += requiredButDeprecated(argument, "argument", coordinate)
            faults += defaultValue(of: argument, coordinate)
        }
        return faults
    }
}
