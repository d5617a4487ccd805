import Brokerage
import NIOHTTP1

/// Alpaca's two hosts.
struct AlpacaStandIn {
    static let tradingPrefix = "alpaca"
    static let dataPrefix = "alpaca-data"
    /// Stands for `wss://stream.data.alpaca.markets`.
    static let streamPrefix = "alpaca-stream"
    /// Stands for `https://app.alpaca.markets`, where users let applications in.
    static let appPrefix = "alpaca-app"

    let standIns: [StandIn]
    /// What users have consented to.
    let tokens: AuthorizationServer
    /// What a reset of the sandbox makes forget.
    let limiters: [any Resettable]

    init(_ configuration: SandboxConfiguration, stage: Stage, decisions: OAuthDecisionBook) {
        let settings = configuration.alpaca
        tokens = AuthorizationServer(
            applications: settings.applications, lifetimes: OAuthLifetimes(), seed: configuration.seed)
        let door = AlpacaDoor(
            users: configuration.users, settings: settings, tokens: tokens, clock: stage.clock)
        func host(requestsPerMinute: Int) -> AlpacaHost {
            AlpacaHost(
                door: door, limiter: RateLimiter(requestsPerMinute: requestsPerMinute), clock: stage.clock,
                view: { stage.view })
        }
        let trading = host(requestsPerMinute: settings.tradingRequestsPerMinute)
        let data = host(requestsPerMinute: settings.dataRequestsPerMinute)
        let desk = AlpacaTradingDesk(seed: configuration.seed, settings)
        limiters = [trading.limiter, data.limiter, tokens, desk]
        standIns = [
            StandIn(
                provider: .alpaca, prefix: Self.tradingPrefix,
                routes: AlpacaTrading(host: trading, desk: desk, settings: settings).routes
                    + AlpacaOrders(host: trading, desk: desk, settings: settings).routes
                    + AlpacaWatchlists(host: trading, desk: desk, settings: settings).routes
                    + AlpacaReference(host: trading, settings: settings).routes
                    + AlpacaOAuth(server: tokens, clock: stage.clock).routes,
                streams: [
                    AlpacaTradeStream(door: door, settings: settings, stage: stage, desk: desk).route
                ],
                failures: Self.failures(unknownPath: Response(.endpointNotFound), settings)),
            StandIn(
                provider: .alpaca, prefix: Self.dataPrefix,
                routes: AlpacaMarketData(host: data).routes
                    + AlpacaBars(host: data, settings: settings).routes + AlpacaNews(host: data).routes,
                failures: Self.failures(
                    unknownPath: .json(["message": "Not Found"], status: .notFound), settings)),
            StandIn(
                provider: .alpaca, prefix: Self.streamPrefix, routes: [],
                streams: [
                    AlpacaDataStream(
                        door: door, settings: settings, stage: stage, seats: AlpacaStreamSeats()
                    ).route
                ],
                failures: Self.failures(
                    unknownPath: .json(["message": "Not Found"], status: .notFound), settings)),
            StandIn(
                provider: .alpaca, prefix: Self.appPrefix,
                routes: AuthorizationEndpoint(
                    server: tokens, provider: "Alpaca", users: configuration.users.map(\.name),
                    decisions: decisions, clock: stage.clock,
                    scopes: Set(AlpacaScope.allCases.map(\.rawValue))
                ).routes("/oauth/authorize"),
                failures: Self.failures(
                    unknownPath: .json(["message": "Not Found"], status: .notFound), settings)),
        ]
    }

    private static func failures(unknownPath: Response, _ settings: AlpacaSettings) -> StandIn.Failures {
        StandIn.Failures(
            unknownPath: unknownPath,
            methodNotAllowed: .json(["message": "Method Not Allowed"], status: .methodNotAllowed),
            expiredToken: Response(.unauthorized(message: settings.unauthorizedMessage)),
            status: { .alpaca(status: $0) })
    }
}
