import Brokerage
import NIOHTTP1
import Synchronization

/// Authenticates requests by bearer token or key pair, as Alpaca's edge does.
struct FakeAlpacaAuthenticator: Sendable {
    let users: [SandboxUser]
    let settings: FakeAlpacaSettings
    let tokens: AuthorizationServer
    let clock: SandboxClock

    /// An authenticated user, and the permissions of the credential.
    struct AuthenticatedUser: Sendable {
        let user: SandboxUser
        /// The scopes of an OAuth token; nil for keys, which have all permissions.
        var scopes: Set<String>?

        /// Returns true if the credential has the scope; reading needs no scope.
        func isAllowed(_ scope: FakeAlpacaScope) -> Bool {
            scopes?.contains(scope.rawValue) ?? true
        }
    }

    /// Returns the user of the credentials in the headers; throws ``FakeAlpacaError`` if they are missing or
    /// wrong.
    func authenticate(_ headers: HTTPHeaders) throws(FakeAlpacaError) -> AuthenticatedUser {
        if headers.contains(name: "Authorization") {
            guard let token = headers.bearerToken, let authenticated = authenticate(token: token) else {
                throw .unauthorized(message: settings.unauthorizedMessage)
            }
            return authenticated
        }
        guard let keyID = headers.first(name: "APCA-API-KEY-ID"),
            let secret = headers.first(name: "APCA-API-SECRET-KEY")
        else { throw .forbidden }
        guard let user = user(keyID: keyID, secret: secret) else {
            throw .unauthorized(message: settings.unauthorizedMessage)
        }
        guard user.alpaca.environment == settings.environment else { throw .forbidden }
        return AuthenticatedUser(user: user)
    }

    /// Returns the user of an OAuth token; nil for an unknown token.
    func authenticate(token: String) -> AuthenticatedUser? {
        if let user = users.first(where: { $0.alpaca.token == token }) {
            return AuthenticatedUser(user: user)
        }
        guard let grant = tokens.grant(ofAccess: token, at: clock.now) else { return nil }
        return users.first { $0.name == grant.user }.map {
            AuthenticatedUser(user: $0, scopes: Set(grant.scope.split(separator: " ").map(String.init)))
        }
    }

    /// Returns the user of a key pair, in either environment.
    func user(keyID: String, secret: String) -> SandboxUser? {
        users.first { $0.alpaca.keyID == keyID && $0.alpaca.secretKey == secret }
    }
}

/// The permissions of an OAuth token in addition to reading.
enum FakeAlpacaScope: String, Sendable, CaseIterable {
    /// The account's configuration, and watchlists.
    case account = "account:write"
    case trading
    case data
}

/// The number of requests of each credential in the current minute of the clock.
///
/// It uses a lock: tasks call it concurrently, and each `consume` must be atomic.
final class MinuteRateLimiter: Resettable {
    private let limit: @Sendable (_ user: String) -> Int
    private let windows = Mutex<[String: Window]>([:])

    private struct Window {
        var minute: Int
        var used: Int
    }

    /// The values of the rate limit headers of a response.
    struct Usage: Sendable, Hashable {
        let limit: Int
        let remaining: Int
        /// The end of the window, in seconds since 1970.
        let reset: Int
        let isExceeded: Bool
    }

    /// - Parameter limit: The requests per minute of a user.
    init(requestsPerMinute limit: @escaping @Sendable (_ user: String) -> Int) {
        self.limit = limit
    }

    /// Counts one request of a user.
    ///
    /// The users are those of the configuration, so the number of windows is bounded.
    func consume(for user: String, at second: Int) -> Usage {
        let limit = self.limit(user)
        return windows.withLock { windows in
            let minute = second / 60
            var window = windows[user] ?? Window(minute: minute, used: 0)
            if window.minute != minute { window = Window(minute: minute, used: 0) }
            let isExceeded = window.used >= limit
            if !isExceeded { window.used += 1 }
            windows[user] = window
            return Usage(
                limit: limit, remaining: limit - window.used, reset: (minute + 1) * 60, isExceeded: isExceeded
            )
        }
    }

    func reset() {
        windows.withLock { $0 = [:] }
    }
}

/// Alpaca's token endpoint: `POST /oauth/token`.
///
/// Tokens are valid until they are revoked, and there are no refresh tokens.
struct FakeAlpacaOAuth: Sendable {
    let server: AuthorizationServer
    let clock: SandboxClock

    var routes: [SandboxRoute] {
        [
            .post("/oauth/token") { request in
                do {
                    return .json(Self.document(try tokens(request)))
                } catch let error as OAuthError {
                    return error.response
                }
            }
        ]
    }

    private func tokens(_ request: SandboxRequest) throws(OAuthError) -> OAuthTokens {
        let type = request.headers.first(name: "Content-Type")?.split(separator: ";").first
        guard type == "application/x-www-form-urlencoded", let form = request.form else {
            throw .invalidRequest
        }
        func value(_ name: String) throws(OAuthError) -> String {
            let values = form.filter { $0.name == name }
            guard values.count == 1, !values[0].value.isEmpty else { throw .invalidRequest }
            return values[0].value
        }
        guard try value("grant_type") == "authorization_code" else { throw .unsupportedGrantType }
        return try server.redeem(
            code: value("code"), redirectURI: value("redirect_uri"), clientID: value("client_id"),
            clientSecret: value("client_secret"), at: clock.now)
    }

    private static func document(_ tokens: OAuthTokens) -> JSONDocument {
        [
            "access_token": .string(tokens.accessToken), "token_type": "bearer",
            "scope": .string(tokens.grant.scope),
        ]
    }
}
