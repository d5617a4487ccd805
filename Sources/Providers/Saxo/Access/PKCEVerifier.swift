import Crypto
import PorticoCore

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
        challenge = Base64.url.encoded(SHA256.hash(data: Array(verifier.utf8)))
    }

    /// Section 4.1: 32 bytes make a verifier of 43 characters.
    init(random: [UInt8]) {
        self.init(verifier: Base64.url.encoded(random))
    }
}
