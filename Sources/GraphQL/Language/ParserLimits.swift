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
