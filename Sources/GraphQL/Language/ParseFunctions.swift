/// Parses a document: executable definitions, type system definitions and extensions in any combination.
///
/// Follows the specification of September 2025: executable definitions may have descriptions, too.
///
/// - Throws: `SyntaxError` for the first syntax error, or if the text exceeds a limit.
public func parse(_ source: SourceText, limits: ParserLimits = .default) throws(SyntaxError) -> Document {
    do throws(SyntaxErrorReason) {
        var parser = try Parser(source, limits: limits)
        try parser.definitions()
        return parser.finished()
    } catch {
        throw SyntaxError(error, in: source)
    }
}

/// Parses a document with the name "GraphQL request" in error messages.
///
/// - Throws: `SyntaxError` for the first syntax error, or if the text exceeds a limit.
public func parse(_ text: String, limits: ParserLimits = .default) throws(SyntaxError) -> Document {
    try parse(SourceText(text), limits: limits)
}

/// A separately parsed part of a document, with a document that contains its children but no definitions.
public struct ParsedNode<Node: Sendable>: Sendable {
    /// The parsed node.
    public let node: Node
    /// The document that contains the node's children and names.
    public let document: Document
}

/// Parses a single value (specification, section 2.9).
///
/// If `isConstant` is true, variables are rejected.
///
/// - Throws: `SyntaxError` for the first syntax error, or if the text exceeds a limit.
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

/// Parses a type reference such as `[Int!]` (specification, section 2.11).
///
/// - Throws: `SyntaxError` for the first syntax error, or if the text exceeds a limit.
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

/// The limits of the parser; a text that exceeds one is rejected before memory or stack are at risk.
///
/// The defaults suit a schema of a thousand types. Set lower limits for operations from untrusted clients.
public struct ParserLimits: Hashable, Sendable {
    /// The size of the text in bytes; at most 4 GiB are read, because spans have 32 bits.
    public var bytes: Int
    /// The number of tokens, without comments.
    public var tokens: Int
    /// The nesting depth of selection sets, list values and object values, counted together.
    ///
    /// The parser itself handles any depth, but later stages recurse once per level. The default leaves 2
    /// KiB of stack per level on a thread with 512 KiB of stack.
    public var depth: Int
    /// The length of one name in an operation or a fragment, in bytes.
    ///
    /// A response repeats an alias for each object, so a long alias makes the response many times as long as
    /// its document. Names in type system definitions have no limit.
    public var nameBytes: Int

    /// Creates limits; omitted limits have their default values.
    public init(
        bytes: Int = 16 << 20, tokens: Int = 1_000_000, depth: Int = 200, nameBytes: Int = 256
    ) {
        self.bytes = bytes
        self.tokens = tokens
        self.depth = depth
        self.nameBytes = nameBytes
    }

    /// 16 MiB, a million tokens, 200 levels, 256 bytes per name.
    public static let `default` = ParserLimits()
}

extension ParserLimits {
    /// Rejects a text that exceeds the limit on bytes, or whose offsets do not fit into a span.
    func check(_ source: SourceText) throws(SyntaxErrorReason) {
        let limit = min(bytes, Int(UInt32.max))
        guard source.bytes.count > limit else { return }
        throw SyntaxErrorReason(.tooManyBytes(limit: limit), at: SourceSpan(start: 0, end: 0))
    }
}
