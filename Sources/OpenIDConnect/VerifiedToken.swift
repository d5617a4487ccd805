package import Brokerage

/// The claims of a token whose signature and claims were verified.
package struct VerifiedToken: Sendable {
    package let issuer: String
    /// The user at the issuer (`sub`); empty in a logout token that names a session only.
    package let subject: String
    /// The session at the issuer (`sid`), which its logout tokens name.
    package let sessionID: String?
    package let issuedAt: Instant
    package let expiresAt: Instant
    package let claims: [String: ClaimValue]
    /// The key that has verified it: the token ends when the issuer withdraws the key.
    package let keyFingerprint: String
}

/// The purpose of a token, which decides what its claims must be.
package enum TokenPurpose: Sendable {
    /// An ID token of a sign-in that began with this nonce (OpenID Connect Core 1.0, section 3.1.3.7).
    case signIn(nonce: String)
    /// An access token (RFC 9068), or an ID token, as the token of a request.
    case bearer
    /// A logout token (OpenID Connect Back-Channel Logout 1.0, section 2.4).
    case logout
}
