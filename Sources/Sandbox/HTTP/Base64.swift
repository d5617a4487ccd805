/// Base64 with padding (RFC 4648, section 4).
enum Base64 {
    private static let alphabet = Array(
        "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/".utf8)

    static func encoded(_ text: String) -> String {
        let bytes = Array(text.utf8)
        var output: [UInt8] = []
        for start in stride(from: 0, to: bytes.count, by: 3) {
            let group = bytes[start..<min(start + 3, bytes.count)]
            let bits = (0..<3).reduce(0) { $0 << 8 | (start + $1 < bytes.count ? Int(bytes[start + $1]) : 0) }
            for index in 0..<4 {
                output.append(
                    index <= group.count ? alphabet[bits >> (18 - 6 * index) & 63] : UInt8(ascii: "="))
            }
        }
        return String(decoding: output, as: UTF8.self)
    }

    /// Nil for what is no Base64, or no text.
    static func decoded(_ text: String) -> String? {
        let bytes = Array(text.utf8)
        guard bytes.count.isMultiple(of: 4) else { return nil }
        let digits = bytes.prefix(while: { $0 != UInt8(ascii: "=") })
        guard bytes.count - digits.count <= 2, bytes[digits.count...].allSatisfy({ $0 == UInt8(ascii: "=") })
        else { return nil }
        var output: [UInt8] = []
        var (bits, count) = (0, 0)
        for byte in digits {
            guard let value = alphabet.firstIndex(of: byte) else { return nil }
            bits = (bits << 6 | value) & 0xFFFF
            count += 6
            if count >= 8 {
                count -= 8
                output.append(UInt8(truncatingIfNeeded: bits >> count))
            }
        }
        return String(validating: output, as: UTF8.self)
    }
}
