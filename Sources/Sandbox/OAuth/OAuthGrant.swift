/// What a user has allowed an application to do.
struct OAuthGrant: Sendable, Hashable {
    /// The ``SandboxUser/name``.
    let user: String
    let clientID: String
    /// As the authorization request spelled it; empty for none.
    let scope: String
    /// Where the code was sent to; the request that redeems it must name the same.
    let redirectURI: String
    /// What the application has to prove that it knows; nil where it sent none.
    var challenge: CodeChallenge?
    /// Tells apart what was granted twice: all tokens that come of one code have the same.
    var session = 0
}

/// What becomes of a session when a refresh token comes a second time.
package enum RefreshReuse: Sendable, Hashable, CaseIterable {
    /// The token is refused, and all else stays.
    case rejectsToken
    /// All tokens of the session are worthless from then on, because one of the two who used it has stolen it
    /// (RFC 9700, section 4.14.2).
    case endsSession
}

/// What an application receives for a code or a refresh token.
struct OAuthTokens: Sendable, Hashable {
    let accessToken: String
    /// Nil where the provider has none.
    let refreshToken: String?
    let grant: OAuthGrant
}

/// For how long the parts of an exchange are good.
struct OAuthLifetimes: Sendable, Hashable {
    /// RFC 6749 recommends ten minutes at most.
    var code: Duration = .seconds(600)
    /// Nil: until revoked.
    var access: Duration?
    /// Nil: the provider has no refresh tokens.
    var refresh: Duration?
}
