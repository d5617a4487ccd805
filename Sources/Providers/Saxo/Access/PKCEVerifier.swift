import Crypto

/// Proves that who trades a code for tokens is who asked for it, without a secret of the app; RFC 7636.
package struct PKCEVerifier: Sendable, Hashable {
    /// Kept until the code comes, and sent with it.
    package let verifier: String
    /// Sent ahead, to be compared with.
    package let challenge: String

    /// A new key, from the system's source of randomness.
    package init() {
        var generator = SystemRandomNumberGenerator()
        self.init(random: (0..<32).map { _ in UInt8.random(in: .min ... .max, using: &generator) })
    }

    /// The key of a verifier that was kept.
    package init(verifier: String) {
        self.verifier = verifier
        challenge = Base64.encodeForURL(Array(SHA256.hash(data: Array(verifier.utf8))))
    }

    /// Section 4.1: 32 bytes make a verifier of 43 characters.
    init(random: [UInt8]) {
        self.init(verifier: Base64.encodeForURL(random))
    }
}

/// RFC 4648.
enum Base64 {
    /// Section 4, with padding.
    static func encode(_ bytes: [UInt8]) -> String { encode(bytes, alphabet: standard, isPadded: true) }

    /// Section 5, without padding, as RFC 7636 wants it.
    static func encodeForURL(_ bytes: [UInt8]) -> String { encode(bytes, alphabet: urlSafe, isPadded: false) }

    private static let letters = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789".utf8)
    private static let standard = letters + Array("+/".utf8)
    private static let urlSafe = letters + Array("-_".utf8)

    private static func encode(_ bytes: [UInt8], alphabet: [UInt8], isPadded: Bool) -> String {
        var text: [UInt8] = []
        text.reserveCapacity((bytes.count + 2) / 3 * 4)
        for start in stride(from: 0, to: bytes.count, by: 3) {
            let group = bytes[start..<min(start + 3, bytes.count)]
            var word: UInt32 = 0
            for byte in group { word = word << 8 | UInt32(byte) }
            word <<= UInt32(8 * (3 - group.count))
            for place in 0...group.count {
                text.append(alphabet[Int(word >> UInt32(18 - 6 * place) & 0x3F)])
            }
            if isPadded { for _ in group.count..<3 { text.append(UInt8(ascii: "=")) } }
        }
        return String(decoding: text, as: UTF8.self)
    }
}
