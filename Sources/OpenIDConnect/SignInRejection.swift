/// The reason why a token of the identity provider, or a sign-in with it, is refused: `extensions.reason`.
///
/// A closed set. No message contains a part of the token.
package enum SignInRejection: String, Error, Hashable, Sendable, CaseIterable {
    // The token itself
    /// It is not a signed token, is too long, or lacks a required claim.
    case malformedToken = "MALFORMED_TOKEN"
    /// Its algorithm is not RS256, ES256 or EdDSA, such as `none` and `HS256`, or is not that of its key.
    case algorithmNotAllowed = "ALGORITHM_NOT_ALLOWED"
    /// The identity provider publishes no key with its id.
    case unknownKey = "UNKNOWN_KEY"
    /// The keys cannot be fetched, and those that are known are too old.
    case keysUnavailable = "KEYS_UNAVAILABLE"
    case invalidSignature = "INVALID_SIGNATURE"
    /// It is a token for another purpose, such as a logout token.
    case wrongTokenType = "WRONG_TOKEN_TYPE"

    // Its claims
    case wrongIssuer = "WRONG_ISSUER"
    case wrongAudience = "WRONG_AUDIENCE"
    case wrongNonce = "WRONG_NONCE"
    case expired = "EXPIRED"
    case notYetValid = "NOT_YET_VALID"
    /// It is valid for longer than Portico remembers sign-outs.
    case lifetimeTooLong = "LIFETIME_TOO_LONG"
    /// Its session has been ended, by a sign-out or by the identity provider, or its user was deleted or has ended all other
    /// sessions.
    case signedOut = "SIGNED_OUT"
    /// A logout token with its `jti` was accepted before.
    case replayed = "REPLAYED"
    /// Its claims give no scope.
    case noScope = "NO_SCOPE"
    /// No user is bound to its issuer and subject, and the settings do not let users be created.
    case unknownUser = "UNKNOWN_USER"

    // The sign-in
    /// The state is unknown, was used, or has expired.
    case unknownState = "UNKNOWN_STATE"
    /// Another browser has begun the sign-in.
    case otherBrowser = "OTHER_BROWSER"
    /// The identity provider refused the code: it was used, has expired, or was issued to another client.
    case codeRefused = "CODE_REFUSED"
    /// The identity provider cannot be reached, or its response cannot be used.
    case providerUnavailable = "IDENTITY_PROVIDER_UNAVAILABLE"

    /// The description for clients, with the remedy.
    package var message: String {
        switch self {
        case .malformedToken: "The token is not a signed token with the claims that are required."
        case .algorithmNotAllowed:
            "The token is not signed with RS256, ES256 or EdDSA, or not with the algorithm of its key."
        case .unknownKey:
            "The identity provider publishes no key with the id of the token's key: sign in again."
        case .keysUnavailable: "The keys of the identity provider cannot be fetched: try again later."
        case .invalidSignature: "The signature of the token is not valid."
        case .wrongTokenType: "The token is for another purpose: send an access token or an ID token."
        case .wrongIssuer: "The token or the response is from another issuer than the server's."
        case .wrongAudience: "The token is for another client or service than this one."
        case .wrongNonce: "The ID token belongs to another sign-in: begin again."
        case .expired: "The token has expired: get a new one from the identity provider."
        case .notYetValid:
            "The token is not valid yet. Check the clocks of the server and of the identity provider."
        case .lifetimeTooLong:
            "The token is valid for too long: let the identity provider issue shorter ones."
        case .signedOut:
            """
            The session of the token has ended: sign in again. If the user has ended all other sessions just now, get a new \
            token after the difference of clocks that the server allows.
            """
        case .replayed: "A logout token with this id was accepted before: issue another one."
        case .noScope:
            "The claims of the user give no scope. The operator of the server maps claims to scopes."
        case .unknownUser: "No user belongs to this identity, and the server creates none."
        case .unknownState: "The state is unknown, was used, or has expired: begin the sign-in again."
        case .otherBrowser: "Another browser has begun this sign-in: begin again in this one."
        case .codeRefused: "The identity provider refused the code: begin the sign-in again."
        case .providerUnavailable:
            "The identity provider cannot be reached, or its response cannot be used: try again later."
        }
    }
}
