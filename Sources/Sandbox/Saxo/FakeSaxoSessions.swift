import Brokerage

/// Who is logged in: the tokens of the authorization server, and those that users are configured with.
struct FakeSaxoSessions: Resettable {
    let server: AuthorizationServer
    private let users: [SandboxUser]
    private let settings: FakeSaxoSettings
    private let started: Instant

    init(_ users: [SandboxUser], _ settings: FakeSaxoSettings, seed: UInt64, now: Instant) {
        self.users = users
        self.settings = settings
        started = now
        server = AuthorizationServer(
            applications: [settings.application, settings.nativeApplication],
            lifetimes: OAuthLifetimes(
                access: settings.accessTokenLifetime, refresh: settings.refreshTokenLifetime),
            reuse: settings.refreshReuse,
            // Another provider's tokens must not be numbered alike.
            seed: seed ^ 0x5A58_4F42)
        addConfiguredTokens()
    }

    /// Forgets all logins; configured refresh tokens are good once more, until they run out.
    func reset() {
        server.reset()
        addConfiguredTokens()
    }

    private func addConfiguredTokens() {
        for user in users {
            guard let token = user.saxo?.credentials.refreshToken else { continue }
            server.add(
                refreshToken: token,
                OAuthGrant(
                    user: user.name, clientID: settings.application.clientID, scope: "", redirectURI: ""),
                until: started + settings.refreshTokenLifetime)
        }
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
}
