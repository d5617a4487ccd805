import Brokerage
import NIOHTTP1

/// Alpaca's two hosts.
struct FakeAlpaca {
    static let tradingPrefix = "alpaca"
    static let dataPrefix = "alpaca-data"
    /// Stands for `wss://stream.data.alpaca.markets`.
    static let streamPrefix = "alpaca-stream"
    /// Stands for `https://app.alpaca.markets`, where users let applications in.
    static let appPrefix = "alpaca-app"

    let fakeHosts: [FakeHost]
    /// What users have consented to.
    let tokens: AuthorizationServer
    /// What a reset of the sandbox makes forget.
    let limiters: [any Resettable]

    init(_ configuration: SandboxConfiguration, scriptedMarket: ScriptedMarket, decisions: OAuthDecisions) {
        let settings = configuration.alpaca
        tokens = AuthorizationServer(
            applications: settings.applications, lifetimes: OAuthLifetimes(), seed: configuration.seed)
        let door = FakeAlpacaAuthenticator(
            users: configuration.users, settings: settings, tokens: tokens, clock: scriptedMarket.clock)
        func host(requestsPerMinute: Int) -> FakeAlpacaHost {
            FakeAlpacaHost(
                authenticator: door, limiter: MinuteRateLimiter(requestsPerMinute: requestsPerMinute),
                clock: scriptedMarket.clock,
                view: { scriptedMarket.view })
        }
        let trading = host(requestsPerMinute: settings.tradingRequestsPerMinute)
        let data = host(requestsPerMinute: settings.dataRequestsPerMinute)
        let accounts = FakeAlpacaAccounts(seed: configuration.seed, settings)
        limiters = [trading.limiter, data.limiter, tokens, accounts]
        fakeHosts = [
            FakeHost(
                provider: .alpaca, prefix: Self.tradingPrefix,
                routes: FakeAlpacaTrading(host: trading, accounts: accounts, settings: settings).routes
                    + FakeAlpacaOrders(host: trading, accounts: accounts, settings: settings).routes
                    + FakeAlpacaWatchlists(host: trading, accounts: accounts, settings: settings).routes
                    + FakeAlpacaReference(host: trading, settings: settings).routes
                    + FakeAlpacaOAuth(server: tokens, clock: scriptedMarket.clock).routes,
                streams: [
                    FakeAlpacaTradeStream(
                        authenticator: door, settings: settings, scriptedMarket: scriptedMarket,
                        accounts: accounts
                    ).route
                ],
                failures: Self.failures(unknownPath: SandboxResponse(.endpointNotFound), settings)),
            FakeHost(
                provider: .alpaca, prefix: Self.dataPrefix,
                routes: FakeAlpacaMarketData(host: data).routes
                    + FakeAlpacaBars(host: data, settings: settings).routes
                    + FakeAlpacaNews(host: data).routes,
                failures: Self.failures(
                    unknownPath: .json(["message": "Not Found"], status: .notFound), settings)),
            FakeHost(
                provider: .alpaca, prefix: Self.streamPrefix, routes: [],
                streams: [
                    FakeAlpacaDataStream(
                        authenticator: door, settings: settings, scriptedMarket: scriptedMarket,
                        streamLimit: FakeAlpacaStreamLimit()
                    ).route
                ],
                failures: Self.failures(
                    unknownPath: .json(["message": "Not Found"], status: .notFound), settings)),
            FakeHost(
                provider: .alpaca, prefix: Self.appPrefix,
                routes: AuthorizationEndpoint(
                    server: tokens, provider: "Alpaca", users: configuration.users.map(\.name),
                    decisions: decisions, clock: scriptedMarket.clock,
                    scopes: Set(FakeAlpacaScope.allCases.map(\.rawValue))
                ).routes("/oauth/authorize"),
                failures: Self.failures(
                    unknownPath: .json(["message": "Not Found"], status: .notFound), settings)),
        ]
    }

    private static func failures(unknownPath: SandboxResponse, _ settings: FakeAlpacaSettings)
        -> FakeHost.Failures
    {
        FakeHost.Failures(
            unknownPath: unknownPath,
            methodNotAllowed: .json(["message": "Method Not Allowed"], status: .methodNotAllowed),
            expiredToken: SandboxResponse(.unauthorized(message: settings.unauthorizedMessage)),
            status: { .alpaca(status: $0) })
    }
}
