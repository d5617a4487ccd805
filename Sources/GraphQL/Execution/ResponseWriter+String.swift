extension ResponseWriter {
    /// A string with its quotes, escaped where RFC 8259 (section 7) demands it and nowhere else.
    @inlinable
    public mutating func write(_ text: String) {
        let bytes = text.utf8Span.span
        let length = bytes.count
        reserve(length &+ 2)
        unsafe bytes.withUnsafeBufferPointer { source in
            if unsafe copyQuoted(source) { return }
            unsafe writeEscaped(source)
        }
    }

    /// Copies a string that needs no escape, its quotes included; writes nothing and answers false where one does.
    ///
    /// The caller has made room.
    @inlinable
    @inline(__always)
    mutating func copyQuoted(_ source: UnsafeBufferPointer<UInt8>) -> Bool {
        let length = source.count
        unsafe base[count] = UInt8(ascii: "\"")
        if length > 0, let start = source.baseAddress {
            guard unsafe copyPlain(start, length, to: base + (count &+ 1)) else { return false }
        }
        unsafe base[count &+ length &+ 1] = UInt8(ascii: "\"")
        count &+= length &+ 2
        return true
    }

    @inline(never)
    @usableFromInline
    mutating func writeEscaped(_ source: UnsafeBufferPointer<UInt8>) {
        write(byte: UInt8(ascii: "\""))
        for position in 0..<source.count {
            let byte = unsafe source[position]
            switch byte {
            case UInt8(ascii: "\""): write(json: "\\\"")
            case UInt8(ascii: "\\"): write(json: "\\\\")
            case 0x08: write(json: "\\b")
            case 0x09: write(json: "\\t")
            case 0x0A: write(json: "\\n")
            case 0x0C: write(json: "\\f")
            case 0x0D: write(json: "\\r")
            case 0..<0x20:
                write(json: "\\u00")
                write(byte: hexDigit(byte >> 4))
                write(byte: hexDigit(byte & 15))
            default: write(byte: byte)
            }
        }
        write(byte: UInt8(ascii: "\""))
    }
}

private func hexDigit(_ nibble: UInt8) -> UInt8 {
    nibble < 10 ? UInt8(ascii: "0") + nibble : UInt8(ascii: "a") + nibble - 10
}

/// Copies bytes, eight at a time, and reports whether none of them needs an escape.
@inlinable
@inline(__always)
func copyPlain(
    _ source: UnsafePointer<UInt8>, _ length: Int, to target: UnsafeMutablePointer<UInt8>
) -> Bool {
    let from = unsafe UnsafeRawPointer(source)
    let into = UnsafeMutableRawPointer(target)
    var escapes: UInt64 = 0
    var offset = 0
    while offset &+ 8 <= length {
        let word = unsafe from.loadUnaligned(fromByteOffset: offset, as: UInt64.self)
        unsafe into.storeBytes(of: word, toByteOffset: offset, as: UInt64.self)
        escapes |= bytesToEscape(in: word)
        offset &+= 8
    }
    if offset < length, length >= 8 {
        // The tail overlaps with what was copied already.
        let word = unsafe from.loadUnaligned(fromByteOffset: length &- 8, as: UInt64.self)
        unsafe into.storeBytes(of: word, toByteOffset: length &- 8, as: UInt64.self)
        escapes |= bytesToEscape(in: word)
        return escapes == 0
    }
    while offset < length {
        let byte = unsafe source[offset]
        unsafe target[offset] = byte
        if byte < 0x20 || byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "\\") { escapes = 1 }
        offset &+= 1
    }
    return escapes == 0
}

/// Non-zero where one of the eight bytes is a control character, a quote or a backslash.
///
/// Each term sets the high bit of a byte that is less than a bound (subtraction borrows) or equal to a character
/// (exclusive or makes it zero); bytes of multi-byte characters have their high bit set and drop out.
@inlinable
@inline(__always)
func bytesToEscape(in word: UInt64) -> UInt64 {
    let ones: UInt64 = 0x0101_0101_0101_0101
    let highs: UInt64 = 0x8080_8080_8080_8080
    let quote = word ^ (ones &* 0x22)
    let backslash = word ^ (ones &* 0x5C)
    let control = (word &- (ones &* 0x20)) & ~word
    return (control | ((quote &- ones) & ~quote) | ((backslash &- ones) & ~backslash)) & highs
}
