/// Parses a document: executable definitions, type system definitions and extensions, in any mixture.
///
/// Follows the specification of September 2025: descriptions may stand on executable definitions too.
///
/// - Throws: `SyntaxError` for the first thing that is no GraphQL, or for a limit that the text exceeds.
public func parse(_ source: SourceText, limits: ParserLimits = .default) throws(SyntaxError) -> Document {
    do throws(SyntaxErrorReason) {
        var parser = try Parser(source, limits: limits)
        try parser.definitions()
        return parser.finished()
    } catch {
        throw SyntaxError(error, in: source)
    }
}

/// Parses a document that error messages call "GraphQL request".
///
/// - Throws: `SyntaxError` for the first thing that is no GraphQL, or for a limit that the text exceeds.
public func parse(_ text: String, limits: ParserLimits = .default) throws(SyntaxError) -> Document {
    try parse(SourceText(text), limits: limits)
}

/// A part of a document that was parsed alone, and a document without definitions that holds what it refers to.
public struct ParsedNode<Node: Sendable>: Sendable {
    /// The part that was parsed.
    public let node: Node
    /// What its children and names are found in.
    public let document: Document
}

/// Parses a value that stands alone (specification, section 2.9).
///
/// Where `isConstant`, variables are refused in it.
///
/// - Throws: `SyntaxError` for the first thing that does not belong to it, or for a limit that the text exceeds.
public func parseValue(
    _ source: SourceText, isConstant: Bool = true, limits: ParserLimits = .default
) throws(SyntaxError) -> ParsedNode<Value> {
    do throws(SyntaxErrorReason) {
        var parser = try Parser(source, limits: limits)
        let value = try parser.value(isConstant: isConstant)
        try parser.expect(.endOfText)
        return ParsedNode(node: value, document: parser.finished())
    } catch {
        throw SyntaxError(error, in: source)
    }
}

/// Parses a reference to a type, such as `[Int!]` (specification, section 2.11).
///
/// - Throws: `SyntaxError` for the first thing that does not belong to it, or for a limit that the text exceeds.
public func parseType(
    _ source: SourceText, limits: ParserLimits = .default
) throws(SyntaxError) -> ParsedNode<TypeReference> {
    do throws(SyntaxErrorReason) {
        var parser = try Parser(source, limits: limits)
        let type = try parser.typeReference()
        try parser.expect(.endOfText)
        return ParsedNode(node: type, document: parser.finished())
    } catch {
        throw SyntaxError(error, in: source)
    }
}

/// What the parser accepts at most; beyond it a text is refused before memory or stack are at risk.
///
/// The defaults suit a schema of a thousand types. A server that parses strangers' operations sets lower ones.
public struct ParserLimits: Hashable, Sendable {
    /// Size of the text in bytes; no more than 4 GiB are ever read, since spans have 32 bits.
    public var bytes: Int
    /// Number of tokens, comments not counted.
    public var tokens: Int
    /// How deep selection sets, list values and object values may be nested in one another, counted together.
    ///
    /// The parser takes any depth; whatever walks the tree afterwards calls itself once a level. The default leaves
    /// a walk room for 2 KiB a level on a thread with 512 KiB of stack.
    public var depth: Int
    /// The most bytes of one name in an operation or a fragment.
    ///
    /// A response repeats an alias for each object, so a long one makes a response many times as long as its
    /// document. Names in type system definitions have no limit.
    public var nameBytes: Int

    /// Limits, those that are not named at their defaults.
    public init(
        bytes: Int = 16 << 20, tokens: Int = 1_000_000, depth: Int = 200, nameBytes: Int = 256
    ) {
        self.bytes = bytes
        self.tokens = tokens
        self.depth = depth
        self.nameBytes = nameBytes
    }

    /// 16 MiB, a million tokens, 200 levels, 256 bytes for a name.
    public static let `default` = ParserLimits()
}

extension ParserLimits {
    /// Refuses a text that is too long to be read, or whose offsets would not fit into a span.
    func check(_ source: SourceText) throws(SyntaxErrorReason) {
        let limit = min(bytes, Int(UInt32.max))
        guard source.bytes.count > limit else { return }
        throw SyntaxErrorReason(.tooManyBytes(limit: limit), at: SourceSpan(start: 0, end: 0))
    }
}
