/// A parser that reads a document top-down with one token of lookahead (specification, appendix B).
///
/// Nodes are appended directly to the document's arrays. If nodes of one kind can be nested, the children of
/// an open parent are collected on a stack, so that siblings become adjacent. The whole document shares
/// these stacks. Open containers are on stacks, too, instead of recursive calls: no text can exhaust the
/// thread's stack.
///
/// `Parser+Executable.swift`, `Parser+Values.swift` and `Parser+TypeSystem.swift` contain the productions.
struct Parser: ~Copyable {
    var nodes: DocumentNodes
    /// The next token.
    private(set) var token = Token(kind: .endOfText, span: SourceSpan(start: 0, end: 0))
    /// The end of the previous token.
    private(set) var previousEnd: UInt32 = 0

    /// Selections of open selection sets; each parent precedes its children.
    var openSelections: [Selection] = []
    /// The open selection sets, innermost last.
    var openSelectionSets: [OpenSelectionSet] = []
    /// The items of open lists.
    var openValues: [Value] = []
    /// The fields of open input objects.
    var openObjectFields: [ObjectField] = []
    /// The open lists and input objects, innermost last.
    var openContainers: [OpenContainer] = []

    private var names = NameTable()
    private var tokenCount = 0
    private let limits: ParserLimits
    /// The limit on the bytes of a name in the current definition.
    private var nameBytes = Int.max

    /// Reads the first token.
    init(_ source: SourceText, limits: ParserLimits) throws(SyntaxErrorReason) {
        nodes = DocumentNodes(source: source)
        self.limits = limits
        try limits.check(source)
        // An estimate that avoids stepwise growth of the arrays for typical operations, at no cost for large
        // texts.
        nodes.selections.reserveCapacity(min(source.bytes.count / 16 + 1, 256))
        openSelections.reserveCapacity(16)
        try advance()
    }

    /// Returns the document after the whole text is parsed.
    consuming func finished() -> Document {
        Document(nodes, names: names.texts(in: nodes.source.bytes), tokenCount: tokenCount)
    }
}

// Elements of all productions.
extension Parser {
    /// Advances to the next token.
    mutating func advance() throws(SyntaxErrorReason) {
        previousEnd = token.span.end
        token = try Lexer.token(from: Int(token.span.end), in: nodes.source.bytes.span)
        guard token.kind != .endOfText else { return }
        tokenCount &+= 1
        if tokenCount > limits.tokens {
            throw SyntaxErrorReason(.tooManyTokens(limit: limits.tokens), at: token.span)
        }
    }

    /// Consumes the next token if it has this kind; returns false otherwise.
    @inline(__always)
    mutating func skip(_ kind: TokenKind) throws(SyntaxErrorReason) -> Bool {
        guard token.kind == kind else { return false }
        try advance()
        return true
    }

    /// Consumes a token of this kind; throws for any other token.
    @inline(__always)
    mutating func expect(_ kind: TokenKind) throws(SyntaxErrorReason) {
        guard token.kind == kind else {
            throw SyntaxErrorReason(.expected(kind, found: token), at: token.span)
        }
        try advance()
    }

    /// Consumes this keyword; throws for any other token.
    mutating func expect(_ keyword: Keyword) throws(SyntaxErrorReason) {
        guard isNext(keyword) else {
            throw SyntaxErrorReason(.expectedKeyword(keyword, found: token), at: token.span)
        }
        try advance()
    }

    /// Consumes the next token if it is this keyword; returns false otherwise.
    mutating func skip(_ keyword: Keyword) throws(SyntaxErrorReason) -> Bool {
        guard isNext(keyword) else { return false }
        try advance()
        return true
    }

    /// Returns true if the next token is this keyword.
    func isNext(_ keyword: Keyword) -> Bool {
        token.kind == .name && hasText(token.span, keyword.rawValue)
    }

    /// Returns true if the bytes of a span equal this text.
    func hasText(_ span: SourceSpan, _ text: String) -> Bool {
        let expected = text.utf8
        guard Int(span.end &- span.start) == expected.count else { return false }
        let bytes = nodes.source.bytes.span
        var position = Int(span.start)
        for byte in expected {
            guard bytes[position] == byte else { return false }
            position &+= 1
        }
        return true
    }

    /// Returns the error that no production continues with the next token.
    func unexpected() -> SyntaxErrorReason {
        SyntaxErrorReason(.unexpected(token), at: token.span)
    }

    /// Parses a `Name`.
    mutating func name() throws(SyntaxErrorReason) -> Name {
        let span = token.span
        if token.kind == .name, Int(span.end &- span.start) > nameBytes {
            throw SyntaxErrorReason(.nameTooLong(limit: nameBytes), at: span)
        }
        try expect(.name)
        return Name(id: names.number(of: span, in: nodes.source.bytes), span: span)
    }

    /// Enables or disables the length limit for the names that follow.
    mutating func limitNames(_ isLimited: Bool) {
        nameBytes = isLimited ? limits.nameBytes : .max
    }

    /// Returns the span from a node's start to the end of the last consumed token.
    func span(from start: UInt32) -> SourceSpan {
        SourceSpan(start: start, end: previousEnd)
    }

    /// Consumes an opening delimiter and checks the nesting depth.
    mutating func descend(below depth: Int) throws(SyntaxErrorReason) {
        if depth >= limits.depth { throw SyntaxErrorReason(.tooDeep(limit: limits.depth), at: token.span) }
        try advance()
    }

    /// Returns the range of the nodes appended to an array since it had `start` elements.
    func run<Node>(of nodes: [Node], from start: Int) -> NodeRange<Node> {
        guard nodes.count > start else { return .none }
        return NodeRange(
            start: UInt32(truncatingIfNeeded: start), count: UInt32(truncatingIfNeeded: nodes.count &- start))
    }

    /// Moves the children of a closed parent from their stack to the document's array.
    static func close<Node>(_ open: inout [Node], from start: Int, into nodes: inout [Node]) -> NodeRange<
        Node
    > {
        let count = open.count &- start
        guard count > 0 else { return .none }
        let run = NodeRange<Node>(
            start: UInt32(truncatingIfNeeded: nodes.count), count: UInt32(truncatingIfNeeded: count))
        nodes.append(contentsOf: open[start...])
        open.removeLast(count)
        return run
    }
}

// Documents and their definitions (specification, section 2.2).
extension Parser {
    /// Parses a `Document` to the end of the text.
    mutating func definitions() throws(SyntaxErrorReason) {
        repeat {
            let definition = try definition()
            nodes.definitions.append(definition)
        } while token.kind != .endOfText
    }

    private mutating func definition() throws(SyntaxErrorReason) -> Definition {
        limitNames(true)
        if token.kind == .leftBrace { return .operation(try shorthandQuery()) }
        let start = token.span.start
        let description = try description()
        guard let keyword = definitionKeyword() else {
            guard let description else { throw unexpected() }
            if token.kind == .leftBrace {
                throw SyntaxErrorReason(.descriptionOfShorthandQuery, at: description.span)
            }
            if token.kind == .name { throw SyntaxErrorReason(.descriptionOfNothing, at: description.span) }
            throw unexpected()
        }
        limitNames(keyword.isExecutable)
        switch keyword {
        case .query: return .operation(try operation(.query, description: description, start: start))
        case .mutation: return .operation(try operation(.mutation, description: description, start: start))
        case .subscription:
            return .operation(try operation(.subscription, description: description, start: start))
        case .fragment: return .fragment(try fragment(description: description, start: start))
        case .directive: return .directive(try directiveDefinition(description: description, start: start))
        case .schema: return .schema(try schemaDefinition(description: description, start: start))
        case .scalar, .type, .interface, .union, .enum, .input:
            return .type(try typeDefinition(keyword, description: description, start: start))
        case .extend:
            if let description { throw SyntaxErrorReason(.descriptionOfNothing, at: description.span) }
            return try typeSystemExtension()
        case .on, .implements, .repeatable: throw unexpected()
        }
    }

    /// Returns the keyword at the start of a definition; tests the most frequent first.
    private func definitionKeyword() -> Keyword? {
        guard token.kind == .name else { return nil }
        if isNext(.query) { return .query }
        if isNext(.fragment) { return .fragment }
        if isNext(.mutation) { return .mutation }
        if isNext(.subscription) { return .subscription }
        if isNext(.extend) { return .extend }
        if isNext(.schema) { return .schema }
        if isNext(.directive) { return .directive }
        return typeKeyword()
    }

    /// Returns the keyword at the start of a named type's definition.
    private func typeKeyword() -> Keyword? {
        if isNext(.type) { return .type }
        if isNext(.interface) { return .interface }
        if isNext(.enum) { return .enum }
        if isNext(.input) { return .input }
        if isNext(.union) { return .union }
        if isNext(.scalar) { return .scalar }
        return nil
    }

    /// Parses a `TypeSystemExtension`, which must not be empty.
    private mutating func typeSystemExtension() throws(SyntaxErrorReason) -> Definition {
        let start = token.span.start
        try advance()
        if isNext(.schema) { return .schema(try schemaExtension(start: start)) }
        guard let keyword = typeKeyword() else { throw unexpected() }
        return .type(try typeExtension(keyword, start: start))
    }
}
