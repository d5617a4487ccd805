import Brokerage

/// Checks the claims of tokens of one identity provider for one client.
struct ClaimValidator: Sendable {
    let issuer: String
    let clientID: String
    /// Audiences of bearer tokens.
    let audiences: Set<String>
    /// By how much the clocks of the server and the issuer may differ.
    let skew: Duration

    /// A token that is valid for longer is refused, because sign-outs are remembered for this time.
    static let maximumLifetime = Duration.seconds(7 * 86_400)
    /// The texts of `iss`, `sub`, `sid`, `nonce` and of an audience are not longer, in bytes.
    static let maximumTextLength = 512
    private static let maximumAudiences = 32
    private static let logoutEvent = "http://schemas.openid.net/event/backchannel-logout"
    /// The longest time since a logout token was issued.
    static let logoutAge = Duration.seconds(300)

    /// Checks the claims of a token with a valid signature.
    func verify(
        _ token: SignedToken, for purpose: TokenPurpose, key: VerificationKey, now: Instant
    ) throws(SignInRejection) -> VerifiedToken {
        let claims = token.claims
        guard let issuer = try text("iss", in: claims), let issuedAt = claims["iat"]?.instant else {
            throw .malformedToken
        }
        guard issuer == self.issuer else { throw .wrongIssuer }
        guard let audience = claims["aud"]?.texts, !audience.isEmpty, audience.count <= Self.maximumAudiences
        else { throw .malformedToken }
        try checkType(of: token, for: purpose)
        try checkAudience(audience, claims, for: purpose)
        let subject = try text("sub", in: claims)
        let sessionID = try text("sid", in: claims)
        let expiresAt: Instant
        if case .logout = purpose, claims["exp"] == nil {
            expiresAt = issuedAt + Self.logoutAge
        } else {
            guard let end = claims["exp"]?.instant else { throw .malformedToken }
            expiresAt = end
        }
        guard now < expiresAt + skew else { throw .expired }
        guard issuedAt <= now + skew else { throw .notYetValid }
        if let start = claims["nbf"] {
            guard let start = start.instant else { throw .malformedToken }
            guard start <= now + skew else { throw .notYetValid }
        }
        guard expiresAt <= issuedAt + Self.maximumLifetime else { throw .lifetimeTooLong }
        switch purpose {
        case .signIn(let nonce):
            guard subject != nil else { throw .malformedToken }
            guard try text("nonce", in: claims) == nonce else { throw .wrongNonce }
        case .bearer:
            guard subject != nil else { throw .malformedToken }
        case .logout:
            guard subject != nil || sessionID != nil, try text("jti", in: claims) != nil,
                claims["nonce"] == nil
            else { throw .malformedToken }
            guard now < issuedAt + Self.logoutAge + skew else { throw .expired }
        }
        return VerifiedToken(
            issuer: issuer, subject: subject ?? "", sessionID: sessionID, issuedAt: issuedAt,
            expiresAt: expiresAt, claims: claims, keyFingerprint: key.fingerprint)
    }

    /// A text that is not empty and not too long, without U+0000, which PostgreSQL does not store; nil if the claim is
    /// missing.
    private func text(_ name: String, in claims: [String: ClaimValue]) throws(SignInRejection) -> String? {
        guard let claim = claims[name] else { return nil }
        guard let text = claim.text, !text.isEmpty, text.utf8.count <= Self.maximumTextLength,
            !text.utf8.contains(0)
        else { throw .malformedToken }
        return text
    }

    /// Refuses tokens of another purpose: each purpose has its media type, and only logout tokens have the event.
    private func checkType(of token: SignedToken, for purpose: TokenPurpose) throws(SignInRejection) {
        let isLogout: Bool =
            if case .object(let events)? = token.claims["events"] { events[Self.logoutEvent] != nil } else {
                false
            }
        let isAllowed =
            switch purpose {
            case .signIn: [nil, "jwt"].contains(token.type) && token.claims["events"] == nil
            case .bearer: [nil, "jwt", "at+jwt"].contains(token.type) && token.claims["events"] == nil
            case .logout: [nil, "jwt", "logout+jwt"].contains(token.type) && isLogout
            }
        guard isAllowed else { throw .wrongTokenType }
    }

    private func checkAudience(
        _ audience: [String], _ claims: [String: ClaimValue], for purpose: TokenPurpose
    ) throws(SignInRejection) {
        switch purpose {
        case .bearer:
            guard audience.contains(where: audiences.contains) else { throw .wrongAudience }
        case .signIn:
            guard audience.contains(clientID) else { throw .wrongAudience }
            // Core, section 3.1.3.7, items 4 and 5: the client to which the token was issued.
            guard let party = claims["azp"] else {
                guard audience.count == 1 else { throw .wrongAudience }
                return
            }
            guard party.text == clientID else { throw .wrongAudience }
        case .logout:
            guard audience.contains(clientID) else { throw .wrongAudience }
        }
    }
}
