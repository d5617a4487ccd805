package import Brokerage
import Cryptography
import OpenIDConnect
import PorticoCore
package import Storage
import Synchronization
import Upstream

/// A token of the identity provider as it was sent, before its signature is verified.
struct BearerCredential: Hashable, Sendable {
    /// The hash of header and payload, which are signed: the same for all signatures of one token.
    ///
    /// An ES256 signature has two forms, (r, s) and (r, n − s), which anyone can convert into each other.
    ///
    /// Anyone can combine the header and payload of another token with a wrong signature, so it identifies a token only
    /// after its signature was verified.
    let tokenHash: String
    /// The hash of the signature.
    let signatureHash: [UInt8]

    init(_ text: String) {
        let bytes = text.utf8
        let mark = bytes.lastIndex(of: UInt8(ascii: ".")) ?? bytes.endIndex
        tokenHash = Base64.url.encoded(HashFunction.sha256.hash(String(text[..<mark])))
        signatureHash = HashFunction.sha256.hash(String(text[mark...]))
    }
}

/// The session of a token of the identity provider, in memory only: it ends with the token.
package final class BearerSession: Sendable {
    package let id = RandomID.make()
    package let owner: OwnerID
    package let scopes: Set<Scope>
    package let issuedAt: Instant
    /// When the token is no longer accepted: its expiry, and the difference of clocks that is allowed.
    package let expiresAt: Instant
    package let validity = SessionValidity()
    let identity: Identity
    /// The session at the identity provider; nil if the token names none.
    let issuerSessionID: String?
    let keyFingerprint: String
    /// The token, with the signature that was verified.
    let credential: BearerCredential
    private let skew: Duration

    init(
        _ token: VerifiedToken, of user: User, _ scopes: Set<Scope>, _ credential: BearerCredential,
        skew: Duration
    ) {
        (owner, self.scopes, self.credential, self.skew) = (user.id, scopes, credential, skew)
        (issuedAt, expiresAt) = (token.issuedAt, token.expiresAt + skew)
        identity = Identity(issuer: token.issuer, subject: token.subject)
        (issuerSessionID, keyFingerprint) = (token.sessionID, token.keyFingerprint)
    }

    /// Identifies the token, whichever of its signatures a request has: for limits.
    package var tokenHash: String { credential.tokenHash }

    /// The token, if its user ends all other sessions.
    var kept: KeptToken {
        KeptToken(hash: tokenHash, sessionID: issuerSessionID, issuedAt: issuedAt, skew: skew)
    }
}

/// The sessions of the bearer tokens that were verified, by the hashes of the tokens.
///
/// Their number is bounded, in total and for each user: one more ends the user's own oldest session, or the oldest one of
/// the user with the most. Its client's next request verifies the token again.
final class BearerSessions: Sendable {
    private struct State {
        var sessions: SharedTable<OwnerID, String, BearerSession>
        /// The number of calls of ``end(where:)``.
        var ends = 0
    }

    // Requests on any thread look for their session; it is held for a look-up or a removal.
    private let state: Mutex<State>

    init(maximum: Int = 10_000, maximumPerUser: Int = 100) {
        state = Mutex(State(sessions: SharedTable(maximum: maximum, share: maximumPerUser)))
    }

    /// The session of a token; nil if the token was not verified with this signature, or its session has ended.
    func session(of credential: BearerCredential, now: Instant) -> BearerSession? {
        guard let session = state.withLock({ $0.sessions.value(for: credential.tokenHash) }),
            session.credential == credential, now < session.expiresAt
        else { return nil }
        return session
    }

    /// How often sessions were ended, for ``add(_:since:)``.
    var ends: Int { state.withLock(\.ends) }

    /// Adds a session; if the token has one already, returns that one.
    ///
    /// - Parameters:
    ///   - session: The session.
    ///   - ends: The value of ``ends`` before the session's token was verified.
    /// - Returns: Nil if sessions were ended meanwhile: this one may be among them, so its token must be verified again.
    func add(_ session: BearerSession, since ends: Int) -> BearerSession? {
        let (added, surplus) = state.withLock { state -> (BearerSession?, [BearerSession]) in
            guard state.ends == ends else { return (nil, []) }
            if let known = state.sessions.value(for: session.tokenHash) { return (known, []) }
            return (session, state.sessions.insert(session, for: session.tokenHash, of: session.owner))
        }
        for session in surplus { session.validity.end() }
        return added
    }

    /// Ends the sessions that meet a condition, and those that meet it and are being verified.
    func end(where isMeant: (BearerSession) -> Bool) { remove(countsAsEnd: true, isMeant) }

    /// Ends the sessions whose tokens have expired, or all if no key is valid.
    func endExpired(at now: Instant, hasValidKeys: Bool) {
        remove(countsAsEnd: false) { now >= $0.expiresAt || !hasValidKeys }
    }

    private func remove(countsAsEnd: Bool, _ isMeant: (BearerSession) -> Bool) {
        let ended = state.withLock { state in
            let ended = state.sessions.values.filter(isMeant)
            for session in ended { state.sessions.remove(session.tokenHash) }
            if countsAsEnd { state.ends &+= 1 }
            return ended
        }
        for session in ended { session.validity.end() }
    }

    /// The users who have sessions.
    var owners: [OwnerID] { state.withLock { $0.sessions.owners } }

    var isEmpty: Bool { state.withLock { $0.sessions.count == 0 } }
}
