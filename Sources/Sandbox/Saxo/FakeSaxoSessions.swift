import Brokerage
import NIOHTTP1
import PorticoCore

/// The logins: tokens of the authorization server, and configured tokens.
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
            // Token numbers must differ from those of other providers.
            seed: seed ^ 0x5A58_4F42)
        addConfiguredTokens()
    }

    /// Deletes all logins; configured refresh tokens are valid again, until they expire.
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

    /// Returns the session of an access token: that of an application with a user's consent, whose tokens change, or that of a
    /// configured token.
    func session(_ token: String, at now: Instant) -> FakeSaxoTradeLevels.Session {
        server.grant(ofAccess: token, at: now).map { "\($0.clientID) \($0.user)" } ?? token
    }

    /// Returns the user of an access token; nil if it is unknown or expired.
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

/// Saxo's login host: `/authorize` and `/token`.
///
/// The app authenticates by Basic authentication or form fields. A native app uses the verifier of its code
/// challenge instead, also for a refresh, without its id. Every refresh issues a new refresh token and
/// invalidates the previous one.
struct FakeSaxoOAuth: Sendable {
    let sessions: FakeSaxoSessions
    let settings: FakeSaxoSettings
    let clock: SandboxClock
    let users: [String]
    let decisions: OAuthDecisions

    var routes: [SandboxRoute] {
        let page = AuthorizationEndpoint(
            server: sessions.server, provider: "Saxo", users: users, decisions: decisions, clock: clock,
            supportsPKCE: true)
        return page.routes("/authorize") + [
            .post("/token") { request in
                do {
                    return .json(
                        document(try tokens(request)),
                        status: HTTPResponseStatus(statusCode: settings.tokenStatus))
                } catch let error as OAuthError {
                    return error.response
                }
            }
        ]
    }

    private func tokens(_ request: SandboxRequest) throws(OAuthError) -> OAuthTokens {
        guard let form = request.form else { throw .invalidRequest }
        func field(_ name: String) -> String? { form.last { $0.name == name }?.value }
        func required(_ name: String) throws(OAuthError) -> String {
            guard let value = field(name), !value.isEmpty else { throw .invalidRequest }
            return value
        }
        let basic = request.headers.first(name: "Authorization").flatMap(BasicCredentials.init)
        // Invalid credentials are an error, even if the form has valid ones.
        guard basic != nil || request.headers.first(name: "Authorization") == nil else {
            throw .invalidClient
        }
        let id = basic?.name ?? field("client_id")
        let secret = basic?.password ?? field("client_secret")
        let verifier = field("code_verifier")
        switch field("grant_type") {
        case "authorization_code":
            guard let id else { throw .invalidClient }
            return try sessions.server.redeem(
                code: required("code"), redirectURI: required("redirect_uri"), clientID: id,
                clientSecret: secret, verifier: verifier, at: clock.now)
        case "refresh_token":
            return try sessions.server.refresh(
                required("refresh_token"), clientID: id, clientSecret: secret, verifier: verifier,
                at: clock.now)
        case nil: throw .invalidRequest
        case .some: throw .unsupportedGrantType
        }
    }

    private func document(_ tokens: OAuthTokens) -> JSONDocument {
        [
            "access_token": .string(tokens.accessToken),
            "token_type": "Bearer",
            "expires_in": .integer(Int(settings.accessTokenLifetime.components.seconds)),
            "refresh_token": .string(tokens.refreshToken ?? ""),
            "refresh_token_expires_in": .integer(Int(settings.refreshTokenLifetime.components.seconds)),
            "base_uri": nil,
        ]
    }
}

/// The name and password of `Authorization: Basic …` (RFC 7617).
struct BasicCredentials: Hashable {
    let name: String
    let password: String

    /// Nil for another scheme, and unless it is Base64 of UTF-8 text with a colon.
    init?(_ header: String) {
        let padding = UInt8(ascii: "=")
        guard let digits = HTTPHeaders.credentials(header, scheme: "basic")?.utf8,
            let bytes = Base64.standard.decoded(digits.reversed().drop { $0 == padding }.reversed()),
            let text = String(validating: bytes, as: UTF8.self), let colon = text.firstIndex(of: ":")
        else { return nil }
        name = String(text[..<colon])
        password = String(text[text.index(after: colon)...])
    }
}
