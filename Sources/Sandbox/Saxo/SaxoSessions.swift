import Brokerage
import Synchronization

/// Who is logged in: the tokens of the authorization server, and those that users are configured with.
///
/// A lock, because a configured refresh token is good once, whoever else tries.
final class SaxoSessions: Sendable {
    let server: AuthorizationServer
    private let users: [SandboxUser]
    private let settings: SaxoSettings
    private let started: Instant
    /// Configured refresh tokens that have not been used, each with its user.
    private let unused: Mutex<[String: String]>

    init(_ users: [SandboxUser], _ settings: SaxoSettings, seed: UInt64, now: Instant) {
        self.users = users
        self.settings = settings
        started = now
        server = AuthorizationServer(
            applications: [settings.application],
            lifetimes: OAuthLifetimes(
                access: settings.accessTokenLifetime, refresh: settings.refreshTokenLifetime),
            // Another provider's tokens must not be numbered alike.
            seed: seed ^ 0x5A58_4F42)
        let tokens = users.compactMap { user in
            user.saxo.map { ($0.credentials.refreshToken, user.name) }
        }
        unused = Mutex(Dictionary(tokens, uniquingKeysWith: { first, _ in first }))
    }

    /// The user whose access token this is; nil where it is nobody's, or has run out.
    func user(ofAccessToken token: String, at now: Instant) -> SandboxUser? {
        if let user = users.first(where: { $0.saxo?.credentials.accessToken == token }) {
            let end = settings.developerTokenLifetime.map { started + $0 }
            return end.map { now < $0 } ?? true ? user : nil
        }
        return server.grant(ofAccess: token, at: now).flatMap { grant in
            users.first { $0.name == grant.user && $0.saxo != nil }
        }
    }

    /// New tokens for a refresh token, which is used up by it; throws ``OAuthError``.
    func refresh(
        _ token: String, clientID: String, clientSecret: String, at now: Instant
    ) throws(OAuthError) -> OAuthTokens {
        guard settings.application.clientID == clientID, settings.application.clientSecret == clientSecret
        else {
            throw .invalidClient
        }
        guard let user = unused.withLock({ $0.removeValue(forKey: token) }) else {
            return try server.refresh(token, clientID: clientID, clientSecret: clientSecret, at: now)
        }
        guard now < started + settings.refreshTokenLifetime else { throw .invalidGrant }
        let grant = OAuthGrant(user: user, clientID: clientID, scope: "", redirectURI: "")
        return try server.redeem(
            code: server.code(for: grant, at: now), redirectURI: "", clientID: clientID,
            clientSecret: clientSecret, at: now)
    }
}
