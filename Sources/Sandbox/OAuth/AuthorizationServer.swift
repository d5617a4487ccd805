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

/// Codes or tokens of one kind, each standing for a grant until it runs out.
struct TokenStore {
    private var entries: [String: (grant: OAuthGrant, end: Instant)] = [:]
    /// Oldest first; what was taken stays until its turn to go comes.
    private var order: [String] = []

    mutating func add(_ voucher: String, _ grant: OAuthGrant, until end: Instant) {
        if order.count >= AuthorizationServer.maximumCount {
            for oldest in order.prefix(order.count / 2) { entries[oldest] = nil }
            order.removeFirst(order.count / 2)
        }
        entries[voucher] = (grant, end)
        order.append(voucher)
    }

    /// Nil when it is unknown or has run out.
    func find(_ voucher: String, at now: Instant) -> OAuthGrant? {
        entries[voucher].flatMap { now < $0.end ? $0.grant : nil }
    }

    /// Uses it up.
    mutating func consume(_ voucher: String, at now: Instant) -> OAuthGrant? {
        let grant = find(voucher, at: now)
        entries[voucher] = nil
        return grant
    }

    mutating func remove(where isMeant: (OAuthGrant) -> Bool) {
        entries = entries.filter { !isMeant($0.value.grant) }
        order.removeAll { entries[$0] == nil }
    }
}

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

/// Why an authorization server refuses (RFC 6749, sections 4.1.2.1 and 5.2).
package enum OAuthError: String, Error, Sendable, Hashable, CaseIterable {
    case invalidRequest = "invalid_request"
    case invalidClient = "invalid_client"
    /// A code or refresh token that is unknown, used, expired, or another application's.
    case invalidGrant = "invalid_grant"
    case invalidScope = "invalid_scope"
    case unsupportedGrantType = "unsupported_grant_type"
    case unsupportedResponseType = "unsupported_response_type"
    case accessDenied = "access_denied"

    /// For people; providers' own words differ.
    package var explanation: String {
        switch self {
        case .invalidRequest: "a parameter is missing, repeated or malformed"
        case .invalidClient: "client_id or client_secret is wrong"
        case .invalidGrant: "the code or refresh token is unknown, used or expired"
        case .invalidScope: "the scope is unknown"
        case .unsupportedGrantType: "the grant_type is not supported"
        case .unsupportedResponseType: "the response_type is not supported"
        case .accessDenied: "the user refused"
        }
    }
}
