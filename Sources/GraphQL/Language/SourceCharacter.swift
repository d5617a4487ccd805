/// What stands at some offset of a text, for error messages.
public enum SourceCharacter: Hashable, Sendable {
    /// A `SourceCharacter` of the grammar (specification, section 2.1).
    case scalar(Unicode.Scalar)
    /// Half of a UTF-16 pair, encoded as if it were a character. The grammar has no such character.
    case surrogate(UInt16)
    /// A byte that begins no UTF-8 sequence.
    case byte(UInt8)
    /// Nothing: the text is over.
    case endOfText
}

extension SourceText {
    /// The character whose encoding begins at an offset, and how many bytes it takes.
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
        // The lead byte's payload lies below its length marker: 5, 4 or 3 bits.
        var value = UInt32(first) & (0xFF >> UInt32(length + 1))
        for index in (offset + 1)..<(offset + length) {
            guard bytes[index] & 0xC0 == 0x80 else { return (.byte(first), 1) }
            value = value << 6 | UInt32(bytes[index] & 0x3F)
        }
        guard value >= smallest else { return (.byte(first), 1) }
        if let scalar = Unicode.Scalar(value) { return (.scalar(scalar), length) }
        // All that is left are surrogates and what lies beyond Unicode's last code point.
        guard let unit = UInt16(exactly: value) else { return (.byte(first), 1) }
        return (.surrogate(unit), length)
    }
}
