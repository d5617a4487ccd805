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

    /// Behind the sign and the digits in front of a point; a zero stands there alone.
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

    /// Behind one digit or more.
    private static func digits(from start: Int, in bytes: Span<UInt8>) throws(SyntaxErrorReason) -> Int {
        let end = endOfDigits(from: start, in: bytes)
        guard end > start else { throw characterFault(at: start, in: bytes) { .expectedDigit(found: $0) } }
        return end
    }

    /// Behind any digits there may be.
    static func endOfDigits(from start: Int, in bytes: Span<UInt8>) -> Int {
        var position = start
        while position < bytes.count && bytes[position].isDigit { position += 1 }
        return position
    }

    /// A fault about the character at an offset.
    static func characterFault(
        at position: Int, in bytes: Span<UInt8>, cause: (SourceCharacter) -> SyntaxError.Cause
    ) -> SyntaxErrorReason {
        let (character, length) = SourceText.character(at: position, in: bytes)
        return SyntaxErrorReason(cause(character), at: SourceSpan(position, position + length))
    }
}
