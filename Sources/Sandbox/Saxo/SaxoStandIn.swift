import Brokerage
import NIOHTTP1

/// Saxo's hosts: the gateway with the services, the streaming host, and the one that people log in at.
struct SaxoStandIn {
    static let gatewayPrefix = "saxo"
    static let streamingPrefix = "saxo-streaming"
    static let authPrefix = "saxo-auth"

    let standIns: [StandIn]
    let resettables: [any Resettable]
    let streams: SaxoStreamDesk
    /// What users have consented to.
    let tokens: AuthorizationServer
    /// For the control desk.
    let control: [Route]

    init(_ configuration: SandboxConfiguration, stage: Stage, decisions: OAuthDecisionBook) {
        let settings = configuration.saxo
        let sessions = SaxoSessions(
            configuration.users, settings, seed: configuration.seed, now: stage.clock.now)
        let limits = SaxoLimits(settings)
        let desk = SaxoOrderDesk(settings)
        let host = SaxoHost(
            sessions: sessions, settings: settings, limits: limits, clock: stage.clock, desk: desk,
            view: { stage.view })
        let streams = SaxoStreamDesk(settings, sessions)
        let trading = SaxoTrading(host: host)
        let charts = SaxoCharts(host: host)
        let services = [
            SaxoPortfolio(host: host).routes, trading.routes, SaxoPrices(host: host).routes, charts.routes,
            SaxoReference(host: host).routes, SaxoSubscriptions(host: host, streams: streams).routes,
        ]
        let old = [trading.routes(under: "trade/v1"), charts.oldRoutes, SaxoWatchlists(host: host).routes]
        let gateway = services + (settings.servesOldEndpoints ? old : [])
        let streaming = SaxoStreaming(host: host, streams: streams)
        self.streams = streams
        tokens = sessions.server
        control = SaxoControl(streams: streams).routes
        resettables = [sessions, limits, desk, streams]
        standIns = [
            StandIn(
                provider: .saxo, prefix: Self.gatewayPrefix, routes: gateway.flatMap { $0 },
                failures: Self.failures),
            StandIn(
                provider: .saxo, prefix: Self.streamingPrefix, routes: streaming.routes,
                streams: streaming.connections, failures: Self.failures),
            StandIn(
                provider: .saxo, prefix: Self.authPrefix,
                routes: SaxoOAuth(
                    sessions: sessions, settings: settings, clock: stage.clock,
                    users: configuration.users.filter { $0.saxo != nil }.map(\.name), decisions: decisions
                ).routes, failures: Self.failures),
        ]
    }

    private static let failures = StandIn.Failures(
        unknownPath: Response(status: .notFound), methodNotAllowed: Response(status: .methodNotAllowed),
        expiredToken: Response(status: .unauthorized), status: { .saxo(status: $0) })
}

/// Where the stand-in for Saxo is reached.
package struct SaxoURLs: Sendable, Hashable {
    /// Stands for `https://gateway.saxobank.com/sim/openapi`.
    package let gatewayURL: String
    /// Stands for `wss://sim-streaming.saxobank.com/sim/oapi/streaming/ws`: add `/connect`.
    package let streamingURL: String
    /// The same over HTTP: add `/authorize` to renew a stream's token.
    package let streamingAuthorizeURL: String
    /// Stands for `https://sim.logonvalidation.net`: add `/authorize` or `/token`.
    package let authURL: String

    /// The address is that of the sandbox, `127.0.0.1:49152`.
    init(address: String) {
        gatewayURL = "http://\(address)/\(SaxoStandIn.gatewayPrefix)"
        streamingURL = "ws://\(address)/\(SaxoStandIn.streamingPrefix)"
        streamingAuthorizeURL = "http://\(address)/\(SaxoStandIn.streamingPrefix)"
        authURL = "http://\(address)/\(SaxoStandIn.authPrefix)"
    }
}
