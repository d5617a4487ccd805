/// Functions for strings in quotes (specification, section 2.9.4).
public enum StringLiteral {
    /// Returns a text in double quotes; control characters and characters that are invalid in a string are
    /// escaped.
    public static func quoted(_ text: String) -> String {
        var literal = String.UnicodeScalarView("\"".unicodeScalars)
        for scalar in text.unicodeScalars {
            if let escape = escape(for: scalar) {
                literal.append(contentsOf: escape.unicodeScalars)
            } else {
                literal.append(scalar)
            }
        }
        literal.append("\"")
        return String(literal)
    }

    private static func escape(for scalar: Unicode.Scalar) -> String? {
        switch scalar {
        case "\"": return #"\""#
        case "\\": return #"\\"#
        case "\u{8}": return #"\b"#
        case "\t": return #"\t"#
        case "\n": return #"\n"#
        case "\u{C}": return #"\f"#
        case "\r": return #"\r"#
        case "\u{0}"..."\u{1F}", "\u{7F}"..."\u{9F}":
            let digits = String(scalar.value, radix: 16, uppercase: true)
            return #"\u"# + String(repeating: "0", count: 4 - digits.utf8.count) + digits
        default: return nil
        }
    }
}

extension Document {
    /// Returns the value of a string: no quotes, escapes resolved, block string indentation removed.
    public func string(_ value: StringValue) -> String {
        source.string(at: value.span, isBlock: value.isBlock)
    }
}

extension SourceText {
    /// Returns the value of a string that the lexer has accepted.
    func string(at span: SourceSpan, isBlock: Bool) -> String {
        let quotes = isBlock ? 3 : 1
        let end = min(Int(span.end), bytes.count) - quotes
        let start = Int(span.start) + quotes
        guard start < end else { return "" }
        let content = bytes[start..<end]
        if isBlock { return BlockString.value(of: content) }
        return content.contains(.backslash) ? unescaped(content) : String(decoding: content, as: UTF8.self)
    }

    private func unescaped(_ content: ArraySlice<UInt8>) -> String {
        var result: [UInt8] = []
        result.reserveCapacity(content.count)
        var position = content.startIndex
        while position < content.endIndex {
            if content[position] == .backslash {
                let (scalar, end) = escape(at: position)
                result.append(contentsOf: UTF8.encode(scalar) ?? UTF8.encodedReplacementCharacter)
                position = end
            } else {
                result.append(content[position])
                position += 1
            }
        }
        return String(decoding: result, as: UTF8.self)
    }

    /// Returns the character of an escape sequence, and the end of the sequence.
    private func escape(at start: Int) -> (scalar: Unicode.Scalar, end: Int) {
        let bytes = bytes.span
        switch Lexer.byte(at: start + 1, in: bytes) {
        case UInt8(ascii: "b"): return ("\u{8}", start + 2)
        case UInt8(ascii: "f"): return ("\u{C}", start + 2)
        case UInt8(ascii: "n"): return ("\n", start + 2)
        case UInt8(ascii: "r"): return ("\r", start + 2)
        case UInt8(ascii: "t"): return ("\t", start + 2)
        case UInt8(ascii: "u"): return unicodeEscape(at: start)
        case let byte: return (Unicode.Scalar(byte), start + 2)
        }
    }

    private func unicodeEscape(at start: Int) -> (scalar: Unicode.Scalar, end: Int) {
        let bytes = bytes.span
        if Lexer.byte(at: start + 2, in: bytes) == UInt8(ascii: "{") { return bracedEscape(at: start) }
        let unit = Lexer.codeUnit(at: start + 2, in: bytes) ?? 0xFFFD
        if let scalar = Unicode.Scalar(unit) { return (scalar, start + 6) }
        let trailing = Lexer.codeUnit(at: start + 8, in: bytes) ?? 0xFFFD
        return (UTF16.decode(UTF16.EncodedScalar([unit, trailing])), start + 12)
    }

    private func bracedEscape(at start: Int) -> (scalar: Unicode.Scalar, end: Int) {
        let bytes = bytes.span
        var value: UInt32 = 0
        var position = start + 3
        while let digit = Lexer.byte(at: position, in: bytes).hexadecimalValue {
            value = value << 4 | UInt32(digit)
            position += 1
        }
        return (Unicode.Scalar(value) ?? "\u{FFFD}", position + 1)
    }
}
