import Brokerage
import Synchronization

/// The codes and tokens of one provider (RFC 6749, sections 4.1 and 6).
///
/// A code is good once, and for the application, the redirect address and the time that it was made for. A
/// refresh token is good once too: its use brings forth another. Everything is in memory, bounded, and forgotten
/// by ``reset()``.
///
/// A lock, because taking a code or a token is one step, and requests come from many tasks at once.
final class AuthorizationServer: Resettable {
    let applications: [OAuthApplication]
    let lifetimes: OAuthLifetimes
    private let reuse: RefreshReuse
    private let random: SeededRandom
    private let state = Mutex(State())

    /// The most codes, access tokens and refresh tokens that are kept, each; the oldest go first.
    static let maximumCount = 4_096

    private struct State {
        var issued = 0
        var codes = TokenStore()
        var access = TokenStore()
        var refresh = TokenStore()
        /// Refresh tokens that were good once.
        var used = TokenStore()
    }

    /// Tokens are numbered from `seed`: predictable, as everything in the sandbox.
    init(
        applications: [OAuthApplication], lifetimes: OAuthLifetimes, reuse: RefreshReuse = .rejectsToken,
        seed: UInt64
    ) {
        self.applications = applications
        self.lifetimes = lifetimes
        self.reuse = reuse
        random = SeededRandom(seed: seed).branch("oauth")
    }

    /// The application of that id; nil when there is none.
    func application(_ clientID: String) -> OAuthApplication? {
        applications.first { $0.clientID == clientID }
    }

    /// The code with which the user's browser is sent back to the application.
    func code(for grant: OAuthGrant, at now: Instant) -> String {
        state.withLock { state in
            let code = next(&state)
            state.codes.add(code, grant, until: now + lifetimes.code)
            return code
        }
    }

    /// Makes a refresh token of the sandbox's configuration good, once as any.
    func add(refreshToken: String, _ grant: OAuthGrant, until end: Instant) {
        state.withLock { state in
            state.issued += 1
            var grant = grant
            grant.session = state.issued
            state.refresh.add(refreshToken, grant, until: end)
        }
    }

    /// Tokens for a code; throws ``OAuthError``.
    ///
    /// The verifier belongs to the code's challenge: both are there, or neither.
    func redeem(
        code: String, redirectURI: String, clientID: String, clientSecret: String?, verifier: String? = nil,
        at now: Instant
    ) throws(OAuthError) -> OAuthTokens {
        try authenticate(clientID, clientSecret)
        return try unwrapped(
            state.withLock { state in
                guard var grant = state.codes.consume(code, at: now), grant.clientID == clientID,
                    grant.redirectURI == redirectURI, grant.isProved(by: verifier)
                else { return nil }
                state.issued += 1
                grant.session = state.issued
                return issue(grant, at: now, &state)
            })
    }

    /// New tokens for a refresh token, which is used up by it; throws ``OAuthError``.
    ///
    /// A native application may leave out its id, and proves itself by the verifier of its code then.
    func refresh(
        _ token: String, clientID: String?, clientSecret: String?, verifier: String? = nil, at now: Instant
    ) throws(OAuthError) -> OAuthTokens {
        if let clientID {
            try authenticate(clientID, clientSecret)
        } else if verifier == nil {
            throw .invalidClient
        }
        return try unwrapped(
            state.withLock { state in
                if let grant = state.refresh.find(token, at: now) {
                    guard mayRefresh(grant, clientID: clientID, verifier: verifier) else { return nil }
                    _ = state.refresh.consume(token, at: now)
                    state.used.add(token, grant, until: .latest)
                    return issue(grant, at: now, &state)
                }
                if reuse == .endsSession, let session = state.used.find(token, at: now)?.session {
                    state.access.remove { $0.session == session }
                    state.refresh.remove { $0.session == session }
                }
                return nil
            })
    }

    private func mayRefresh(_ grant: OAuthGrant, clientID: String?, verifier: String?) -> Bool {
        guard let clientID else {
            return application(grant.clientID)?.clientSecret == nil && grant.isProved(by: verifier)
        }
        return grant.clientID == clientID && (verifier == nil || grant.isProved(by: verifier))
    }

    /// What an access token stands for; nil when it is unknown, revoked or has run out.
    func grant(ofAccess token: String, at now: Instant) -> OAuthGrant? {
        state.withLock { $0.access.find(token, at: now) }
    }

    /// Makes all tokens of a user worthless, as when they withdraw their consent.
    func revoke(user: String) {
        state.withLock { state in
            state.codes.remove { $0.user == user }
            state.access.remove { $0.user == user }
            state.refresh.remove { $0.user == user }
        }
    }

    func reset() {
        // Numbers go on: a token of before the reset must not become someone's after it.
        state.withLock { $0 = State(issued: $0.issued) }
    }

    /// An application with a secret sends it, one without sends none.
    private func authenticate(_ clientID: String, _ clientSecret: String?) throws(OAuthError) {
        guard let application = application(clientID), application.clientSecret == clientSecret else {
            throw .invalidClient
        }
    }

    private func unwrapped(_ tokens: OAuthTokens?) throws(OAuthError) -> OAuthTokens {
        guard let tokens else { throw .invalidGrant }
        return tokens
    }

    private func issue(_ grant: OAuthGrant, at now: Instant, _ state: inout State) -> OAuthTokens {
        let access = next(&state)
        state.access.add(access, grant, until: lifetimes.access.map { now + $0 } ?? .latest)
        guard let lifetime = lifetimes.refresh else {
            return OAuthTokens(accessToken: access, refreshToken: nil, grant: grant)
        }
        let refresh = next(&state)
        state.refresh.add(refresh, grant, until: now + lifetime)
        return OAuthTokens(accessToken: access, refreshToken: refresh, grant: grant)
    }

    private func next(_ state: inout State) -> String {
        state.issued += 1
        return UUIDFormat.version8(random.bits(2 * state.issued), random.bits(2 * state.issued + 1))
    }
}

extension OAuthGrant {
    /// Whether a verifier is the challenge's; where there is no challenge there must be no verifier.
    fileprivate func isProved(by verifier: String?) -> Bool {
        guard let challenge else { return verifier == nil }
        return verifier.map(challenge.isMet) ?? false
    }
}
