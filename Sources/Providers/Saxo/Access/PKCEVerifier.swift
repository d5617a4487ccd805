import Cryptography
import PorticoCore

/// A PKCE code verifier (RFC 7636): proves that the client that redeems an authorization code also requested
/// it, without a client secret.
package struct PKCEVerifier: Sendable, Hashable {
    /// Stored until the code arrives, and sent with it.
    package let verifier: String
    /// Sent ahead, to be compared with.
    package let challenge: String

    /// A new key, from the system's source of randomness.
    package init() {
        self.init(random: .random(count: 32))
    }

    /// Creates the key of a stored verifier.
    package init(verifier: String) {
        self.verifier = verifier
        challenge = Base64.url.encoded(HashFunction.sha256.hash(verifier))
    }

    /// Section 4.1: 32 bytes make a verifier of 43 characters.
    init(random: [UInt8]) {
        self.init(verifier: Base64.url.encoded(random))
    }
}
