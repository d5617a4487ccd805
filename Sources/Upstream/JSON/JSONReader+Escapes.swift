extension JSONReader {
    /// The bytes of a string with its escapes resolved; RFC 8259, section 7.
    func unescaped(_ range: Range<Int>) throws(JSONError) -> [UInt8] {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(range.count)
        var index = range.lowerBound
        while index < range.upperBound {
            let byte = byte(at: index)
            guard byte == UInt8(ascii: "\\") else {
                bytes.append(byte)
                index += 1
                continue
            }
            if self.byte(at: index + 1) == UInt8(ascii: "u") {
                let scalar = try unicodeEscape(at: &index, end: range.upperBound)
                bytes.append(contentsOf: UTF8.encode(scalar).map(Array.init) ?? [])
            } else {
                bytes.append(try shortEscape(at: index))
                index += 2
            }
        }
        return bytes
    }

    func unescapedKey(_ range: Range<Int>) throws(JSONError) -> JSONKey {
        let bytes = try unescaped(range)
        return unsafe bytes.withUnsafeBytes { buffer in
            // An empty array may have no address, and a key of no bytes reads none.
            guard let base = buffer.baseAddress else { return key(range.lowerBound..<range.lowerBound) }
            return unsafe JSONKey(start: base, count: buffer.count, available: buffer.count)
        }
    }

    private func shortEscape(at index: Int) throws(JSONError) -> UInt8 {
        switch byte(at: index + 1) {
        case UInt8(ascii: "\""): return UInt8(ascii: "\"")
        case UInt8(ascii: "\\"): return UInt8(ascii: "\\")
        case UInt8(ascii: "/"): return UInt8(ascii: "/")
        case UInt8(ascii: "b"): return 0x08
        case UInt8(ascii: "f"): return 0x0C
        case UInt8(ascii: "n"): return 0x0A
        case UInt8(ascii: "r"): return 0x0D
        case UInt8(ascii: "t"): return 0x09
        default: throw JSONError(.invalidEscape, at: index)
        }
    }

    /// One `\u` with four hexadecimal digits, or two that make a surrogate pair.
    private func unicodeEscape(at index: inout Int, end: Int) throws(JSONError) -> Unicode.Scalar {
        let start = index
        let first = try hexadecimal(at: &index, end: end)
        if let scalar = Unicode.Scalar(first) { return scalar }
        // Only surrogates are no scalars here: a high one must be followed by the escape of a low one.
        guard first < 0xDC00, index + 1 < end, byte(at: index) == UInt8(ascii: "\\"),
            byte(at: index + 1) == UInt8(ascii: "u")
        else { throw JSONError(.loneSurrogate, at: start) }
        let second = try hexadecimal(at: &index, end: end)
        guard (0xDC00...0xDFFF).contains(second),
            let scalar = Unicode.Scalar(0x10000 + (first - 0xD800) << 10 + (second - 0xDC00))
        else { throw JSONError(.loneSurrogate, at: start) }
        return scalar
    }

    private func hexadecimal(at index: inout Int, end: Int) throws(JSONError) -> UInt32 {
        guard index + 6 <= end else { throw JSONError(.invalidEscape, at: index) }
        var value: UInt32 = 0
        for position in (index + 2)..<(index + 6) {
            guard let digit = Self.hexadecimalDigit(byte(at: position)) else {
                throw JSONError(.invalidEscape, at: index)
            }
            value = value << 4 | digit
        }
        index += 6
        return value
    }

    private static func hexadecimalDigit(_ byte: UInt8) -> UInt32? {
        switch byte {
        case UInt8(ascii: "0")...UInt8(ascii: "9"): UInt32(byte - UInt8(ascii: "0"))
        case UInt8(ascii: "a")...UInt8(ascii: "f"): UInt32(byte - UInt8(ascii: "a")) + 10
        case UInt8(ascii: "A")...UInt8(ascii: "F"): UInt32(byte - UInt8(ascii: "A")) + 10
        default: nil
        }
    }
}
