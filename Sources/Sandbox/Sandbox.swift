package import Brokerage

/// Stand-ins for the providers, on one port, over one market.
///
/// Each provider is spoken to as the real one is, at a base URL of its own. Calls are counted, and things go
/// wrong where ``faults`` and ``script`` say so; both can be reached over HTTP too, from this machine only,
/// under `/_sandbox` (see ``ControlDesk``). Pages of other sites are refused (see ``SitePolicy``).
package struct Sandbox: Sendable {
    /// The address that it listens on, `127.0.0.1:49152`.
    package let address: String
    package let alpaca: AlpacaURLs
    package let alphaVantage: AlphaVantageURLs
    package let yahoo: YahooURLs
    package let polygon: PolygonURLs
    package let saxo: SaxoURLs
    /// What Saxo's streams are made to say.
    package let saxoStreams: SaxoStreamDesk
    package let market: Market
    /// What can be called.
    package let endpoints: EndpointCatalogue
    /// What goes wrong.
    package let faults: FaultBook
    /// What users do when an application asks for access, at every provider.
    package let oauth: OAuthDecisionBook
    /// The WebSockets that are open.
    package let streams: OpenStreams
    private let counter: CallCounter
    private let stage: Stage
    private let desk: ControlDesk
    private let switchboard: Switchboard
    private let server: Server
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
        let stage = Stage(market, clock: configuration.clock)
        let (counter, faults) = (CallCounter(), FaultBook(seed: configuration.seed))
        let (decisions, streams) = (OAuthDecisionBook(), OpenStreams())
        let alpaca = AlpacaStandIn(
            configuration, stage: stage.seen(by: .alpaca), decisions: decisions)
        let alphaVantage = AlphaVantageStandIn(configuration, stage: stage.seen(by: .alphaVantage))
        let yahoo = YahooStandIn(configuration, stage: stage.seen(by: .yahoo))
        let polygon = PolygonStandIn(configuration, stage: stage.seen(by: .polygon))
        let saxo = SaxoStandIn(configuration, stage: stage.seen(by: .saxo), decisions: decisions)
        let limiters =
            alpaca.limiters + [alphaVantage.budget, yahoo.budget, polygon.budget] + saxo.resettables
        let standIns =
            alpaca.standIns + [alphaVantage.standIn, polygon.standIn] + yahoo.standIns + saxo.standIns
        endpoints = EndpointCatalogue(standIns)
        let desk = ControlDesk(
            endpoints: endpoints, users: configuration.users.map(\.name), counter: counter, faults: faults,
            stage: stage, limiters: limiters, decisions: decisions,
            consents: [alpaca.tokens, saxo.tokens], streams: streams)
        switchboard = Switchboard(
            site: SitePolicy(listeningOn: configuration.host), standIns: standIns,
            control: desk.routes + saxo.control, calls: counter, faults: faults, streams: streams)
        server = try await Server(
            host: configuration.host, port: configuration.port, logger: configuration.logger,
            open: switchboard.open, answer: switchboard.answer)
        address = server.address.authority
        let base = "http://\(address)"
        self.alpaca = AlpacaURLs(
            tradingURL: "\(base)/\(AlpacaStandIn.tradingPrefix)",
            dataURL: "\(base)/\(AlpacaStandIn.dataPrefix)",
            authorizeURL: "\(base)/\(AlpacaStandIn.appPrefix)/oauth/authorize",
            tokenURL: "\(base)/\(AlpacaStandIn.tradingPrefix)/oauth/token",
            dataStreamURL: "ws://\(address)/\(AlpacaStandIn.streamPrefix)",
            tradeStreamURL: "ws://\(address)/\(AlpacaStandIn.tradingPrefix)/stream")
        self.alphaVantage = AlphaVantageURLs(under: base)
        self.yahoo = YahooURLs(under: base)
        self.polygon = PolygonURLs(under: base)
        self.saxo = SaxoURLs(address: address)
        saxoStreams = saxo.streams
        self.market = market
        grace = configuration.grace
        self.faults = faults
        oauth = decisions
        self.streams = streams
        self.counter = counter
        self.stage = stage
        self.desk = desk
    }

    /// How often each endpoint was called since the start or the last ``reset()``.
    package var calls: Calls { counter.calls }

    /// The answer to a request, as the server gives it; for tests that need no socket.
    package func answer(_ request: Request) async -> Response {
        await switchboard.answer(request)
    }

    /// What the market is made to look like, at every provider that has no script of its own.
    package var script: MarketScript {
        get { stage.script }
        nonmutating set { stage.set(newValue) }
    }

    /// Makes the market look otherwise at one provider, until ``script`` is set or ``reset()``.
    package func setScript(_ script: MarketScript, of provider: Provider) {
        stage.seen(by: provider).set(script)
    }

    /// Withdraws all that a user has consented to, at every provider.
    package func revoke(user: String) {
        desk.revoke(user: user)
    }

    /// Forgets calls, faults, script and what has been used of rate limits.
    package func reset() {
        desk.reset()
    }

    /// Takes no more connections, lets answers in the making be finished for the configuration's grace, and
    /// closes.
    package func stop() async {
        await server.stop(within: grace)
    }
}
