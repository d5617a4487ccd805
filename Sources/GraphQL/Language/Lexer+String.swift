extension Lexer {
    /// Checks a string from its first quote and finds its end (specification, section 2.9.4).
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

    /// Behind an escape sequence.
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

    /// `\u{…}` with as many digits as fit into eight, naming a Unicode scalar value.
    ///
    /// What a faulty one is said to end with is as much as the reference implementation reads of it, in a loop over
    /// integers of 32 bits.
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

    /// `\u` with four hexadecimal digits, or two of them that make a surrogate pair.
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

    /// The number that four hexadecimal digits make.
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

    /// The characters that make so many UTF-16 code units, fewer where the text ends before.
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
