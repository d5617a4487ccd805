package import Brokerage
import PorticoCore
package import Upstream

/// OAuth 2.0 with Alpaca (RFC 6749, section 4.1): a user lets Portico see, and trade, the user's own account.
///
/// The token that comes of it has no end and cannot be renewed: once refused, the user must connect again.
package struct AlpacaOAuthFlow: Sendable {
    private let application: AlpacaOAuthClient
    private let authorizeURL: HTTPURL
    private let tokenURL: HTTPURL
    private let httpClient: ProviderHTTPClient

    /// Authorization by one application.
    ///
    /// - Parameters:
    ///   - application: Portico as Alpaca knows it.
    ///   - authorizeURL: The page that users are sent to.
    ///   - tokenURL: Where codes are exchanged.
    ///   - line: What the exchange goes over.
    package init(
        _ application: AlpacaOAuthClient, authorizeURL: HTTPURL, tokenURL: HTTPURL, over line: ProviderChannel
    ) {
        self.application = application
        self.authorizeURL = authorizeURL
        self.tokenURL = tokenURL
        httpClient = line.client(failure: { response, now in
            switch response.status {
            // The code is used up or too old, or the application is not who it says: RFC 6749, section 5.2.
            case 400, 401, 403, 422: .unauthorized
            default: ProviderFailure.Cause(alpaca: response, now: now)
            }
        })
    }

    /// Alpaca's own page; nil for the sandbox, which stands elsewhere each time.
    package static func authorizeURL(of environment: Environment) -> HTTPURL? {
        switch environment {
        case .live, .paper: HTTPURL("https://app.alpaca.markets/oauth/authorize")
        case .sandbox: nil
        }
    }

    /// Alpaca's own exchange, the same for live and paper; nil for the sandbox.
    package static func tokenURL(of environment: Environment) -> HTTPURL? {
        switch environment {
        case .live, .paper: HTTPURL("https://api.alpaca.markets/oauth/token")
        case .sandbox: nil
        }
    }

    /// The address to send a user's browser to.
    ///
    /// - Parameters:
    ///   - state: What the browser brings back, so that nobody can slip in a code of their own: it cannot be guessed, and
    ///     belongs to one session.
    ///   - scopes: What the user is asked to allow besides reading.
    ///   - environment: The account that is meant, `live` or `paper`, sent as `env`; nil leaves it out, and the choice to
    ///     the user. That Alpaca knows `env` is not documented.
    /// - Returns: nil where it would be longer than an address may be.
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

    /// Makes a token of the code that the browser brought back: `POST /oauth/token`, sent once, as a code is good for once.
    ///
    /// - Throws: `unauthorized` where Alpaca does not take the code, or does not know the application.
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
            try JSONReader.read(response.body) { reader throws(JSONError) in
                try AlpacaTokenResponse(json: &reader)
            }
        }
    }
}

/// What a user has allowed.
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
        // RFC 6749, section 7.1: a token of a kind that one does not know must not be used.
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
    /// Where Alpaca sends the browser back to; it must be registered with Alpaca.
    package let redirectURL: HTTPURL

    /// A registered application.
    package init(clientID: String, clientSecret: String, redirectURL: HTTPURL) {
        self.clientID = clientID
        self.clientSecret = clientSecret
        self.redirectURL = redirectURL
    }

    /// What a user may allow besides reading, which is always implied; the raw value is Alpaca's name.
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
