/// A lexical token (specification, section 2.1.6) with its position.
@frozen
public struct Token: Hashable, Sendable {
    /// The kind.
    public var kind: TokenKind
    /// The range of the whole token, including the quotes of a string.
    public var span: SourceSpan

    /// Creates a token from its kind and position.
    @inlinable
    public init(kind: TokenKind, span: SourceSpan) {
        self.kind = kind
        self.span = span
    }
}

/// The kind of a token: one of the punctuators, a name, a number, a string, or the end of the text.
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
    /// Occurs only in schema coordinates.
    case dot
    case name
    case int
    case float
    case string
    case blockString
    case endOfText

    /// True for both kinds of strings.
    var isString: Bool { self == .string || self == .blockString }
}

/// The keywords of the grammar.
///
/// None is reserved: each is also a valid name.
public enum Keyword: String, Sendable {
    case query, mutation, subscription, fragment, on
    case schema, scalar, type, interface, union, `enum`, input, directive, extend
    case implements, repeatable

    /// True if a definition that begins with this keyword is an operation or a fragment.
    var isExecutable: Bool {
        switch self {
        case .query, .mutation, .subscription, .fragment: true
        case .on, .schema, .scalar, .type, .interface, .union, .enum, .input, .directive, .extend,
            .implements, .repeatable:
            false
        }
    }
}
