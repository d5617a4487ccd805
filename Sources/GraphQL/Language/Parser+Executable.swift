// Operations, fragments and directives (specification, sections 2.3, 2.6, 2.8, 2.10 and 2.12).
extension Parser {
    /// `OperationDefinition` from its keyword on.
    mutating func operation(
        _ type: OperationType, description: StringValue?, start: UInt32
    ) throws(SyntaxErrorReason) -> OperationDefinition {
        try advance()
        return OperationDefinition(
            description: description,
            type: type,
            name: token.kind == .name ? try name() : nil,
            variables: try variableDefinitions(),
            directives: try directives(isConstant: false),
            selectionSet: try selectionSet(),
            isShorthand: false,
            span: span(from: start))
    }

    /// `{ … }`, a query without its keyword.
    mutating func shorthandQuery() throws(SyntaxErrorReason) -> OperationDefinition {
        let start = token.span.start
        return OperationDefinition(
            description: nil, type: .query, name: nil, variables: .none, directives: .none,
            selectionSet: try selectionSet(), isShorthand: true, span: span(from: start))
    }

    /// `FragmentDefinition` from its keyword on.
    mutating func fragment(
        description: StringValue?, start: UInt32
    ) throws(SyntaxErrorReason) -> FragmentDefinition {
        try advance()
        if tokenMeans(["on"]) { throw unexpected() }
        let name = try name()
        try expect(.on)
        return FragmentDefinition(
            description: description,
            name: name,
            typeCondition: try self.name(),
            directives: try directives(isConstant: false),
            selectionSet: try selectionSet(),
            span: span(from: start))
    }

    private mutating func variableDefinitions() throws(SyntaxErrorReason) -> NodeRange<VariableDefinition> {
        guard try skip(.leftParenthesis) else { return .none }
        let first = nodes.variableDefinitions.count
        repeat {
            let definition = try variableDefinition()
            nodes.variableDefinitions.append(definition)
        } while try !skip(.rightParenthesis)
        return run(of: nodes.variableDefinitions, from: first)
    }

    private mutating func variableDefinition() throws(SyntaxErrorReason) -> VariableDefinition {
        let start = token.span.start
        let description = try description()
        let dollar = token.span.start
        try expect(.dollar)
        let name = try name()
        let variableSpan = span(from: dollar)
        try expect(.colon)
        return VariableDefinition(
            description: description,
            name: name,
            variableSpan: variableSpan,
            type: try typeReference(),
            defaultValue: try defaultValue(),
            directives: try directives(isConstant: true),
            span: span(from: start))
    }

    /// `Directives`, any number of them.
    mutating func directives(isConstant: Bool) throws(SyntaxErrorReason) -> NodeRange<Directive> {
        guard token.kind == .at else { return .none }
        let first = nodes.directives.count
        repeat {
            let start = token.span.start
            try advance()
            let directive = Directive(
                name: try name(), arguments: try arguments(isConstant: isConstant), span: span(from: start))
            nodes.directives.append(directive)
        } while token.kind == .at
        return run(of: nodes.directives, from: first)
    }

    /// `Arguments`, or nothing.
    mutating func arguments(isConstant: Bool) throws(SyntaxErrorReason) -> NodeRange<Argument> {
        guard try skip(.leftParenthesis) else { return .none }
        let first = nodes.arguments.count
        repeat {
            let start = token.span.start
            let name = try name()
            try expect(.colon)
            let argument = Argument(
                name: name, value: try value(isConstant: isConstant), span: span(from: start))
            nodes.arguments.append(argument)
        } while try !skip(.rightParenthesis)
        return run(of: nodes.arguments, from: first)
    }
}
