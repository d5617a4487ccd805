package import Logging
package import PorticoApp
package import Sandbox
import ServiceLifecycle

/// The sandbox in the process of a server or of the command `sandbox`.
package struct SandboxService: EmbeddedSandbox {
    private let sandbox: Sandbox

    package init(_ sandbox: Sandbox) {
        self.sandbox = sandbox
    }

    package static func start(
        _ options: SandboxOptions, logger: Logger
    ) async throws -> any EmbeddedSandbox {
        SandboxService(try await Sandbox.start(SandboxConfiguration(options, logger: logger)))
    }

    /// Stops the simulated providers at a graceful shutdown.
    package func run() async throws {
        try await gracefulShutdown()
        await sandbox.stop()
    }

    package var address: String { "http://\(sandbox.address)" }

    package var environment: [String: String] {
        Dictionary(uniqueKeysWithValues: variables.map { ($0.name, $0.value) })
    }

    /// The variables of `environment`, by provider.
    var variables: [(name: String, value: String)] {
        let (user, application) = (SandboxUser.demo, OAuthApplication.sandbox)
        return [
            ("PORTICO_REDIRECT_URIS", "http://localhost:3000/connected"),
            ("PORTICO_ALPACA_BASE_URL", sandbox.alpaca.tradingURL),
            ("PORTICO_ALPACA_DATA_URL", sandbox.alpaca.dataURL),
            // The setting's scheme is http for ws.
            (
                "PORTICO_ALPACA_DATA_STREAM_URL",
                sandbox.alpaca.dataStreamURL.replacing("ws://", with: "http://")
            ),
            // A key pair, because the data stream accepts no token.
            ("PORTICO_ALPACA_KEY_ID", user.alpaca.keyID),
            ("PORTICO_ALPACA_SECRET_KEY", user.alpaca.secretKey),
            ("PORTICO_ALPACA_CLIENT_ID", application.clientID),
            ("PORTICO_ALPACA_CLIENT_SECRET", application.clientSecret ?? ""),
            ("PORTICO_ALPACA_AUTHORIZE_URL", sandbox.alpaca.authorizeURL),
            ("PORTICO_ALPACA_TOKEN_URL", sandbox.alpaca.tokenURL),
            ("PORTICO_SAXO_BASE_URL", sandbox.saxo.gatewayURL),
            ("PORTICO_SAXO_STREAMING_URL", sandbox.saxo.streamingAuthorizeURL),
            ("PORTICO_SAXO_TOKEN", user.saxo?.credentials.accessToken ?? ""),
            // The application without a secret, so that the code challenge is used too.
            ("PORTICO_SAXO_APP_KEY", FakeSaxoSettings().nativeApplication.clientID),
            ("PORTICO_SAXO_LOGIN_URL", sandbox.saxo.authURL),
            ("PORTICO_ALPHA_VANTAGE_BASE_URL", sandbox.alphaVantage.baseURL),
            ("PORTICO_ALPHA_VANTAGE_KEY", FakeAlphaVantageSettings.demoKey),
            ("PORTICO_POLYGON_BASE_URL", sandbox.polygon.baseURL),
            ("PORTICO_POLYGON_KEY", FakePolygonSettings.demoKey),
            ("PORTICO_YAHOO", "true"),
            ("PORTICO_YAHOO_BASE_URL", sandbox.yahoo.queryURL),
            ("PORTICO_YAHOO_COOKIE_URL", sandbox.yahoo.cookieURL),
        ]
    }
}

// Logs name the service, and would show all its members otherwise.
extension SandboxService: CustomStringConvertible {
    package var description: String { "Sandbox on \(sandbox.address)" }
}

extension SandboxConfiguration {
    /// The configuration of the embedded sandbox.
    fileprivate init(_ options: SandboxOptions, logger: Logger) {
        self.init(logger: logger)
        hours = MarketHours(options.hours)
        guard let time = options.time else { return }
        clock = .fixed(time)
        // A minute of a stopped clock never ends, so a limit would be reached once and for all.
        let unlimited = 1_000_000
        alpaca.tradingRequestsPerMinute = unlimited
        alpaca.dataRequestsPerMinute = unlimited
        saxo.requestsPerMinute = unlimited
        saxo.ordersPerSecond = nil
        alphaVantage.requestsPerDay = nil
        alphaVantage.burstInterval = nil
        polygon.requestsPerMinute = unlimited
        yahoo.requestsPerMinute = nil
    }
}

extension MarketHours {
    /// The market's form of a setting.
    init(_ hours: SandboxOptions.Hours) {
        switch hours {
        case .always: self = .always
        case .exchange: self = .exchange
        }
    }
}
