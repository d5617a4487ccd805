package import Brokerage
import Cryptography
import PorticoCore

/// A user at an identity provider: `iss` and `sub` of a token, which together identify one user forever (OpenID Connect
/// Core 1.0, section 5.7).
package struct Identity: Hashable, Sendable {
    package let issuer: String
    package let subject: String

    package init(issuer: String, subject: String) {
        (self.issuer, self.subject) = (issuer, subject)
    }

    /// No token is accepted for longer after its issue, with the longest difference of clocks (10 minutes) at both ends.
    package static let longestTokenLifetime = Duration.seconds(7 * 86_400 + 1_200)
}

/// A session at an identity provider, by the ID token that opened a session here.
package struct IssuerSession: Hashable, Sendable {
    package let issuer: String
    /// `sid` of the tokens; nil if the provider names no sessions.
    package let id: String?
    /// `iat` of the ID token.
    package let issuedAt: Instant
}

/// A bearer token, such as the one that remains when its user ends all other sessions.
package struct KeptToken: Sendable {
    /// The hash by which it is identified.
    let hash: String
    /// `sid`: later tokens of this session remain, too; nil if the token names none.
    let sessionID: String?
    /// `iat`.
    let issuedAt: Instant
    /// By how much the clock of the issuer may differ.
    let skew: Duration

    package init(hash: String, sessionID: String?, issuedAt: Instant, skew: Duration) {
        (self.hash, self.sessionID, self.issuedAt, self.skew) = (hash, sessionID, issuedAt, skew)
    }

    /// The earliest `iat` of a later token of the session.
    ///
    /// Such a token was issued after this one and, within the difference of clocks, after the revocation. `iat` has whole seconds.
    ///
    /// - Parameter time: The time of the revocation.
    /// - Returns: The later of the two limits, in milliseconds since 1970.
    func earliestLaterIssue(after time: Instant) -> Int64 {
        let start = (time - skew).millisecondsSince1970
        return max(issuedAt.millisecondsSince1970 + 1, start - start % 1_000)
    }
}

/// A logout by an identity provider (OpenID Connect Back-Channel Logout 1.0, section 2.4).
package struct IdentityLogout: Hashable, Sendable {
    package let issuer: String
    /// `jti` of the logout token.
    package let id: String
    /// `sid`; nil if all sessions of the subject have ended.
    package let sessionID: String?
    /// `sub`; nil if the token names a session only.
    ///
    /// With a session, the sessions and tokens of the subject that name no session end, too: they may belong to the one that
    /// has ended.
    package let subject: String?
    /// `iat`; later sessions of the subject do not end.
    package let issuedAt: Instant
    /// Until then, the token can be accepted.
    package let expiresAt: Instant

    package init(
        issuer: String, id: String, sessionID: String?, subject: String?, issuedAt: Instant,
        expiresAt: Instant
    ) {
        (self.issuer, self.id, self.sessionID, self.subject) = (issuer, id, sessionID, subject)
        (self.issuedAt, self.expiresAt) = (issuedAt, expiresAt)
    }

    /// Whether it ends the session of a token that was issued at a time.
    package func ends(_ identity: Identity, of sessionID: String?, issuedAt: Instant) -> Bool {
        guard identity.issuer == issuer else { return false }
        if let ended = self.sessionID, let sessionID { return ended == sessionID }
        return identity.subject == subject && issuedAt <= self.issuedAt
    }
}

/// A sign-in that has begun and is not completed.
package struct PendingSignIn: Sendable {
    package let issuer: String
    package let clientID: String
    package let redirectURI: String
    /// The requested scopes; nil for those by default.
    package let scopes: Set<Scope>?
    package let label: String?
    package var expiresAt: Instant

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
    /// The bearer tokens of a subject but one, whose user has ended all other sessions.
    ///
    /// `except` is the hash of the token that remains; nil if none does.
    case revoked(of: String, except: String?)

    /// The value of a row for all tokens of a subject that name no session.
    ///
    /// Its kind is TOKEN, since the tables have no further kind. The hash of a token has no colon.
    static func unnamedSessionsValue(of subject: String) -> String { unnamedSessionsPrefix + subject }

    private static let unnamedSessionsPrefix = "subject:"

    /// The value of a row for all tokens of a subject whose user was deleted.
    ///
    /// Processes learn of the deletion itself, which ends the sessions in memory.
    static func deletedUserValue(of subject: String) -> String { "deleted:" + subject }

    /// The value of a row with the time at which all sessions of a subject's user have ended.
    ///
    /// Processes read it from the row of ``exceptionValue(for:of:)``, which the same transaction writes.
    static func revocationValue(of subject: String) -> String { revocationPrefix + subject }

    private static let revocationPrefix = "revoked:"

    /// The value of a row for the token that remains when all other sessions of its user end; without a hash, none does.
    ///
    /// The exception holds as long as no later row of ``revocationValue(of:)`` replaces the one of the same time.
    static func exceptionValue(for tokenHash: String?, of subject: String) -> String {
        "\(exceptionPrefix)\(tokenHash ?? ""):\(subject)"
    }

    static let exceptionPrefix = "except:"

    /// The value of a row for the session at the provider whose later tokens remain when all other sessions of its user end.
    ///
    /// Its time is the earliest `iat` of these tokens. Other processes are not notified: they verify such a token again.
    static func laterTokensValue(of sessionID: String, _ subject: String) -> String {
        let hash = Base64.url.encoded(HashFunction.sha256.hash(sessionID))
        return "\(exceptionPrefix)\(sessionPrefix)\(hash):\(subject)"
    }

    /// No hash of a token begins with it.
    private static let sessionPrefix = "sid."

    /// Parses the value of a row of an exception.
    ///
    /// - Returns: The text before the subject, which has no colon, and the subject; nil for another value.
    static func exception(_ value: String) -> (kept: String, subject: String)? {
        guard let rest = remainder(of: value, after: exceptionPrefix) else { return nil }
        return halves(of: rest, at: ":").map { (kept: $0.0, subject: $0.1) }
    }

    /// The text behind a prefix; nil if a text does not begin with it.
    ///
    /// By bytes, because the last character of the prefix and a combining mark behind it are one character.
    private static func remainder(of text: String, after prefix: String) -> String? {
        guard text.utf8.starts(with: prefix.utf8) else { return nil }
        return String(Substring(text.utf8.dropFirst(prefix.utf8.count)))
    }

    /// The texts before and behind the first occurrence of a character, which are divided by bytes, too; nil without it.
    private static func halves(of text: String, at mark: Unicode.Scalar) -> (String, String)? {
        guard let place = text.unicodeScalars.firstIndex(of: mark) else { return nil }
        return (
            String(text.unicodeScalars[..<place]),
            String(text.unicodeScalars[place...].dropFirst())
        )
    }

    /// Parses the kind and the value of a row of `ended_identity_session`; nil for a kind of a later version, and for a row whose
    /// content another row of its transaction has, too.
    package init?(_ text: String) {
        guard let (kind, value) = Self.halves(of: text, at: " ") else { return nil }
        switch kind {
        case "SESSION": self = .session(value)
        case "SUBJECT": self = .subject(value)
        case "TOKEN":
            if let subject = Self.remainder(of: value, after: Self.unnamedSessionsPrefix) {
                self = .unnamedSessions(of: subject)
            } else if let (kept, subject) = Self.exception(value) {
                guard !kept.hasPrefix(Self.sessionPrefix) else { return nil }
                self = .revoked(of: subject, except: kept.isEmpty ? nil : kept)
            } else if Self.remainder(of: value, after: Self.revocationPrefix) != nil {
                return nil
            } else {
                self = .token(value)
            }
        default: return nil
        }
    }
}
