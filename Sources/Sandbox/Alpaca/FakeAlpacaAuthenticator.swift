import Brokerage
import NIOHTTP1

/// Who asks, as Alpaca's edge finds out: by bearer token or by a pair of keys.
struct FakeAlpacaAuthenticator: Sendable {
    let users: [SandboxUser]
    let settings: FakeAlpacaSettings
    let tokens: AuthorizationServer
    let clock: SandboxClock

    /// A user, and what their credential may do.
    struct AuthenticatedRequest: Sendable {
        let user: SandboxUser
        /// The scopes of an OAuth token; nil for keys, which may do everything.
        var scopes: Set<String>?

        /// Reading needs no scope.
        func may(_ scope: FakeAlpacaScope) -> Bool {
            scopes?.contains(scope.rawValue) ?? true
        }
    }

    /// The user whom the headers prove; throws ``FakeAlpacaError`` for anyone else.
    func authenticate(_ headers: HTTPHeaders) throws(FakeAlpacaError) -> AuthenticatedRequest {
        if let authorization = headers.first(name: "Authorization") {
            let words = authorization.split(separator: " ")
            guard words.count == 2, words[0].lowercased() == "bearer",
                let visitor = authenticate(token: String(words[1]))
            else { throw .unauthorized(message: settings.unauthorizedMessage) }
            return visitor
        }
        guard let keyID = headers.first(name: "APCA-API-KEY-ID"),
            let secret = headers.first(name: "APCA-API-SECRET-KEY")
        else { throw .forbidden }
        guard let user = user(keyID: keyID, secret: secret) else {
            throw .unauthorized(message: settings.unauthorizedMessage)
        }
        guard user.alpaca.environment == settings.environment else { throw .forbidden }
        return AuthenticatedRequest(user: user)
    }

    /// Whom an OAuth token is for; nil for a token that nobody has.
    func authenticate(token: String) -> AuthenticatedRequest? {
        if let user = users.first(where: { $0.alpaca.token == token }) {
            return AuthenticatedRequest(user: user)
        }
        guard let grant = tokens.grant(ofAccess: token, at: clock.now) else { return nil }
        return users.first { $0.name == grant.user }.map {
            AuthenticatedRequest(user: $0, scopes: Set(grant.scope.split(separator: " ").map(String.init)))
        }
    }

    /// Whose keys these are, of whatever environment.
    func user(keyID: String, secret: String) -> SandboxUser? {
        users.first { $0.alpaca.keyID == keyID && $0.alpaca.secretKey == secret }
    }
}

/// What an OAuth token may do beyond reading.
enum FakeAlpacaScope: String, Sendable, CaseIterable {
    /// The account's configuration, and watchlists.
    case account = "account:write"
    case trading
    case data
}
