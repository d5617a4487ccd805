/// Reads a document from the top down, one token ahead (specification, appendix B).
///
/// Nodes go straight into the document's arrays. Where nodes of one kind can stand within one another, those of an
/// open parent wait on a stack, so that siblings end up side by side; the stacks are shared by the whole document.
/// What is open stands on stacks too instead of in calls within calls: no text is deep enough to exhaust the thread's.
///
/// The grammar's chapters are in `Parser+Document.swift`, `Parser+Executable.swift`, `Parser+Values.swift` and
/// `Parser+TypeSystem.swift`.
struct Parser: ~Copyable {
    var nodes: DocumentNodes
    /// The token that comes next.
    private(set) var token = Token(kind: .endOfText, span: SourceSpan(start: 0, end: 0))
    /// Where the token before it ends.
    private(set) var previousEnd: UInt32 = 0

    /// Selections whose selection set is still open, each open parent in front of its children.
    var openSelections: [Selection] = []
    /// The selection sets that are open, the innermost last.
    var openSelectionSets: [OpenSelectionSet] = []
    /// Items whose list is still open.
    var openValues: [Value] = []
    /// Fields whose input object is still open.
    var openObjectFields: [ObjectField] = []
    /// The lists and input objects that are open, the innermost last.
    var openContainers: [OpenContainer] = []

    private var names = NameTable()
    private var tokenCount = 0
    private let limits: ParserLimits
    /// The most bytes of a name in the current definition.
    private var nameBytes = Int.max

    /// Reads the first token.
    init(_ source: SourceText, limits: ParserLimits) throws(SyntaxErrorReason) {
        nodes = DocumentNodes(source: source)
        self.limits = limits
        try limits.check(source)
        // A guess that spares the usual operation's arrays from growing step by step, and costs a large text nothing.
        nodes.selections.reserveCapacity(min(source.bytes.count / 16 + 1, 256))
        openSelections.reserveCapacity(16)
        try advance()
    }

    /// The document, when all has been read.
    consuming func finished() -> Document {
        Document(nodes, names: names.texts(in: nodes.source.bytes), tokenCount: tokenCount)
    }
}

// What every production is made of.
extension Parser {
    /// Goes on to the next token.
    mutating func advance() throws(SyntaxErrorReason) {
        previousEnd = token.span.end
        token = try Lexer.token(from: Int(token.span.end), in: nodes.source.bytes.span)
        guard token.kind != .endOfText else { return }
        tokenCount &+= 1
        if tokenCount > limits.tokens {
            throw SyntaxErrorReason(.tooManyTokens(limit: limits.tokens), at: token.span)
        }
    }

    /// Goes on if the next token is of this kind, and says so.
    @inline(__always)
    mutating func skip(_ kind: TokenKind) throws(SyntaxErrorReason) -> Bool {
        guard token.kind == kind else { return false }
        try advance()
        return true
    }

    /// Goes on behind a token of this kind; any other is refused.
    @inline(__always)
    mutating func expect(_ kind: TokenKind) throws(SyntaxErrorReason) {
        guard token.kind == kind else {
            throw SyntaxErrorReason(.expected(kind, found: token), at: token.span)
        }
        try advance()
    }

    /// Goes on behind this word; anything else is refused.
    mutating func expect(_ keyword: Keyword) throws(SyntaxErrorReason) {
        guard isNext(keyword) else {
            throw SyntaxErrorReason(.expectedKeyword(keyword, found: token), at: token.span)
        }
        try advance()
    }

    /// Goes on if the next token is this word, and says so.
    mutating func skip(_ keyword: Keyword) throws(SyntaxErrorReason) -> Bool {
        guard isNext(keyword) else { return false }
        try advance()
        return true
    }

    /// True where the next token is this word.
    func isNext(_ keyword: Keyword) -> Bool {
        token.kind == .name && hasText(token.span, keyword.rawValue)
    }

    /// True where a span's bytes are exactly this text.
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

    /// Says that no production goes on with the next token.
    func unexpected() -> SyntaxErrorReason {
        SyntaxErrorReason(.unexpected(token), at: token.span)
    }

    /// `Name`.
    mutating func name() throws(SyntaxErrorReason) -> Name {
        let span = token.span
        if token.kind == .name, Int(span.end &- span.start) > nameBytes {
            throw SyntaxErrorReason(.nameTooLong(limit: nameBytes), at: span)
        }
        try expect(.name)
        return Name(id: names.number(of: span, in: nodes.source.bytes), span: span)
    }

    /// Turns the limit of names on or off for the names that follow.
    mutating func limitNames(_ isLimited: Bool) {
        nameBytes = isLimited ? limits.nameBytes : .max
    }

    /// From where a node starts to the end of its last token.
    func span(from start: UInt32) -> SourceSpan {
        SourceSpan(start: start, end: previousEnd)
    }

    /// Goes on behind an opening mark within so many others.
    mutating func descend(below depth: Int) throws(SyntaxErrorReason) {
        if depth >= limits.depth { throw SyntaxErrorReason(.tooDeep(limit: limits.depth), at: token.span) }
        try advance()
    }

    /// The nodes that were appended to an array since it had this many.
    func run<Node>(of nodes: [Node], from start: Int) -> NodeRange<Node> {
        guard nodes.count > start else { return .none }
        return NodeRange(
            start: UInt32(truncatingIfNeeded: start), count: UInt32(truncatingIfNeeded: nodes.count &- start))
    }

    /// Moves the children of a parent that closes from their stack to their place.
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
    /// `Document`, to the end of the text.
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

    /// The word that a definition begins with, the most frequent first.
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

    /// The word that the definition of a named type begins with.
    private func typeKeyword() -> Keyword? {
        if isNext(.type) { return .type }
        if isNext(.interface) { return .interface }
        if isNext(.enum) { return .enum }
        if isNext(.input) { return .input }
        if isNext(.union) { return .union }
        if isNext(.scalar) { return .scalar }
        return nil
    }

    /// `TypeSystemExtension`: what it extends must get something new.
    private mutating func typeSystemExtension() throws(SyntaxErrorReason) -> Definition {
        let start = token.span.start
        try advance()
        if isNext(.schema) { return .schema(try schemaExtension(start: start)) }
        guard let keyword = typeKeyword() else { throw unexpected() }
        return .type(try typeExtension(keyword, start: start))
    }
}
