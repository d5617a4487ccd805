/// A syntax error with its position.
public struct SyntaxError: Error, Sendable {
    /// The cause as data; `message` contains the wording.
    public let cause: Cause
    /// The bytes in error; empty at the end of the text.
    public let span: SourceSpan
    /// The parsed text.
    public let source: SourceText

    /// The line and column of the error.
    public var location: SourceLocation { source.location(of: span) }

    init(_ fault: SyntaxErrorReason, in source: SourceText) {
        cause = fault.cause
        span = fault.span
        self.source = source
    }

    /// The causes of syntax errors.
    public enum Cause: Hashable, Sendable {
        /// No token begins with this character.
        case unexpectedCharacter(SourceCharacter)
        /// The character is no Unicode scalar value, or the bytes are invalid UTF-8.
        case invalidCharacter(SourceCharacter)
        /// An invalid character inside a string.
        case invalidCharacterInString(SourceCharacter)
        /// A string in single quotes.
        case singleQuote
        /// `..` without a third dot.
        case twoDots
        /// A number such as `.5`; the span has its digits.
        case noDigitBeforePoint(digits: SourceSpan)
        /// A number such as `01`.
        case digitAfterZero(SourceCharacter)
        /// A number that ends too early, or that a name or a point follows directly.
        case expectedDigit(found: SourceCharacter)
        /// A string without a closing quote before the end of its line or of the text.
        case unterminatedString
        /// A backslash with a character that cannot be escaped.
        case invalidEscape(SourceSpan)
        /// `\u` without four hexadecimal digits, with half of a surrogate pair, or without a code point in
        /// braces.
        case invalidUnicodeEscape(SourceSpan)

        /// No production continues with this token.
        case unexpected(Token)
        /// Only one kind of token is allowed at this position.
        case expected(TokenKind, found: Token)
        /// Only one keyword is allowed at this position.
        case expectedKeyword(Keyword, found: Token)
        /// `true`, `false` or `null` as the name of an enum value.
        case reservedEnumValue(Token)
        /// A variable in a constant value; the span is that of its name.
        case variableInConstant(name: SourceSpan)
        /// A description in front of `{`.
        case descriptionOfShorthandQuery
        /// A description before a definition that allows none.
        case descriptionOfNothing

        /// The text is larger than `ParserLimits.bytes`.
        case tooManyBytes(limit: Int)
        /// The text has more tokens than `ParserLimits.tokens`.
        case tooManyTokens(limit: Int)
        /// Braces and brackets are nested deeper than `ParserLimits.depth`.
        case tooDeep(limit: Int)
        /// A name in an operation or a fragment is longer than `ParserLimits.nameBytes`.
        case nameTooLong(limit: Int)
        /// A type has more list levels than `Wrapping.maximumLists`.
        case tooManyLists(limit: Int)
    }
}

/// A syntax error without its source text; small, because each frame of the parser propagates it.
struct SyntaxErrorReason: Error {
    var cause: SyntaxError.Cause
    var span: SourceSpan

    init(_ cause: SyntaxError.Cause, at span: SourceSpan) {
        self.cause = cause
        self.span = span
    }
}

extension SyntaxError: CustomStringConvertible {
    /// "Syntax Error: " followed by the wording of the reference implementation, graphql-js 17.
    public var message: String { "Syntax Error: \(reason)" }

    /// The message, followed by an excerpt of the line with a caret.
    public var description: String { "\(message)\n\n\(source.excerpt(at: location))" }

    private var reason: String {
        switch cause {
        case .unexpectedCharacter(let character): "Unexpected character: \(character.wording)."
        case .invalidCharacter(let character): "Invalid character: \(character.wording)."
        case .invalidCharacterInString(let character):
            "Invalid character within String: \(character.wording)."
        case .singleQuote:
            #"Unexpected single quote character ('), did you mean to use a double quote (")?"#
        case .twoDots: #"Unexpected "..", did you mean "..."?"#
        case .noDigitBeforePoint(let digits):
            #"Invalid number, expected digit before ".", did you mean "0.\#(source.text(digits).shortened())"?"#
        case .digitAfterZero(let character): "Invalid number, unexpected digit after 0: \(character.wording)."
        case .expectedDigit(let character): "Invalid number, expected digit but got: \(character.wording)."
        case .unterminatedString: "Unterminated string."
        case .invalidEscape(let escape): "Invalid character escape sequence: \"\(source.text(escape))\"."
        case .invalidUnicodeEscape(let escape): "Invalid Unicode escape sequence: \"\(source.text(escape))\"."
        case .unexpected(let token): "Unexpected \(wording(of: token))."
        case .expected(let kind, let token): "Expected \(kind.wording), found \(wording(of: token))."
        case .expectedKeyword(let keyword, let token):
            "Expected \"\(keyword.rawValue)\", found \(wording(of: token))."
        case .reservedEnumValue(let token):
            "\(wording(of: token)) is reserved and cannot be used for an enum value."
        case .variableInConstant(let name):
            "Unexpected variable \"$\(source.text(name).shortened())\" in constant value."
        case .descriptionOfShorthandQuery:
            "Unexpected description, descriptions are not supported on shorthand queries."
        case .descriptionOfNothing: "Unexpected description, only GraphQL definitions support descriptions."
        case .tooManyBytes(let limit): "Document contains more than \(limit) bytes. Parsing aborted."
        case .tooManyTokens(let limit): "Document contains more than \(limit) tokens. Parsing aborted."
        case .tooDeep(let limit): "Document is nested more than \(limit) levels deep. Parsing aborted."
        case .nameTooLong(let limit): "Name contains more than \(limit) bytes. Parsing aborted."
        case .tooManyLists(let limit): "Type is wrapped in more than \(limit) lists. Parsing aborted."
        }
    }

    /// Returns the wording for a token: its kind, and its value if the kind does not determine it.
    private func wording(of token: Token) -> String {
        switch token.kind {
        case .name, .int, .float: "\(token.kind.wording) \"\(source.text(token.span).shortened())\""
        case .string: "\(token.kind.wording) \"\(source.string(at: token.span, isBlock: false).shortened())\""
        case .blockString:
            "\(token.kind.wording) \"\(source.string(at: token.span, isBlock: true).shortened())\""
        case .exclamationMark, .dollar, .ampersand, .leftParenthesis, .rightParenthesis, .spread, .colon,
            .equals,
            .at, .leftBracket, .rightBracket, .leftBrace, .pipe, .rightBrace, .dot, .endOfText:
            token.kind.wording
        }
    }
}

extension TokenKind {
    var wording: String {
        switch self {
        case .exclamationMark: #""!""#
        case .dollar: #""$""#
        case .ampersand: #""&""#
        case .leftParenthesis: #""(""#
        case .rightParenthesis: #"")""#
        case .spread: #""...""#
        case .colon: #"":""#
        case .equals: #""=""#
        case .at: #""@""#
        case .leftBracket: #""[""#
        case .rightBracket: #""]""#
        case .leftBrace: #""{""#
        case .pipe: #""|""#
        case .rightBrace: #""}""#
        case .dot: #"".""#
        case .name: "Name"
        case .int: "Int"
        case .float: "Float"
        case .string: "String"
        case .blockString: "BlockString"
        case .endOfText: "<EOF>"
        }
    }
}

extension SourceCharacter {
    /// The character in quotes if it is printable ASCII, otherwise its number.
    var wording: String {
        switch self {
        case .scalar("\""): #"'"'"#
        case .scalar(let scalar) where (" "..."~").contains(scalar): "\"\(scalar)\""
        case .scalar(let scalar): "U+\(Self.hexadecimal(scalar.value, digits: 4))"
        case .surrogate(let unit): "U+\(Self.hexadecimal(UInt32(unit), digits: 4))"
        case .byte(let byte): "byte 0x\(Self.hexadecimal(UInt32(byte), digits: 2)), the text is not UTF-8"
        case .endOfText: TokenKind.endOfText.wording
        }
    }

    private static func hexadecimal(_ number: UInt32, digits: Int) -> String {
        let text = String(number, radix: 16, uppercase: true)
        return String(repeating: "0", count: max(0, digits - text.utf8.count)) + text
    }
}

/// The content of a text at an offset, for error messages.
public enum SourceCharacter: Hashable, Sendable {
    /// A `SourceCharacter` of the grammar (specification, section 2.1).
    case scalar(Unicode.Scalar)
    /// Half of a surrogate pair, encoded as a character. The grammar has no such character.
    case surrogate(UInt16)
    /// A byte that begins no UTF-8 sequence.
    case byte(UInt8)
    /// The end of the text.
    case endOfText
}

extension SourceText {
    /// Returns the character whose encoding begins at an offset, and the number of its bytes.
    static func character(at offset: Int, in bytes: Span<UInt8>) -> (character: SourceCharacter, length: Int)
    {
        guard offset < bytes.count else { return (.endOfText, 0) }
        let first = bytes[offset]
        let (length, smallest): (Int, UInt32)
        switch first {
        case 0x00...0x7F: return (.scalar(Unicode.Scalar(first)), 1)
        case 0xC2...0xDF: (length, smallest) = (2, 0x80)
        case 0xE0...0xEF: (length, smallest) = (3, 0x800)
        case 0xF0...0xF4: (length, smallest) = (4, 0x10000)
        default: return (.byte(first), 1)
        }
        guard bytes.count - offset >= length else { return (.byte(first), 1) }
        // The payload of the lead byte is below its length marker: 5, 4 or 3 bits.
        var value = UInt32(first) & (0xFF >> UInt32(length + 1))
        for index in (offset + 1)..<(offset + length) {
            guard bytes[index] & 0xC0 == 0x80 else { return (.byte(first), 1) }
            value = value << 6 | UInt32(bytes[index] & 0x3F)
        }
        guard value >= smallest else { return (.byte(first), 1) }
        if let scalar = Unicode.Scalar(value) { return (.scalar(scalar), length) }
        // The remaining values are surrogates and numbers above the last Unicode code point.
        guard let unit = UInt16(exactly: value) else { return (.byte(first), 1) }
        return (.surrogate(unit), length)
    }
}
