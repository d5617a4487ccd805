package import Brokerage
package import IssuerSupport
package import Sandbox

/// The providers behind a server under hostile traffic: a broker for its users, and two services with a low quota.
extension Sandbox {
    /// Returns the settings of a server that uses this sandbox, with default limits.
    ///
    /// It counts clients by `X-Forwarded-For`, because the attackers and the users are all on this machine.
    ///
    /// - Parameter issuer: The identity provider, whose tokens it accepts.
    /// - Returns: The environment of the server.
    package func hostileSoakEnvironment(_ issuer: TestIssuer) -> [String: String] {
        [
            "PORTICO_ALPACA_BASE_URL": alpaca.tradingURL, "PORTICO_ALPACA_DATA_URL": alpaca.dataURL,
            // Settings use https for wss, and http for ws.
            "PORTICO_ALPACA_DATA_STREAM_URL": alpaca.dataStreamURL.replacing("ws://", with: "http://"),
            "PORTICO_ALPACA_KEY_ID": SandboxUser.demo.alpaca.keyID,
            "PORTICO_ALPACA_SECRET_KEY": SandboxUser.demo.alpaca.secretKey,
            "PORTICO_ALPHA_VANTAGE_KEY": "demo", "PORTICO_ALPHA_VANTAGE_BASE_URL": alphaVantage.baseURL,
            "PORTICO_POLYGON_KEY": "demo", "PORTICO_POLYGON_BASE_URL": polygon.baseURL,
            "PORTICO_SIGN_UP": "open", "PORTICO_TRUSTED_PROXIES": "1", "PORTICO_MCP": "true",
            "PORTICO_OIDC_ISSUER": issuer.url, "PORTICO_OIDC_CLIENT_ID": TestIssuer.clientID,
            "PORTICO_OIDC_CLIENT_SECRET": TestIssuer.clientSecret, "PORTICO_OIDC_BEARER": "true",
            "PORTICO_OIDC_CREATE_USERS": "true",
        ]
    }
}

extension TestIssuer {
    /// Tokens that look like those of this issuer.
    package var inventedTokens: InventedTokens {
        InventedTokens(issuer: url, audience: Self.clientID, keyID: key.id)
    }
}

extension SandboxUser {
    /// Creates users with an account like the demo user's, each with a separate key at Alpaca.
    ///
    /// Alpaca limits the calls per minute of each key.
    ///
    /// - Parameters:
    ///   - count: The number of users.
    ///   - name: The name of the users; a number follows.
    /// - Returns: The users.
    package static func copiesOfDemo(_ count: Int, named name: String) -> [SandboxUser] {
        (0..<count).map { number in
            SandboxUser(
                name: "\(name)-\(number)", ledger: demo.ledger,
                alpaca: AlpacaCredentials(
                    keyID: "PKSANDBOX\(name.uppercased())\(number)", secretKey: "sandbox-\(name)-secret",
                    token: "sandbox-\(name)-\(number)"))
        }
    }

    /// The mutation that connects a user of Portico with this user's account at Alpaca.
    package var connectingMutation: String {
        """
        mutation { connectProvider(input: { provider: "alpaca", credential: { apiKey: {
          key: "\(alpaca.keyID)", secret: "\(alpaca.secretKey)" } } }) { connection { id } } }
        """
    }
}

extension HostileRun {
    /// Returns the maximum number of calls of clients without a session to providers with a low quota.
    ///
    /// It is half of the 25 calls a day and of the 5 calls a minute of their free plans, rounded up.
    package static func lowQuotas(minutes: Int) -> [ProviderID: Int] {
        [.alphaVantage: 13, .polygon: 3 * (minutes + 1)]
    }
}
