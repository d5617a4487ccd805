/// Why a text is no GraphQL, and where.
public struct SyntaxError: Error, Sendable {
    /// What is wrong, in data; `message` has the wording.
    public let cause: Cause
    /// The bytes that are at fault; empty at the end of the text.
    public let span: SourceSpan
    /// The text that was read.
    public let source: SourceText

    /// Line and column of the fault.
    public var location: SourceLocation { source.location(of: span) }

    init(_ fault: SyntaxErrorReason, in source: SourceText) {
        cause = fault.cause
        span = fault.span
        self.source = source
    }

    /// Everything that can be wrong with a text.
    public enum Cause: Hashable, Sendable {
        /// No token begins with this character.
        case unexpectedCharacter(SourceCharacter)
        /// This is no Unicode scalar value, or no UTF-8.
        case invalidCharacter(SourceCharacter)
        /// The same, inside a string.
        case invalidCharacterInString(SourceCharacter)
        /// A string in single quotes.
        case singleQuote
        /// `..` without a third dot.
        case twoDots
        /// A number such as `.5`; the span has its digits.
        case noDigitBeforePoint(digits: SourceSpan)
        /// A number such as `01`.
        case digitAfterZero(SourceCharacter)
        /// A number that ends too early, or runs into a name or a point.
        case expectedDigit(found: SourceCharacter)
        /// A string that the end of its line or of the text cuts off.
        case unterminatedString
        /// A backslash with a character that cannot be escaped.
        case invalidEscape(SourceSpan)
        /// `\u` without four hexadecimal digits, or with half of a surrogate pair, or with no code point in braces.
        case invalidUnicodeEscape(SourceSpan)

        /// No production goes on with this token.
        case unexpected(Token)
        /// One kind of token alone may stand here.
        case expected(TokenKind, found: Token)
        /// One word alone may stand here.
        case expectedKeyword(Keyword, found: Token)
        /// `true`, `false` or `null` as the name of an enum value.
        case reservedEnumValue(Token)
        /// A variable where the value must be known without one; the span has its name.
        case variableInConstant(name: SourceSpan)
        /// A description in front of `{`.
        case descriptionOfShorthandQuery
        /// A description in front of something that takes none.
        case descriptionOfNothing

        /// The text is larger than `ParserLimits.bytes`.
        case tooManyBytes(limit: Int)
        /// The text has more tokens than `ParserLimits.tokens`.
        case tooManyTokens(limit: Int)
        /// Braces and brackets are nested deeper than `ParserLimits.depth`.
        case tooDeep(limit: Int)
        /// A name in an operation or a fragment is longer than `ParserLimits.nameBytes`.
        case nameTooLong(limit: Int)
        /// A type stands in more lists than `Wrapping.maximumLists`.
        case tooManyLists(limit: Int)
    }
}

/// A syntax error on its way up to the one who holds the text: small, since every frame of the parser passes it on.
struct SyntaxErrorReason: Error {
    var cause: SyntaxError.Cause
    var span: SourceSpan

    init(_ cause: SyntaxError.Cause, at span: SourceSpan) {
        self.cause = cause
        self.span = span
    }
}
