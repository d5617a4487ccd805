extension Schema {
    /// Coerces the arguments of a field or directive (specification, CoerceArgumentValues).
    ///
    /// - Parameters:
    ///   - definitions: The argument definitions; the result has the same order.
    ///   - arguments: The supplied arguments.
    ///   - document: The document of the arguments; valid against this schema.
    ///   - span: The position of the field or directive.
    ///   - variables: The operation's variables; nil in type system documents, which have none.
    ///   - suggests: True if messages suggest similar names, which reveals names of the schema.
    /// - Returns: The arguments that have a value, by name; those without value and default are omitted.
    /// - Throws: The error of the first invalid argument, with its position.
    public func coerceArguments(
        _ definitions: [SchemaInputValue], given arguments: NodeRange<Argument>, in document: Document,
        at span: SourceSpan, variables: VariableValues? = nil, suggests: Bool = true
    ) throws(GraphQLError) -> InputObject {
        if definitions.isEmpty { return InputObject() }
        let literals = LiteralCoercion(document: document, schema: self, variables: variables)
        let location = ArgumentLocation(span: span, suggests: suggests)
        var values: [(name: String, value: InputValue)] = []
        values.reserveCapacity(definitions.count)
        for definition in definitions {
            let index = arguments.indices.last {
                document.text(document.arguments[$0].name) == definition.name
            }
            let literal = index.map { document.arguments[$0].value }
            if let value = try coerceArgument(definition, given: literal, literals, location) {
                values.append((definition.name, value))
            }
        }
        return InputObject(values)
    }

    /// Returns the value of one argument; nil if it has none.
    private func coerceArgument(
        _ definition: SchemaInputValue, given literal: Value?, _ literals: LiteralCoercion,
        _ location: ArgumentLocation
    ) throws(GraphQLError) -> InputValue? {
        guard let literal else {
            if definition.isRequired { throw missing(definition, literals.document, location) }
            return definition.defaultValue?.value
        }
        if case .variable(let name, _) = literal, literals.variables?[name] == nil, !definition.isRequired {
            return definition.defaultValue?.value
        }
        if let value = literals.coerce(literal, to: definition.type) { return value }
        throw invalidValueError(for: literal, definition, literals, location)
    }

    private func missing(
        _ definition: SchemaInputValue, _ document: Document, _ location: ArgumentLocation
    ) -> GraphQLError {
        GraphQLError(
            "Argument \"\(definition.name)\" of required type \"\(describe(definition.type))\" was not provided.",
            locations: [document.source.location(of: location.span)],
            extensions: RequestErrorCode.badUserInput.extensions)
    }

    private func invalidValueError(
        for literal: Value, _ definition: SchemaInputValue, _ literals: LiteralCoercion,
        _ location: ArgumentLocation
    ) -> GraphQLError {
        let faults = LiteralErrorReporter.faults(
            of: literal, as: definition.type, in: literals.document, schema: self,
            variables: literals.variables, suggests: location.suggests, limit: 0)
        let words = faults.first.map { "\($0.path.inputPath): \($0.message)" } ?? "."
        return GraphQLError(
            "Argument \"\(definition.name)\" has invalid value\(words)",
            locations: [literals.document.source.location(of: faults.first?.span ?? literal.span)],
            extensions: RequestErrorCode.badUserInput.extensions)
    }
}

/// The position of supplied arguments, with the wording of errors about them.
private struct ArgumentLocation {
    let span: SourceSpan
    let suggests: Bool
}
