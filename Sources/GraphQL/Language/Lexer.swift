/// The lexer: splits a text into tokens (specification, section 2.1), one at a time and without allocations.
///
/// The search for a token starts at the end of the previous one, so the lexer has no state. It reads each
/// byte once, with bounds checks, because the text is untrusted.
enum Lexer {
    /// Returns the first token at or after an offset; after the last token, always `endOfText`.
    static func token(from offset: Int, in bytes: Span<UInt8>) throws(SyntaxErrorReason) -> Token {
        var position = offset
        while position < bytes.count {
            let byte = bytes[position]
            if byte.isNameStart {
                let start = position
                repeat { position &+= 1 } while position < bytes.count && bytes[position].isNameContinue
                return Token(.name, start, position)
            }
            switch byte {
            case .space, .tab, UInt8(ascii: ","), .lineFeed, .carriageReturn: position &+= 1
            case UInt8(ascii: "{"): return Token(.leftBrace, position, position &+ 1)
            case UInt8(ascii: "}"): return Token(.rightBrace, position, position &+ 1)
            case UInt8(ascii: "("): return Token(.leftParenthesis, position, position &+ 1)
            case UInt8(ascii: ")"): return Token(.rightParenthesis, position, position &+ 1)
            case UInt8(ascii: ":"): return Token(.colon, position, position &+ 1)
            case UInt8(ascii: "$"): return Token(.dollar, position, position &+ 1)
            case UInt8(ascii: "!"): return Token(.exclamationMark, position, position &+ 1)
            case UInt8(ascii: "["): return Token(.leftBracket, position, position &+ 1)
            case UInt8(ascii: "]"): return Token(.rightBracket, position, position &+ 1)
            case UInt8(ascii: "="): return Token(.equals, position, position &+ 1)
            case UInt8(ascii: "@"): return Token(.at, position, position &+ 1)
            case UInt8(ascii: "|"): return Token(.pipe, position, position &+ 1)
            case UInt8(ascii: "&"): return Token(.ampersand, position, position &+ 1)
            case UInt8(ascii: "."):
                try requireSpread(at: position, in: bytes)
                return Token(.spread, position, position &+ 3)
            case UInt8(ascii: "#"): position = endOfComment(from: position, in: bytes)
            case .quote:
                let (kind, end) = try string(at: position, in: bytes)
                return Token(kind, position, end)
            case UInt8(ascii: "-"), UInt8(ascii: "0")...UInt8(ascii: "9"):
                let (kind, end) = try number(at: position, in: bytes)
                return Token(kind, position, end)
            default: position = try endOfByteOrderMark(at: position, in: bytes)
            }
        }
        return Token(.endOfText, bytes.count, bytes.count)
    }

    /// Returns the end of a comment: the end of its line, or an invalid character, which the caller then
    /// rejects.
    private static func endOfComment(from start: Int, in bytes: Span<UInt8>) -> Int {
        var position = start + 1
        while position < bytes.count {
            let byte = bytes[position]
            if byte == .lineFeed || byte == .carriageReturn { break }
            guard let length = scalarLength(at: position, in: bytes) else { break }
            position += length
        }
        return position
    }

    /// Returns the offset after a byte-order mark, which is ignored at any position; other bytes begin no
    /// token.
    private static func endOfByteOrderMark(
        at position: Int, in bytes: Span<UInt8>
    ) throws(SyntaxErrorReason) -> Int {
        let (character, length) = SourceText.character(at: position, in: bytes)
        if character == .scalar("\u{FEFF}") { return position + length }
        let cause: SyntaxError.Cause =
            switch character {
            case .scalar("'"): .singleQuote
            case .scalar, .endOfText: .unexpectedCharacter(character)
            case .surrogate, .byte: .invalidCharacter(character)
            }
        throw SyntaxErrorReason(cause, at: SourceSpan(position, position + length))
    }

    private static func requireSpread(at start: Int, in bytes: Span<UInt8>) throws(SyntaxErrorReason) {
        let next = byte(at: start + 1, in: bytes)
        if next == UInt8(ascii: ".") {
            if byte(at: start + 2, in: bytes) == UInt8(ascii: ".") { return }
            throw SyntaxErrorReason(.twoDots, at: SourceSpan(start, start + 2))
        }
        let end = endOfDigits(from: start + 1, in: bytes)
        let cause: SyntaxError.Cause =
            end > start + 1
            ? .noDigitBeforePoint(digits: SourceSpan(start + 1, end)) : .unexpectedCharacter(.scalar("."))
        throw SyntaxErrorReason(cause, at: SourceSpan(start, end))
    }

    /// Returns the byte at an offset; after the end 0, which begins no token.
    @inline(__always)
    static func byte(at position: Int, in bytes: Span<UInt8>) -> UInt8 {
        position < bytes.count ? bytes[position] : 0
    }

    /// Returns the number of bytes of the character at an offset; nil if it is no Unicode scalar value in
    /// UTF-8.
    @inline(__always)
    static func scalarLength(at position: Int, in bytes: Span<UInt8>) -> Int? {
        if bytes[position] < 0x80 { return 1 }
        guard case (.scalar, let length) = SourceText.character(at: position, in: bytes) else { return nil }
        return length
    }
}

extension SourceSpan {
    /// Creates a span.
    ///
    /// The offsets fit into 32 bits because of the parser's limit on bytes.
    @inline(__always)
    init(_ start: Int, _ end: Int) {
        self.init(start: UInt32(truncatingIfNeeded: start), end: UInt32(truncatingIfNeeded: end))
    }
}

extension Token {
    @inline(__always)
    fileprivate init(_ kind: TokenKind, _ start: Int, _ end: Int) {
        self.init(kind: kind, span: SourceSpan(start, end))
    }
}

extension Lexer {
    /// Reads an int or a float from its first digit or minus sign (specification, sections 2.9.1 and 2.9.2).
    static func number(
        at start: Int, in bytes: Span<UInt8>
    ) throws(SyntaxErrorReason) -> (kind: TokenKind, end: Int) {
        var kind = TokenKind.int
        var position = try integerPart(from: start, in: bytes)
        if byte(at: position, in: bytes) == UInt8(ascii: ".") {
            kind = .float
            position = try digits(from: position + 1, in: bytes)
        }
        if byte(at: position, in: bytes) | 0x20 == UInt8(ascii: "e") {
            kind = .float
            position += 1
            let sign = byte(at: position, in: bytes)
            if sign == UInt8(ascii: "+") || sign == UInt8(ascii: "-") { position += 1 }
            position = try digits(from: position, in: bytes)
        }
        let next = byte(at: position, in: bytes)
        if next == UInt8(ascii: ".") || next.isNameStart {
            throw characterFault(at: position, in: bytes) { .expectedDigit(found: $0) }
        }
        return (kind, position)
    }

    /// Returns the offset after the sign and the integer digits.
    ///
    /// A leading zero must be the only digit.
    private static func integerPart(from start: Int, in bytes: Span<UInt8>) throws(SyntaxErrorReason) -> Int {
        let position = byte(at: start, in: bytes) == UInt8(ascii: "-") ? start + 1 : start
        guard byte(at: position, in: bytes) == UInt8(ascii: "0") else {
            return try digits(from: position, in: bytes)
        }
        if byte(at: position + 1, in: bytes).isDigit {
            throw characterFault(at: position + 1, in: bytes) { .digitAfterZero($0) }
        }
        return position + 1
    }

    /// Returns the offset after one or more digits.
    private static func digits(from start: Int, in bytes: Span<UInt8>) throws(SyntaxErrorReason) -> Int {
        let end = endOfDigits(from: start, in: bytes)
        guard end > start else { throw characterFault(at: start, in: bytes) { .expectedDigit(found: $0) } }
        return end
    }

    /// Returns the offset after any number of digits.
    static func endOfDigits(from start: Int, in bytes: Span<UInt8>) -> Int {
        var position = start
        while position < bytes.count && bytes[position].isDigit { position += 1 }
        return position
    }

    /// Returns an error about the character at an offset.
    static func characterFault(
        at position: Int, in bytes: Span<UInt8>, cause: (SourceCharacter) -> SyntaxError.Cause
    ) -> SyntaxErrorReason {
        let (character, length) = SourceText.character(at: position, in: bytes)
        return SyntaxErrorReason(cause(character), at: SourceSpan(position, position + length))
    }
}

extension Lexer {
    /// Checks a string from its opening quote and returns its end (specification, section 2.9.4).
    static func string(
        at start: Int, in bytes: Span<UInt8>
    ) throws(SyntaxErrorReason) -> (kind: TokenKind, end: Int) {
        if isTripleQuote(at: start, in: bytes) {
            return (.blockString, try endOfBlockString(from: start + 3, in: bytes))
        }
        return (.string, try endOfQuotedString(from: start + 1, in: bytes))
    }

    private static func endOfQuotedString(from start: Int, in bytes: Span<UInt8>) throws(SyntaxErrorReason)
        -> Int
    {
        var position = start
        while position < bytes.count {
            switch bytes[position] {
            case .quote: return position + 1
            case .backslash: position = try endOfEscape(at: position, in: bytes)
            case .lineFeed, .carriageReturn: throw unterminated(at: position)
            default: position = try endOfCharacter(at: position, in: bytes)
            }
        }
        throw unterminated(at: position)
    }

    private static func endOfBlockString(from start: Int, in bytes: Span<UInt8>) throws(SyntaxErrorReason)
        -> Int
    {
        var position = start
        while position < bytes.count {
            if isTripleQuote(at: position, in: bytes) { return position + 3 }
            if bytes[position] == .backslash && isTripleQuote(at: position + 1, in: bytes) {
                position += 4
            } else {
                position = try endOfCharacter(at: position, in: bytes)
            }
        }
        throw unterminated(at: position)
    }

    static func isTripleQuote(at position: Int, in bytes: Span<UInt8>) -> Bool {
        byte(at: position, in: bytes) == .quote && byte(at: position + 1, in: bytes) == .quote
            && byte(at: position + 2, in: bytes) == .quote
    }

    @inline(__always)
    private static func endOfCharacter(at position: Int, in bytes: Span<UInt8>) throws(SyntaxErrorReason)
        -> Int
    {
        guard let length = scalarLength(at: position, in: bytes) else {
            throw characterFault(at: position, in: bytes) { .invalidCharacterInString($0) }
        }
        return position + length
    }

    private static func unterminated(at position: Int) -> SyntaxErrorReason {
        SyntaxErrorReason(.unterminatedString, at: SourceSpan(position, position))
    }

    /// Returns the offset after an escape sequence.
    private static func endOfEscape(at start: Int, in bytes: Span<UInt8>) throws(SyntaxErrorReason) -> Int {
        switch byte(at: start + 1, in: bytes) {
        case .quote, .backslash, UInt8(ascii: "/"), UInt8(ascii: "b"), UInt8(ascii: "f"), UInt8(ascii: "n"),
            UInt8(ascii: "r"), UInt8(ascii: "t"):
            return start + 2
        case UInt8(ascii: "u"):
            return byte(at: start + 2, in: bytes) == UInt8(ascii: "{")
                ? try endOfBracedEscape(at: start, in: bytes) : try endOfFixedEscape(at: start, in: bytes)
        default:
            let span = span(ofUnits: 2, at: start, in: bytes)
            throw SyntaxErrorReason(.invalidEscape(span), at: span)
        }
    }

    /// Returns the offset after `\u{…}` with as many digits as fit into eight, for a Unicode scalar value.
    ///
    /// The reported end of an invalid escape is that of the reference implementation, which loops over
    /// 32-bit integers.
    private static func endOfBracedEscape(at start: Int, in bytes: Span<UInt8>) throws(SyntaxErrorReason)
        -> Int
    {
        var value: Int32 = 0
        var size = 3
        while size < 12 && value >= 0 {
            let byte = byte(at: start + size, in: bytes)
            size += 1
            if byte == UInt8(ascii: "}") {
                if size > 4 && Unicode.Scalar(UInt32(bitPattern: value)) != nil { return start + size }
                break
            }
            guard let digit = byte.hexadecimalValue else { break }
            value = value &<< 4 | Int32(digit)
        }
        throw invalidUnicodeEscape(ofUnits: size, at: start, in: bytes)
    }

    /// Returns the offset after `\u` with four hexadecimal digits, or after two of them in a surrogate pair.
    private static func endOfFixedEscape(at start: Int, in bytes: Span<UInt8>) throws(SyntaxErrorReason)
        -> Int
    {
        if let unit = codeUnit(at: start + 2, in: bytes) {
            if !UTF16.isSurrogate(unit) { return start + 6 }
            if UTF16.isLeadSurrogate(unit), byte(at: start + 6, in: bytes) == .backslash,
                byte(at: start + 7, in: bytes) == UInt8(ascii: "u"),
                let trailing = codeUnit(at: start + 8, in: bytes), UTF16.isTrailSurrogate(trailing)
            {
                return start + 12
            }
        }
        throw invalidUnicodeEscape(ofUnits: 6, at: start, in: bytes)
    }

    /// Returns the number of four hexadecimal digits.
    static func codeUnit(at start: Int, in bytes: Span<UInt8>) -> UInt16? {
        var unit: UInt16 = 0
        for position in start..<(start + 4) {
            guard let digit = byte(at: position, in: bytes).hexadecimalValue else { return nil }
            unit = unit << 4 | UInt16(digit)
        }
        return unit
    }

    private static func invalidUnicodeEscape(
        ofUnits count: Int, at start: Int, in bytes: Span<UInt8>
    ) -> SyntaxErrorReason {
        let span = span(ofUnits: count, at: start, in: bytes)
        return SyntaxErrorReason(.invalidUnicodeEscape(span), at: span)
    }

    /// Returns the span of a number of UTF-16 code units; shorter if the text ends earlier.
    private static func span(ofUnits count: Int, at start: Int, in bytes: Span<UInt8>) -> SourceSpan {
        var end = start
        var units = 0
        while end < bytes.count && (units < count || bytes[end].utf16Width == 0) {
            units += bytes[end].utf16Width
            end += 1
        }
        return SourceSpan(start, end)
    }
}
