import Brokerage
import NIOHTTP1

/// Saxo's hosts: the gateway with the services, the streaming host, and the one that people log in at.
struct FakeSaxo {
    static let gatewayPrefix = "saxo"
    static let streamingPrefix = "saxo-streaming"
    static let authPrefix = "saxo-auth"

    let fakeHosts: [FakeHost]
    let resettables: [any Resettable]
    let streams: FakeSaxoStreams
    /// What users have consented to.
    let tokens: AuthorizationServer
    /// For the control API.
    let control: [SandboxRoute]

    init(_ configuration: SandboxConfiguration, scriptedMarket: ScriptedMarket, decisions: OAuthDecisions) {
        let settings = configuration.saxo
        let sessions = FakeSaxoSessions(
            configuration.users, settings, seed: configuration.seed, now: scriptedMarket.clock.now)
        let limits = FakeSaxoLimits(settings)
        let orderBook = FakeSaxoOrderBook(settings)
        let host = FakeSaxoHost(
            sessions: sessions, settings: settings, limits: limits, clock: scriptedMarket.clock,
            orderBook: orderBook,
            view: { scriptedMarket.view })
        let streams = FakeSaxoStreams(settings, sessions)
        let trading = FakeSaxoTrading(host: host)
        let charts = FakeSaxoCharts(host: host)
        let services = [
            FakeSaxoPortfolio(host: host).routes, trading.routes, FakeSaxoPrices(host: host).routes,
            charts.routes,
            FakeSaxoReference(host: host).routes, FakeSaxoSubscriptions(host: host, streams: streams).routes,
        ]
        let old = [
            trading.routes(under: "trade/v1"), charts.oldRoutes, FakeSaxoWatchlists(host: host).routes,
        ]
        let gateway = services + (settings.servesOldEndpoints ? old : [])
        let streaming = FakeSaxoStreaming(host: host, streams: streams)
        self.streams = streams
        tokens = sessions.server
        control = FakeSaxoControl(streams: streams).routes
        resettables = [sessions, limits, orderBook, streams]
        fakeHosts = [
            FakeHost(
                provider: .saxo, prefix: Self.gatewayPrefix, routes: gateway.flatMap { $0 },
                failures: Self.failures),
            FakeHost(
                provider: .saxo, prefix: Self.streamingPrefix, routes: streaming.routes,
                streams: streaming.connections, failures: Self.failures),
            FakeHost(
                provider: .saxo, prefix: Self.authPrefix,
                routes: FakeSaxoOAuth(
                    sessions: sessions, settings: settings, clock: scriptedMarket.clock,
                    users: configuration.users.filter { $0.saxo != nil }.map(\.name), decisions: decisions
                ).routes, failures: Self.failures),
        ]
    }

    private static let failures = FakeHost.Failures(
        unknownPath: SandboxResponse(status: .notFound),
        methodNotAllowed: SandboxResponse(status: .methodNotAllowed),
        expiredToken: SandboxResponse(status: .unauthorized), status: { .saxo(status: $0) })
}

/// Where the stand-in for Saxo is reached.
package struct FakeSaxoURLs: Sendable, Hashable {
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
        gatewayURL = "http://\(address)/\(FakeSaxo.gatewayPrefix)"
        streamingURL = "ws://\(address)/\(FakeSaxo.streamingPrefix)"
        streamingAuthorizeURL = "http://\(address)/\(FakeSaxo.streamingPrefix)"
        authURL = "http://\(address)/\(FakeSaxo.authPrefix)"
    }
}
