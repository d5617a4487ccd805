package import Brokerage

/// Stand-ins for the providers, on one port, over one market.
///
/// Each provider is spoken to as the real one is, at a base URL of its own. Calls are counted, and things go
/// wrong where ``faults`` and ``script`` say so; both can be reached over HTTP too, from this machine only,
/// under `/_sandbox` (see ``ControlAPI``). Pages of other sites are refused (see ``SitePolicy``).
package struct Sandbox: Sendable {
    /// The address that it listens on, `127.0.0.1:49152`.
    package let address: String
    package let alpaca: AlpacaURLs
    package let alphaVantage: FakeAlphaVantageURLs
    package let yahoo: FakeYahooURLs
    package let polygon: FakePolygonURLs
    package let saxo: FakeSaxoURLs
    /// What Saxo's streams are made to say.
    package let saxoStreams: FakeSaxoStreams
    package let market: Market
    /// What can be called.
    package let endpoints: EndpointCatalog
    /// What goes wrong.
    package let faults: FaultRegistry
    /// What users do when an application asks for access, at every provider.
    package let oauth: OAuthDecisions
    /// The WebSockets that are open.
    package let streams: OpenStreams
    private let counter: CallCounter
    private let scriptedMarket: ScriptedMarket
    private let controlAPI: ControlAPI
    private let switchboard: SandboxDispatcher
    private let server: SandboxServer
    private let grace: Duration

    /// Where the stand-in for Alpaca is reached.
    package struct AlpacaURLs: Sendable, Hashable {
        /// Stands for `https://paper-api.alpaca.markets`.
        package let tradingURL: String
        /// Stands for `https://data.alpaca.markets`.
        package let dataURL: String
        /// Stands for `https://app.alpaca.markets/oauth/authorize`.
        package let authorizeURL: String
        /// Stands for `https://api.alpaca.markets/oauth/token`.
        package let tokenURL: String
        /// Stands for `wss://stream.data.alpaca.markets`; the path of a stream is `/v2/iex`.
        package let dataStreamURL: String
        /// Stands for `wss://paper-api.alpaca.markets/stream`.
        package let tradeStreamURL: String
    }

    /// Starts to listen; throws what the system says when the address is not to be had.
    package static func start(_ configuration: SandboxConfiguration = SandboxConfiguration()) async throws
        -> Sandbox
    {
        try await Sandbox(configuration)
    }

    private init(_ configuration: SandboxConfiguration) async throws {
        let market = Market(seed: configuration.seed)
        let stage = ScriptedMarket(market, clock: configuration.clock)
        let (counter, faults) = (CallCounter(), FaultRegistry(seed: configuration.seed))
        let (decisions, streams) = (OAuthDecisions(), OpenStreams())
        let alpaca = FakeAlpaca(
            configuration, scriptedMarket: stage.seen(by: .alpaca), decisions: decisions)
        let alphaVantage = FakeAlphaVantage(configuration, scriptedMarket: stage.seen(by: .alphaVantage))
        let yahoo = FakeYahoo(configuration, scriptedMarket: stage.seen(by: .yahoo))
        let polygon = FakePolygon(configuration, scriptedMarket: stage.seen(by: .polygon))
        let saxo = FakeSaxo(configuration, scriptedMarket: stage.seen(by: .saxo), decisions: decisions)
        let limiters =
            alpaca.limiters + [alphaVantage.budget, yahoo.budget, polygon.budget] + saxo.resettables
        let standIns =
            alpaca.fakeHosts + [alphaVantage.fakeHost, polygon.fakeHost] + yahoo.fakeHosts + saxo.fakeHosts
        endpoints = EndpointCatalog(standIns)
        let controlAPI = ControlAPI(
            endpoints: endpoints, users: configuration.users.map(\.name), counter: counter, faults: faults,
            scriptedMarket: stage, limiters: limiters, decisions: decisions,
            consents: [alpaca.tokens, saxo.tokens], streams: streams)
        switchboard = SandboxDispatcher(
            site: SitePolicy(listeningOn: configuration.host), fakeHosts: standIns,
            control: controlAPI.routes + saxo.control, calls: counter, faults: faults, streams: streams)
        server = try await SandboxServer(
            host: configuration.host, port: configuration.port, logger: configuration.logger,
            open: switchboard.open, respond: switchboard.respond)
        address = server.address.authority
        let base = "http://\(address)"
        self.alpaca = AlpacaURLs(
            tradingURL: "\(base)/\(FakeAlpaca.tradingPrefix)",
            dataURL: "\(base)/\(FakeAlpaca.dataPrefix)",
            authorizeURL: "\(base)/\(FakeAlpaca.appPrefix)/oauth/authorize",
            tokenURL: "\(base)/\(FakeAlpaca.tradingPrefix)/oauth/token",
            dataStreamURL: "ws://\(address)/\(FakeAlpaca.streamPrefix)",
            tradeStreamURL: "ws://\(address)/\(FakeAlpaca.tradingPrefix)/stream")
        self.alphaVantage = FakeAlphaVantageURLs(under: base)
        self.yahoo = FakeYahooURLs(under: base)
        self.polygon = FakePolygonURLs(under: base)
        self.saxo = FakeSaxoURLs(address: address)
        saxoStreams = saxo.streams
        self.market = market
        grace = configuration.grace
        self.faults = faults
        oauth = decisions
        self.streams = streams
        self.counter = counter
        self.scriptedMarket = stage
        self.controlAPI = controlAPI
    }

    /// How often each endpoint was called since the start or the last ``reset()``.
    package var calls: Calls { counter.calls }

    /// The answer to a request, as the server gives it; for tests that need no socket.
    package func respond(to request: SandboxRequest) async -> SandboxResponse {
        await switchboard.respond(to: request)
    }

    /// What the market is made to look like, at every provider that has no script of its own.
    package var script: MarketScript {
        get { scriptedMarket.script }
        nonmutating set { scriptedMarket.set(newValue) }
    }

    /// Makes the market look otherwise at one provider, until ``script`` is set or ``reset()``.
    package func setScript(_ script: MarketScript, of provider: ProviderID) {
        scriptedMarket.seen(by: provider).set(script)
    }

    /// Withdraws all that a user has consented to, at every provider.
    package func revoke(user: String) {
        controlAPI.revoke(user: user)
    }

    /// Forgets calls, faults, script and what has been used of rate limits.
    package func reset() {
        controlAPI.reset()
    }

    /// Takes no more connections, lets answers in the making be finished for the configuration's grace, and
    /// closes.
    package func stop() async {
        await server.stop(within: grace)
    }
}
