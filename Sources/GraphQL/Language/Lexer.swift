/// Cuts a text into tokens (specification, section 2.1), one at a time and without allocating.
///
/// A token's end is where the next one is looked for, so there is no state. Every byte is looked at once, and each look is bounds-checked: the text may be anything. `Lexer+Number.swift` and
/// `Lexer+String.swift` read the longer tokens.
enum Lexer {
    /// The first token at or behind an offset; behind the last one `endOfText`, however often one asks.
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

    /// Where a comment ends: at its line's end, or at something that is no character, which is refused there.
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

    /// Behind a byte-order mark, which is ignored wherever it stands; anything else begins no token.
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

    /// The byte at an offset; 0, which begins no token, behind the end.
    @inline(__always)
    static func byte(at position: Int, in bytes: Span<UInt8>) -> UInt8 {
        position < bytes.count ? bytes[position] : 0
    }

    /// How many bytes the character at an offset has; nil where it is no Unicode scalar value in UTF-8.
    @inline(__always)
    static func scalarLength(at position: Int, in bytes: Span<UInt8>) -> Int? {
        if bytes[position] < 0x80 { return 1 }
        guard case (.scalar, let length) = SourceText.character(at: position, in: bytes) else { return nil }
        return length
    }
}

extension SourceSpan {
    /// From offsets that the parser's limit on bytes keeps within 32 bits.
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
