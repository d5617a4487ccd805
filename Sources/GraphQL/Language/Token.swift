/// A lexical token (specification, section 2.1.6) and where it stands.
@frozen
public struct Token: Hashable, Sendable {
    /// What it is.
    public var kind: TokenKind
    /// The whole token, the quotes of a string included.
    public var span: SourceSpan

    /// A token from what it is and where it stands.
    @inlinable
    public init(kind: TokenKind, span: SourceSpan) {
        self.kind = kind
        self.span = span
    }
}

/// What a token is: one of the punctuators, a name, a number, a string, or the end of the text.
public enum TokenKind: UInt8, Sendable {
    case exclamationMark
    case dollar
    case ampersand
    case leftParenthesis
    case rightParenthesis
    case spread
    case colon
    case equals
    case at
    case leftBracket
    case rightBracket
    case leftBrace
    case pipe
    case rightBrace
    /// Only in schema coordinates.
    case dot
    case name
    case int
    case float
    case string
    case blockString
    case endOfText

    /// True for strings of both kinds.
    var isString: Bool { self == .string || self == .blockString }
}

/// The words that the grammar itself uses, none of them reserved: each may be a name where a name is asked for.
public enum Keyword: String, Sendable {
    case query, mutation, subscription, fragment, on
    case schema, scalar, type, interface, union, `enum`, input, directive, extend
    case implements, repeatable

    /// Whether a definition that begins with this keyword is an operation or a fragment.
    var isExecutable: Bool {
        switch self {
        case .query, .mutation, .subscription, .fragment: true
        case .on, .schema, .scalar, .type, .interface, .union, .enum, .input, .directive, .extend,
            .implements, .repeatable:
            false
        }
    }
}
