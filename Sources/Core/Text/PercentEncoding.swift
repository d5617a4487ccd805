/// The escapes of a URL (RFC 3986, section 2.1) and of a form (a plus is a space).
package enum PercentEncoding {
    /// Escapes all bytes but the unreserved characters (section 2.3).
    package static func encode(_ text: String) -> String {
        if text.utf8.allSatisfy(isUnreserved) { return text }
        var bytes: [UInt8] = []
        bytes.reserveCapacity(text.utf8.count)
        append(text, to: &bytes)
        return String(decoding: bytes, as: UTF8.self)
    }

    /// Appends the bytes of a text, escaped as by ``encode(_:)``.
    package static func append(_ text: String, to bytes: inout [UInt8]) {
        let source = text.utf8Span.span
        bytes.append(addingCapacity: 3 * source.count) { (output: inout OutputSpan<UInt8>) in
            for index in source.indices {
                let byte = source[index]
                if isUnreserved(byte) {
                    output.append(byte)
                } else {
                    output.append(UInt8(ascii: "%"))
                    output.append(hexadecimalDigit(byte >> 4))
                    output.append(hexadecimalDigit(byte & 0xF))
                }
            }
        }
    }

    private static func hexadecimalDigit(_ value: UInt8) -> UInt8 {
        value < 10 ? UInt8(ascii: "0") + value : UInt8(ascii: "A") + (value - 10)
    }

    /// Whether a byte is an unreserved character: a letter, a digit, `-`, `.`, `_` or `~`.
    package static func isUnreserved(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "."), UInt8(ascii: "_"),
            UInt8(ascii: "~"):
            true
        default: false
        }
    }

    /// Nil if an escape lacks its two digits, or the bytes are not UTF-8.
    package static func decode(_ text: Substring, plusIsSpace: Bool = false) -> String? {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(text.utf8.count)
        var rest = text.utf8[...]
        while let byte = rest.popFirst() {
            switch byte {
            case UInt8(ascii: "%"):
                guard let high = digit(rest.popFirst()), let low = digit(rest.popFirst()) else { return nil }
                bytes.append(high << 4 | low)
            case UInt8(ascii: "+"): bytes.append(plusIsSpace ? UInt8(ascii: " ") : byte)
            default: bytes.append(byte)
            }
        }
        return String(validating: bytes, as: UTF8.self)
    }

    private static func digit(_ byte: UInt8?) -> UInt8? {
        byte.flatMap { Character(Unicode.Scalar($0)).hexDigitValue }.map(UInt8.init)
    }
}
