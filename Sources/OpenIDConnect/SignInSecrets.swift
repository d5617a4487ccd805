import Cryptography
import PorticoCore

/// The secret values of one sign-in by an authorization code.
///
/// All follow from two random values: the state, which the browser carries to the provider and back, and the browser's
/// secret, which never leaves the browser that begins the sign-in. The server stores only a hash of each, so nobody with
/// a copy of the database can complete a sign-in, and no other browser can.
package struct SignInSecrets: Sendable {
    /// The parameter `state` (RFC 6749, section 4.1.1).
    package let state: String
    /// The client sends it with `completeSignIn`; it is not part of any address.
    package let browserSecret: String
    private let key: SymmetricKey

    /// Random values.
    package init() {
        key = SymmetricKey()
        state = Base64.url.encoded(SymmetricKey().bytes)
        browserSecret = Base64.url.encoded(key.bytes)
    }

    /// The values that a client has sent; nil if one does not have the form of ``init()``.
    package init?(state: String, browserSecret: String) {
        guard Self.key(state) != nil, let key = Self.key(browserSecret) else { return nil }
        (self.state, self.browserSecret, self.key) = (state, browserSecret, key)
    }

    private static func key(_ text: String) -> SymmetricKey? {
        guard text.utf8.count == 43, let bytes = Base64.url.decoded(text.utf8),
            Base64.url.encoded(bytes) == text
        else { return nil }
        return SymmetricKey(bytes)
    }

    /// The hash by which the server finds the sign-in.
    package var stateHash: [UInt8] { HashFunction.sha256.hash(state) }
    /// The hash by which the server recognizes the browser.
    package var browserHash: [UInt8] { HashFunction.sha256.hash(browserSecret) }

    /// The parameter `nonce` (OpenID Connect Core 1.0, section 3.1.2.1).
    var nonce: String { derived("nonce") }
    /// The secret that proves to the provider who has begun the sign-in (RFC 7636, section 4.1).
    var codeVerifier: String { derived("code verifier") }
    /// RFC 7636, section 4.2.
    var codeChallenge: String { Base64.url.encoded(HashFunction.sha256.hash(codeVerifier)) }

    private func derived(_ purpose: String) -> String {
        Base64.url.encoded(
            HashFunction.sha256.authenticationCode(for: "\(purpose) \(state)".utf8.span, using: key))
    }
}

extension SignInSecrets: CustomStringConvertible, CustomReflectable {
    package var description: String { "SignInSecrets(…)" }
    package var customMirror: Mirror { Mirror(self, children: [:]) }
}
