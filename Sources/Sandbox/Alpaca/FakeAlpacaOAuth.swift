import Brokerage
import NIOHTTP1

/// Alpaca's token endpoint: `POST /oauth/token` (fact sheet, "Hosts and authentication").
///
/// Tokens live until they are revoked, and there are no refresh tokens.
struct FakeAlpacaOAuth: Sendable {
    let server: AuthorizationServer
    let clock: SandboxClock

    var routes: [SandboxRoute] {
        [
            .post("/oauth/token") { request in
                do {
                    return .json(Self.document(try tokens(request)))
                } catch let error as OAuthError {
                    return Self.errorResponse(error)
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

    /// Alpaca documents no body for this; RFC 6749, section 5.2, does.
    private static func errorResponse(_ error: OAuthError) -> SandboxResponse {
        .json(
            ["error": .string(error.rawValue), "error_description": .string(error.explanation)],
            status: error == .invalidClient ? .unauthorized : .badRequest)
    }
}
