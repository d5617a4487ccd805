package import Brokerage
import PorticoCore
package import Upstream

/// OAuth 2.0 with Alpaca (RFC 6749, section 4.1): a user allows Portico to read, and to trade in, the user's
/// own account.
///
/// The token does not expire and cannot be renewed: after a refusal, the user must connect again.
package struct AlpacaOAuthFlow: Sendable {
    private let application: AlpacaOAuthClient
    private let authorizeURL: HTTPURL
    private let tokenURL: HTTPURL
    private let httpClient: ProviderHTTPClient

    /// Creates the flow of one application.
    ///
    /// - Parameters:
    ///   - application: Portico's registration at Alpaca.
    ///   - authorizeURL: The page to which users are redirected.
    ///   - tokenURL: The endpoint that exchanges codes.
    ///   - channel: The channel of the exchange.
    package init(
        _ application: AlpacaOAuthClient, authorizeURL: HTTPURL, tokenURL: HTTPURL,
        over channel: ProviderChannel
    ) {
        self.application = application
        self.authorizeURL = authorizeURL
        self.tokenURL = tokenURL
        httpClient = channel.client(failure: { response, now in
            switch response.status {
            // The code is used or has expired, or the application is not authenticated (RFC 6749, section
            // 5.2).
            case 400, 401, 403, 422: .unauthorized
            default: ProviderFailure.Cause(alpaca: response, now: now)
            }
        })
    }

    /// The URL to which a user's browser is redirected.
    ///
    /// - Parameters:
    ///   - state: A value that the browser returns, so that an attacker cannot inject a code: it cannot be
    ///     guessed, and
    ///     belongs to one session.
    ///   - scopes: The requested permissions in addition to reading.
    ///   - environment: The account, `live` or `paper`, sent as `env`; nil omits it, and the user chooses.
    ///     Alpaca does not
    ///     document `env`.
    /// - Returns: The URL; nil if it would be longer than a URL may be.
    package func address(
        state: String, scopes: [AlpacaOAuthClient.Scope], environment: Environment? = nil
    ) -> HTTPURL? {
        let scope = scopes.map(\.rawValue).joined(separator: " ")
        return authorizeURL.appending(query: [
            ("response_type", "code"), ("client_id", application.clientID),
            ("redirect_uri", application.redirectURL.text), ("state", state),
            ("scope", scope.isEmpty ? nil : scope), ("env", environment.flatMap(Self.queryValue(for:))),
        ])
    }

    private static func queryValue(for environment: Environment) -> String? {
        switch environment {
        case .live: "live"
        case .paper: "paper"
        case .sandbox: nil
        }
    }

    /// Exchanges the code for a token: `POST /oauth/token`, sent once, because a code is valid once.
    ///
    /// - Throws: `unauthorized` if Alpaca rejects the code or the application.
    package func grant(for code: String, in context: CallContext) async throws(ProviderFailure)
        -> AlpacaTokenResponse
    {
        var headers = HTTPClientHeaders()
        headers.add("Accept", "application/json")
        headers.add("Content-Type", "application/x-www-form-urlencoded")
        let form = [
            ("grant_type", "authorization_code"), ("code", code), ("client_id", application.clientID),
            ("client_secret", application.clientSecret), ("redirect_uri", application.redirectURL.text),
        ]
        let body = form.map { "\($0.0)=\(PercentEncoding.encode($0.1))" }.joined(separator: "&")
        let request = HTTPClientRequest(
            .post, tokenURL, headers: headers, body: Array(body.utf8), deadline: context.deadline)
        return try await httpClient.call("token", request, in: context) { response throws(JSONError) in
            try AlpacaTokenResponse(json: response.body)
        }
    }
}

/// The token and the scopes that a user has granted.
package struct AlpacaTokenResponse: Sendable, Hashable, JSONDecodable {
    package let credential: AlpacaCredential
    /// Reading is implied; scopes that Portico has no name for are left out.
    package let scopes: [AlpacaOAuthClient.Scope]

    package init(json reader: inout JSONReader) throws(JSONError) {
        var (token, scope) = (String?.none, String?.none)
        var isBearer: Bool?
        try reader.object { key, reader throws(JSONError) in
            switch key {
            case "access_token": token = try reader.string()
            case "token_type": isBearer = try reader.string().lowercased() == "bearer"
            case "scope": scope = try reader.stringOrNil()
            default: try reader.skip()
            }
        }
        // A token of an unknown type must not be used (RFC 6749, section 7.1).
        _ = try reader.required(isBearer == true ? true : nil, "token_type of bearer")
        let text = try reader.required(token, "access_token")
        let credential = try? AlpacaCredential.token(text)
        self.credential = try reader.required(credential, "access_token that can be sent")
        scopes = (scope ?? "").split(separator: " ").compactMap {
            AlpacaOAuthClient.Scope(rawValue: String($0))
        }
    }
}

/// Portico, as it is registered with Alpaca for OAuth.
///
/// It never prints its secret.
package struct AlpacaOAuthClient: Sendable, Hashable {
    package let clientID: String
    let clientSecret: String
    /// The redirect URI; it must be registered with Alpaca.
    package let redirectURL: HTTPURL

    /// A registered application.
    package init(clientID: String, clientSecret: String, redirectURL: HTTPURL) {
        self.clientID = clientID
        self.clientSecret = clientSecret
        self.redirectURL = redirectURL
    }

    /// A permission besides reading, which is always granted; the raw value is Alpaca's name.
    package enum Scope: String, Sendable, CaseIterable {
        /// Configuration and watchlists.
        case account = "account:write"
        case trading
        case data
    }
}

extension AlpacaOAuthClient: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    package var description: String { "Alpaca application \(clientID)" }

    package var debugDescription: String { description }

    package var customMirror: Mirror { Mirror(self, children: ["application": description]) }
}
