/// A selection set whose closing brace has not come yet.
struct OpenSelectionSet {
    /// Where its opening brace stands.
    var start: UInt32
    /// Index of its first child among the open selections.
    var firstChild: Int
}

// Selection sets, fields, fragment spreads and inline fragments (specification, sections 2.4, 2.5 and 2.8).
extension Parser {
    /// `SelectionSet`, with all those within it.
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
                giveToParent(selectionSet)
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

    /// Completes the selection in front of whose children the set stood: it is the last open one now.
    private mutating func giveToParent(_ selectionSet: SelectionSet) {
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

    /// `Selection`, up to its own selection set where it has one.
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

    /// `FragmentSpread` or `InlineFragment`; only the latter may have braces, and must.
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
