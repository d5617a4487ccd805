/// Base64 with the standard alphabet or the alphabet for URLs (RFC 4648, sections 4 and 5).
package struct Base64: Sendable {
    package static let standard = Base64(lastDigits: "+/")
    package static let url = Base64(lastDigits: "-_")

    private let alphabet: [UInt8]

    private init(lastDigits: String) {
        alphabet = Array(("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789" + lastDigits).utf8)
    }

    /// Encodes bytes without padding.
    package func encoded(_ bytes: some Sequence<UInt8>) -> String {
        var (text, bits, count) = ([UInt8](), UInt32(0), 0)
        for byte in bytes {
            bits = bits << 8 | UInt32(byte)
            count += 8
            while count >= 6 {
                count -= 6
                text.append(alphabet[Int(bits >> UInt32(count)) & 63])
            }
            bits &= (1 << UInt32(count)) - 1
        }
        if count > 0 { text.append(alphabet[Int(bits << UInt32(6 - count)) & 63]) }
        return String(decoding: text, as: UTF8.self)
    }

    /// Decodes digits without padding; nil for a character outside of the alphabet.
    ///
    /// Remaining bits that do not fill a byte are ignored.
    package func decoded(_ digits: some Sequence<UInt8>) -> [UInt8]? {
        var (bytes, bits, count) = ([UInt8](), 0, 0)
        for digit in digits {
            guard let value = alphabet.firstIndex(of: digit) else { return nil }
            bits = (bits << 6 | value) & 0xFFFF
            count += 6
            if count >= 8 {
                count -= 8
                bytes.append(UInt8(truncatingIfNeeded: bits >> count))
            }
        }
        return bytes
    }

    /// Encodes text with padding.
    package func padded(_ text: String) -> String {
        let digits = encoded(text.utf8)
        return digits + String(repeating: "=", count: (4 - digits.utf8.count % 4) % 4)
    }

    /// Decodes padded UTF-8 text; nil for anything else.
    package func text(padded: String) -> String? {
        let characters = Array(padded.utf8)
        let digits = characters.prefix { $0 != UInt8(ascii: "=") }
        let padding = characters[digits.count...]
        guard characters.count.isMultiple(of: 4), padding.count <= 2,
            padding.allSatisfy({ $0 == UInt8(ascii: "=") }), let bytes = decoded(digits)
        else { return nil }
        return String(validating: bytes, as: UTF8.self)
    }
}
