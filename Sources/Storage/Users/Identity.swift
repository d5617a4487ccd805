package import Brokerage

/// A user at an identity provider: `iss` and `sub` of a token, which together identify one user forever (OpenID Connect
/// Core 1.0, section 5.7).
package struct Identity: Hashable, Sendable {
    package let issuer: String
    package let subject: String

    package init(issuer: String, subject: String) {
        (self.issuer, self.subject) = (issuer, subject)
    }
}

/// A session at an identity provider.
package struct IssuerSession: Hashable, Sendable {
    package let issuer: String
    /// `sid` of the tokens; nil if the provider names no sessions.
    package let id: String?
}

/// A sign-in that has begun and is not completed.
package struct PendingSignIn: Sendable {
    package let issuer: String
    package let clientID: String
    package let redirectURI: String
    /// The requested scopes; nil for those by default.
    package let scopes: Set<Scope>?
    package let label: String?
    package let expiresAt: Instant

    package init(
        issuer: String, clientID: String, redirectURI: String, scopes: Set<Scope>?, label: String?,
        expiresAt: Instant
    ) {
        (self.issuer, self.clientID, self.redirectURI) = (issuer, clientID, redirectURI)
        (self.scopes, self.label, self.expiresAt) = (scopes, label, expiresAt)
    }
}

/// A part of an identity provider's sessions that has ended.
package enum EndedIdentity: Hashable, Sendable {
    /// A session at the provider, by its id.
    case session(String)
    /// All sessions of a subject.
    case subject(String)
    /// The tokens of a subject that name no session.
    case unnamedSessions(of: String)
    /// One bearer token, by its hash.
    case token(String)

    /// The value of a row for all tokens of a subject that name no session.
    ///
    /// Its kind is TOKEN, since the tables have no further kind. The hash of a token has no colon.
    static func unnamedSessionsValue(of subject: String) -> String { unnamedSessionsPrefix + subject }

    private static let unnamedSessionsPrefix = "subject:"

    /// Parses the kind and the value of a row of `ended_identity_session`; nil for a kind of a later version.
    init?(_ text: String) {
        let parts = text.split(separator: " ", maxSplits: 1, omittingEmptySubsequences: false).map(
            String.init)
        guard parts.count == 2 else { return nil }
        switch parts[0] {
        case "SESSION": self = .session(parts[1])
        case "SUBJECT": self = .subject(parts[1])
        case "TOKEN" where parts[1].hasPrefix(Self.unnamedSessionsPrefix):
            self = .unnamedSessions(of: String(parts[1].dropFirst(Self.unnamedSessionsPrefix.count)))
        case "TOKEN": self = .token(parts[1])
        default: return nil
        }
    }
}
