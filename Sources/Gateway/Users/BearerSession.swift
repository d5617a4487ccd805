package import Brokerage
import OpenIDConnect
package import Storage
import Synchronization
package import Upstream

/// The session of a token of the identity provider, in memory only: it ends with the token.
package final class BearerSession: Sendable {
    package let id = RandomID.make()
    package let owner: OwnerID
    package let scopes: Set<Scope>
    package let issuedAt: Instant
    /// When the token is no longer accepted: its expiry, and the difference of clocks that is allowed.
    package let expiresAt: Instant
    package let validity = TokenValidity()
    let identity: Identity
    /// The session at the identity provider; nil if the token names none.
    let issuerSessionID: String?
    let keyFingerprint: String
    /// The hash of the token.
    let tokenHash: String

    init(
        _ token: VerifiedToken, of user: User, _ scopes: Set<Scope>, tokenHash: String, skew: Duration
    ) {
        (owner, self.scopes, self.tokenHash) = (user.id, scopes, tokenHash)
        (issuedAt, expiresAt) = (token.issuedAt, token.expiresAt + skew)
        identity = Identity(issuer: token.issuer, subject: token.subject)
        (issuerSessionID, keyFingerprint) = (token.sessionID, token.keyFingerprint)
    }
}

/// The sessions of the bearer tokens that were verified, by the hashes of the tokens.
///
/// Their number is bounded: one more ends the session that expires first. Its client's next request verifies the token
/// again.
final class BearerSessions: Sendable {
    private struct State {
        var sessions: [String: BearerSession] = [:]
        /// The number of calls of ``end(where:)``.
        var ends = 0
    }

    private let maximum: Int
    // Requests on any thread look for their session; it is held for a look-up or a removal.
    private let state = Mutex(State())

    init(maximum: Int = 10_000) {
        self.maximum = maximum
    }

    /// The session of a token; nil if the token was not verified, or its session has ended.
    func session(withHash hash: String, now: Instant) -> BearerSession? {
        guard let session = state.withLock({ $0.sessions[hash] }), now < session.expiresAt else { return nil }
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
        let (added, surplus) = state.withLock { state -> (BearerSession?, BearerSession?) in
            guard state.ends == ends else { return (nil, nil) }
            if let known = state.sessions[session.tokenHash] { return (known, nil) }
            let isFull = state.sessions.count >= maximum
            let surplus = isFull ? state.sessions.values.min { $0.expiresAt < $1.expiresAt } : nil
            if let surplus { state.sessions[surplus.tokenHash] = nil }
            state.sessions[session.tokenHash] = session
            return (session, surplus)
        }
        surplus?.validity.end()
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
            for session in ended { state.sessions[session.tokenHash] = nil }
            if countsAsEnd { state.ends &+= 1 }
            return ended
        }
        for session in ended { session.validity.end() }
    }

    /// The users who have sessions.
    var owners: [OwnerID] { state.withLock { Array(Set($0.sessions.values.map(\.owner))) } }

    var isEmpty: Bool { state.withLock { $0.sessions.isEmpty } }
}
