import Brokerage
import NIOHTTP1

/// Alpaca's two hosts.
struct AlpacaStandIn {
    static let tradingPrefix = "alpaca"
    static let dataPrefix = "alpaca-data"

    let standIns: [StandIn]
    let limiters: [RateLimiter]

    init(_ configuration: SandboxConfiguration, stage: Stage) {
        let settings = configuration.alpaca
        let door = AlpacaDoor(users: configuration.users, settings: settings)
        func host(requestsPerMinute: Int) -> AlpacaHost {
            AlpacaHost(
                door: door, limiter: RateLimiter(requestsPerMinute: requestsPerMinute), clock: stage.clock,
                view: { stage.view })
        }
        let trading = host(requestsPerMinute: settings.tradingRequestsPerMinute)
        let data = host(requestsPerMinute: settings.dataRequestsPerMinute)
        limiters = [trading.limiter, data.limiter]
        standIns = [
            StandIn(
                provider: .alpaca, prefix: Self.tradingPrefix,
                routes: AlpacaTrading(host: trading, settings: settings).routes,
                failures: Self.failures(unknownPath: Response(.endpointNotFound), settings)),
            StandIn(
                provider: .alpaca, prefix: Self.dataPrefix, routes: AlpacaMarketData(host: data).routes,
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
