/// Base64 with the standard alphabet or the alphabet for URLs (RFC 4648, sections 4 and 5).
package struct Base64: Sendable {
    package static let standard = Base64(lastDigits: "+/")
    package static let url = Base64(lastDigits: "-_")

    private let alphabet: [UInt8]
    /// The value of each byte that is a digit, and ``noDigit`` for the others.
    private let values: [UInt8]

    private static let noDigit: UInt8 = 0xFF

    private init(lastDigits: String) {
        alphabet = Array(("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789" + lastDigits).utf8)
        var values = [UInt8](repeating: Self.noDigit, count: 256)
        for (value, digit) in alphabet.enumerated() { values[Int(digit)] = UInt8(value) }
        self.values = values
    }

    /// Encodes bytes without padding.
    package func encoded(_ bytes: some Sequence<UInt8>) -> String {
        String(decoding: digits(of: Array(bytes)), as: UTF8.self)
    }

    /// Without the generic sequence, whose iteration takes 100 ns a byte in another module.
    private func digits(of bytes: [UInt8]) -> [UInt8] {
        var (digits, bits, count) = ([UInt8](), UInt32(0), UInt32(0))
        digits.reserveCapacity(bytes.count / 3 * 4 + 4)
        for byte in bytes {
            bits = bits << 8 | UInt32(byte)
            count += 8
            while count >= 6 {
                count -= 6
                digits.append(alphabet[Int(bits >> count) & 63])
            }
            bits &= 63
        }
        if count > 0 { digits.append(alphabet[Int(bits << (6 - count)) & 63]) }
        return digits
    }

    /// Decodes digits without padding; nil for a character outside of the alphabet.
    ///
    /// Remaining bits that do not fill a byte are ignored.
    package func decoded(_ digits: some Sequence<UInt8>) -> [UInt8]? {
        bytes(of: Array(digits))
    }

    private func bytes(of digits: [UInt8]) -> [UInt8]? {
        var (bytes, bits, count) = ([UInt8](), UInt32(0), UInt32(0))
        bytes.reserveCapacity(digits.count / 4 * 3 + 3)
        for digit in digits {
            let value = values[Int(digit)]
            guard value != Self.noDigit else { return nil }
            bits = (bits << 6 | UInt32(value)) & 0xFFFF
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
