// Operations, fragments and directives (specification, sections 2.3, 2.6, 2.8, 2.10 and 2.12).
extension Parser {
    /// Parses an `OperationDefinition` from its keyword on.
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

    /// Parses `{ … }`, a query without its keyword.
    mutating func shorthandQuery() throws(SyntaxErrorReason) -> OperationDefinition {
        let start = token.span.start
        return OperationDefinition(
            description: nil, type: .query, name: nil, variables: .none, directives: .none,
            selectionSet: try selectionSet(), isShorthand: true, span: span(from: start))
    }

    /// Parses a `FragmentDefinition` from its keyword on.
    mutating func fragment(
        description: StringValue?, start: UInt32
    ) throws(SyntaxErrorReason) -> FragmentDefinition {
        try advance()
        if isToken(["on"]) { throw unexpected() }
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

    /// Parses `Directives`, possibly none.
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

    /// Parses optional `Arguments`.
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

/// A selection set before its closing brace.
struct OpenSelectionSet {
    /// The offset of the opening brace.
    var start: UInt32
    /// The index of the first child in `openSelections`.
    var firstChild: Int
}

// Selection sets, fields, fragment spreads and inline fragments (specification, sections 2.4, 2.5 and 2.8).
extension Parser {
    /// Parses a `SelectionSet` with all nested selection sets.
    mutating func selectionSet() throws(SyntaxErrorReason) -> SelectionSet {
        try openSelectionSet()
        while true {
            try selection()
            if token.kind == .leftBrace {
                try openSelectionSet()
                continue
            }
            while try skip(.rightBrace) {
                let selectionSet = closeSelectionSet()
                if openSelectionSets.isEmpty { return selectionSet }
                attachToParent(selectionSet)
            }
        }
    }

    private mutating func openSelectionSet() throws(SyntaxErrorReason) {
        guard token.kind == .leftBrace else {
            throw SyntaxErrorReason(.expected(.leftBrace, found: token), at: token.span)
        }
        let start = token.span.start
        try descend(below: openSelectionSets.count)
        openSelectionSets.append(OpenSelectionSet(start: start, firstChild: openSelections.count))
    }

    private mutating func closeSelectionSet() -> SelectionSet {
        guard let open = openSelectionSets.popLast() else {
            return SelectionSet(selections: .none, span: span(from: previousEnd))
        }
        let selections = Parser.close(&openSelections, from: open.firstChild, into: &nodes.selections)
        return SelectionSet(selections: selections, span: span(from: open.start))
    }

    /// Adds a completed selection set to the selection before it, which is now the last open one.
    private mutating func attachToParent(_ selectionSet: SelectionSet) {
        switch openSelections.popLast() {
        case .field(var field):
            field.selectionSet = selectionSet
            field.span.end = previousEnd
            openSelections.append(.field(field))
        case .inlineFragment(var fragment):
            fragment.selectionSet = selectionSet
            fragment.span.end = previousEnd
            openSelections.append(.inlineFragment(fragment))
        case .fragmentSpread(let spread): openSelections.append(.fragmentSpread(spread))
        case nil: break
        }
    }

    /// Parses a `Selection` up to its selection set, if any.
    private mutating func selection() throws(SyntaxErrorReason) {
        if token.kind == .spread { try spread() } else { try field() }
    }

    private mutating func field() throws(SyntaxErrorReason) {
        let start = token.span.start
        var name = try name()
        var alias: Name?
        if try skip(.colon) {
            alias = name
            name = try self.name()
        }
        let field = SelectedField(
            alias: alias,
            name: name,
            arguments: try arguments(isConstant: false),
            directives: try directives(isConstant: false),
            selectionSet: nil,
            span: span(from: start))
        openSelections.append(.field(field))
    }

    /// Parses a `FragmentSpread`, which has no braces, or an `InlineFragment`, which requires them.
    private mutating func spread() throws(SyntaxErrorReason) {
        let start = token.span.start
        try advance()
        let hasCondition = try skip(.on)
        if !hasCondition && token.kind == .name {
            let spread = FragmentSpread(
                name: try name(), directives: try directives(isConstant: false), span: span(from: start))
            openSelections.append(.fragmentSpread(spread))
            if token.kind == .leftBrace {
                throw SyntaxErrorReason(.expected(.name, found: token), at: token.span)
            }
            return
        }
        let fragment = InlineFragment(
            typeCondition: hasCondition ? try name() : nil,
            directives: try directives(isConstant: false),
            selectionSet: SelectionSet(selections: .none, span: token.span),
            span: span(from: start))
        guard token.kind == .leftBrace else {
            throw SyntaxErrorReason(.expected(.leftBrace, found: token), at: token.span)
        }
        openSelections.append(.inlineFragment(fragment))
    }
}
