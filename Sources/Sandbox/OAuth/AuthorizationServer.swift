import Brokerage
import NIOHTTP1
import Synchronization

/// The codes and tokens of one provider (RFC 6749, sections 4.1 and 6).
///
/// A code is valid once, for its application and redirect address, until it expires. A refresh token is
/// valid once too: its use issues another. All state is in memory, bounded, and deleted by ``reset()``.
///
/// It uses a lock: requests arrive concurrently, and each must take its code or token in one step.
final class AuthorizationServer: Resettable {
    let applications: [OAuthApplication]
    let lifetimes: OAuthLifetimes
    private let reuse: RefreshReuse
    private let random: SeededRandom
    private let state = Mutex(State())

    /// The maximum number of codes, access tokens and refresh tokens, each; the oldest are removed first.
    static let maximumCount = 4_096

    private struct State {
        var issued = 0
        var codes = TokenStore()
        var access = TokenStore()
        var refresh = TokenStore()
        /// Used refresh tokens.
        var used = TokenStore()
    }

    /// Creates the server; token numbers start from `seed` and are predictable, like all data of the
    /// sandbox.
    init(
        applications: [OAuthApplication], lifetimes: OAuthLifetimes, reuse: RefreshReuse = .rejectsToken,
        seed: UInt64
    ) {
        self.applications = applications
        self.lifetimes = lifetimes
        self.reuse = reuse
        random = SeededRandom(seed: seed).branch("oauth")
    }

    /// Returns the application of an id; nil for an unknown one.
    func application(_ clientID: String) -> OAuthApplication? {
        applications.first { $0.clientID == clientID }
    }

    /// Issues the code for the redirect to the application.
    func code(for grant: OAuthGrant, at now: Instant) -> String {
        state.withLock { state in
            let code = next(&state)
            state.codes.add(code, grant, until: now + lifetimes.code)
            return code
        }
    }

    /// Makes a configured refresh token valid for one use.
    func add(refreshToken: String, _ grant: OAuthGrant, until end: Instant) {
        state.withLock { state in
            state.issued += 1
            var grant = grant
            grant.session = state.issued
            state.refresh.add(refreshToken, grant, until: end)
        }
    }

    /// Exchanges a code for tokens; throws ``OAuthError``.
    ///
    /// The verifier must match the code's challenge; both must be present, or neither.
    func redeem(
        code: String, redirectURI: String, clientID: String, clientSecret: String?, verifier: String? = nil,
        at now: Instant
    ) throws(OAuthError) -> OAuthTokens {
        try authenticate(clientID, clientSecret)
        return try unwrapped(
            state.withLock { state in
                guard var grant = state.codes.consume(code, at: now), grant.clientID == clientID,
                    grant.redirectURI == redirectURI, grant.isVerified(by: verifier)
                else { return nil }
                state.issued += 1
                grant.session = state.issued
                return issue(grant, at: now, &state)
            })
    }

    /// Exchanges a refresh token for new tokens; throws ``OAuthError``.
    ///
    /// The refresh token is invalid afterwards. A native application may omit its id, and is then
    /// authenticated by the verifier of its code.
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
            return application(grant.clientID)?.clientSecret == nil && grant.isVerified(by: verifier)
        }
        return grant.clientID == clientID && (verifier == nil || grant.isVerified(by: verifier))
    }

    /// Returns the grant of an access token; nil if it is unknown, revoked or expired.
    func grant(ofAccess token: String, at now: Instant) -> OAuthGrant? {
        state.withLock { $0.access.find(token, at: now) }
    }

    /// Revokes all tokens of a user, as if the consent was withdrawn.
    func revoke(user: String) {
        state.withLock { state in
            state.codes.remove { $0.user == user }
            state.access.remove { $0.user == user }
            state.refresh.remove { $0.user == user }
        }
    }

    /// Ends all access tokens of a user; refresh tokens remain valid.
    func expireAccessTokens(of user: String) {
        state.withLock { $0.access.remove { $0.user == user } }
    }

    func reset() {
        // Token numbers continue: a token from before the reset must not become valid for another grant.
        state.withLock { $0 = State(issued: $0.issued) }
    }

    /// An application with a secret must send it, one without must not.
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
    /// Returns true if a verifier matches the challenge; without a challenge there must be no verifier.
    fileprivate func isVerified(by verifier: String?) -> Bool {
        guard let challenge else { return verifier == nil }
        return verifier.map(challenge.isMet) ?? false
    }
}

/// Codes or tokens of one kind, each for a grant until it expires.
struct TokenStore {
    private var entries: [String: (grant: OAuthGrant, end: Instant)] = [:]
    /// Oldest first; consumed entries stay until they are the oldest.
    private var order: [String] = []

    mutating func add(_ token: String, _ grant: OAuthGrant, until end: Instant) {
        if order.count >= AuthorizationServer.maximumCount {
            for oldest in order.prefix(order.count / 2) { entries[oldest] = nil }
            order.removeFirst(order.count / 2)
        }
        entries[token] = (grant, end)
        order.append(token)
    }

    /// Returns nil if it is unknown or expired.
    func find(_ token: String, at now: Instant) -> OAuthGrant? {
        entries[token].flatMap { now < $0.end ? $0.grant : nil }
    }

    /// Returns the grant and removes it.
    mutating func consume(_ token: String, at now: Instant) -> OAuthGrant? {
        let grant = find(token, at: now)
        entries[token] = nil
        return grant
    }

    mutating func remove(where isIncluded: (OAuthGrant) -> Bool) {
        entries = entries.filter { !isIncluded($0.value.grant) }
        order.removeAll { entries[$0] == nil }
    }
}

/// A user's permission for an application.
struct OAuthGrant: Sendable, Hashable {
    /// The ``SandboxUser/name``.
    let user: String
    let clientID: String
    /// As in the authorization request; empty for none.
    let scope: String
    /// The address that the code was sent to; the token request must have the same.
    let redirectURI: String
    /// The challenge of the request; nil if it had none.
    var challenge: CodeChallenge?
    /// Distinguishes repeated grants: all tokens from one code have the same session.
    var session = 0
}

/// The effect of a repeated use of a refresh token.
package enum RefreshReuse: Sendable, Hashable, CaseIterable {
    /// The token is rejected, without other effects.
    case rejectsToken
    /// All tokens of the session become invalid, because one of the two users of the token has stolen it
    /// (RFC 9700, section 4.14.2).
    case endsSession
}

/// The tokens that an application receives for a code or a refresh token.
struct OAuthTokens: Sendable, Hashable {
    let accessToken: String
    /// Nil if the provider has none.
    let refreshToken: String?
    let grant: OAuthGrant
}

/// The lifetimes of codes and tokens.
struct OAuthLifetimes: Sendable, Hashable {
    /// RFC 6749 recommends ten minutes at most.
    var code: Duration = .seconds(600)
    /// Nil for no expiry.
    var access: Duration?
    /// Nil if the provider has no refresh tokens.
    var refresh: Duration?
}

/// The errors of an authorization server (RFC 6749, sections 4.1.2.1 and 5.2).
package enum OAuthError: String, Error, Sendable, Hashable, CaseIterable {
    case invalidRequest = "invalid_request"
    case invalidClient = "invalid_client"
    /// A code or refresh token that is unknown, used, expired, or issued to another application.
    case invalidGrant = "invalid_grant"
    case invalidScope = "invalid_scope"
    case unsupportedGrantType = "unsupported_grant_type"
    case unsupportedResponseType = "unsupported_response_type"
    case accessDenied = "access_denied"

    /// A readable description; the providers' own texts differ.
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

    /// The error response of a token endpoint (RFC 6749, section 5.2); Alpaca and Saxo document no body.
    var response: SandboxResponse {
        .json(
            ["error": .string(rawValue), "error_description": .string(explanation)],
            status: self == .invalidClient ? .unauthorized : .badRequest)
    }
}
