package import Brokerage

/// The fake providers, on one port, with one market.
///
/// Each provider has the API of the real one, at its own base URL. Calls are counted, and ``faults`` and
/// ``script`` change the responses. Both are also available over HTTP, from this machine only, under
/// `/_sandbox` (see ``ControlAPI``). Pages of other sites are rejected (see ``CrossOriginProtection``).
package struct Sandbox: Sendable {
    /// The address that it listens on, `127.0.0.1:49152`.
    package let address: String
    package let alpaca: AlpacaURLs
    package let alphaVantage: FakeAlphaVantageURLs
    package let yahoo: FakeYahooURLs
    package let polygon: FakePolygonURLs
    package let saxo: FakeSaxoURLs
    /// The data streams of Alpaca's users, and their record.
    package let alpacaDataStreams: FakeAlpacaStreamLimit
    /// The control of Saxo's streams.
    package let saxoStreams: FakeSaxoStreams
    package let market: Market
    /// All endpoints of the fake providers.
    package let endpoints: EndpointCatalog
    /// The fault script.
    package let faults: FaultScript
    /// The scripted decision of users when an application requests access, at every provider.
    package let oauth: OAuthDecisions
    /// The open WebSockets.
    package let streams: OpenStreams
    private let counter: CallCounter
    private let scriptedMarket: ScriptedMarket
    private let controlAPI: ControlAPI
    private let dispatcher: SandboxDispatcher
    private let server: SandboxServer
    private let grace: Duration

    /// The URLs of the fake Alpaca.
    package struct AlpacaURLs: Sendable, Hashable {
        /// Replaces `https://paper-api.alpaca.markets`.
        package let tradingURL: String
        /// Replaces `https://data.alpaca.markets`.
        package let dataURL: String
        /// Replaces `https://app.alpaca.markets/oauth/authorize`.
        package let authorizeURL: String
        /// Replaces `https://api.alpaca.markets/oauth/token`.
        package let tokenURL: String
        /// Replaces `wss://stream.data.alpaca.markets`; the path of a stream is `/v2/iex`.
        package let dataStreamURL: String
        /// Replaces `wss://paper-api.alpaca.markets/stream`.
        package let tradeStreamURL: String
    }

    /// Starts to listen; throws the system's error if the address is not available.
    package static func start(_ configuration: SandboxConfiguration = SandboxConfiguration()) async throws
        -> Sandbox
    {
        try await Sandbox(configuration)
    }

    private init(_ configuration: SandboxConfiguration) async throws {
        let market = Market(seed: configuration.seed, hours: configuration.hours)
        let sharedMarket = ScriptedMarket(market, clock: configuration.clock)
        let (counter, faults) = (CallCounter(), FaultScript(seed: configuration.seed))
        let (decisions, streams) = (OAuthDecisions(), OpenStreams())
        let alpaca = FakeAlpaca(
            configuration, scriptedMarket: sharedMarket.scripted(for: .alpaca), decisions: decisions)
        let alphaVantage = FakeAlphaVantage(
            configuration, scriptedMarket: sharedMarket.scripted(for: .alphaVantage))
        let yahoo = FakeYahoo(configuration, scriptedMarket: sharedMarket.scripted(for: .yahoo))
        let polygon = FakePolygon(configuration, scriptedMarket: sharedMarket.scripted(for: .polygon))
        let saxo = FakeSaxo(
            configuration, scriptedMarket: sharedMarket.scripted(for: .saxo), decisions: decisions)
        let limiters =
            alpaca.limiters + [alphaVantage.quota, yahoo.quota, polygon.quota] + saxo.resettables
        let fakeHosts =
            alpaca.fakeHosts + [alphaVantage.fakeHost, polygon.fakeHost] + yahoo.fakeHosts + saxo.fakeHosts
        endpoints = EndpointCatalog(fakeHosts)
        let controlAPI = ControlAPI(
            endpoints: endpoints, users: configuration.users.map(\.name), counter: counter, faults: faults,
            scriptedMarket: sharedMarket, limiters: limiters, decisions: decisions,
            consents: [alpaca.tokens, saxo.tokens], streams: streams)
        dispatcher = SandboxDispatcher(
            site: CrossOriginProtection(listeningOn: configuration.host), fakeHosts: fakeHosts,
            control: controlAPI.routes + saxo.control, calls: counter, faults: faults, streams: streams)
        server = try await SandboxServer(
            host: configuration.host, port: configuration.port, logger: configuration.logger,
            open: dispatcher.open, respond: dispatcher.respond)
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
        alpacaDataStreams = alpaca.dataStreams
        saxoStreams = saxo.streams
        self.market = market
        grace = configuration.grace
        self.faults = faults
        oauth = decisions
        self.streams = streams
        self.counter = counter
        self.scriptedMarket = sharedMarket
        self.controlAPI = controlAPI
    }

    /// The number of calls of each endpoint since the start or the last ``reset()``.
    package var calls: Calls { counter.calls }

    /// The times at which the latest calls of a provider arrived, in order: at least the latest 5,000.
    package func callTimes(of provider: ProviderID) -> [ContinuousClock.Instant] {
        counter.times(of: provider)
    }

    /// Returns the response to a request, as the server does; for tests without a socket.
    package func respond(to request: SandboxRequest) async -> SandboxResponse {
        await dispatcher.respond(to: request)
    }

    /// The market script of every provider without a script of its own.
    package var script: MarketScript {
        get { scriptedMarket.script }
        nonmutating set { scriptedMarket.set(newValue) }
    }

    /// Sets the market script of one provider, until ``script`` is set or ``reset()``.
    package func setScript(_ script: MarketScript, of provider: ProviderID) {
        scriptedMarket.scripted(for: provider).set(script)
    }

    /// Revokes all consents of a user, at every provider.
    package func revoke(user: String) {
        controlAPI.revoke(user: user)
    }

    /// Ends all access tokens of a user, at every provider, as at their expiry; refresh tokens remain valid.
    package func expireAccessTokens(of user: String) {
        controlAPI.expireAccessTokens(of: user)
    }

    /// Resets calls, faults, script and rate limits.
    package func reset() {
        controlAPI.reset()
    }

    /// Accepts no more connections, waits for running responses up to the configuration's grace time, and
    /// closes.
    package func stop() async {
        await server.stop(within: grace)
    }
}
