import Alpaca
import AlphaVantage
import Brokerage
import Gateway
import Polygon
import Sandbox
import Testing
import Upstream
import Yahoo

// Sources of market data, each a real client of the sandbox at its own moment.

extension TestGateway {
    /// What stands behind the schema: these sources, and no account where none is given.
    func market(
        _ sources: [MarketDataSource], routes: ProviderRoutes = .standard,
        lasting: (any PersistentCache)? = nil,
        connections: [BrokerConnection] = []
    ) -> GatewayServices {
        GatewayServices(
            connections: connections.map { ProviderConnection($0) }, market: sources, routes: routes,
            reads: ReadCaches(clock: clock.calls, persistentCache: lasting),
            userData: userData,
            condition: { provider in
                ProviderHealthReport(health: ProviderMonitor().health(of: provider), rateLimits: [])
            })
    }

    /// All of them.
    func wholeMarket() throws -> GatewayServices {
        market([try alpaca(), try yahoo(), try polygon(), try alphaVantage()])
    }

    /// All of them, with a connection of Alice to Saxo.
    func marketWithSaxo() throws -> GatewayServices {
        market(
            [try alpaca(), try yahoo(), try polygon(), try alphaVantage()],
            connections: [try saxo(of: alice)])
    }

    func alpaca() throws -> MarketDataSource {
        let configuration = try AlpacaConfiguration(
            environment: .sandbox, tradingURL: url(sandbox.alpaca.tradingURL),
            dataURL: url(sandbox.alpaca.dataURL), credential: .token(SandboxUser.demo.alpaca.token))
        return MarketDataSource(
            AlpacaClient(configuration, over: try line(to: .alpaca), plans: .fixed(.unknown)),
            symbolMapping: AlpacaSymbols(),
            provider: .alpaca, environment: .sandbox, for: .everybody)
    }

    /// By a key without limits of the sandbox's; `perMinute` is the client's own.
    func alphaVantage(perMinute: Int? = nil) throws -> MarketDataSource {
        let windows = perMinute.map { QuotaWindow("minute", limit: $0, per: .rolling(seconds: 60)) }
        let configuration = AlphaVantageConfiguration(
            base: try ProviderBaseURL(url(sandbox.alphaVantage.baseURL)),
            key: try APIKey(FakeAlphaVantageSettings.premiumKey), windows: windows.map { [$0] } ?? [])
        let client = AlphaVantageClient(configuration, over: try line(to: .alphaVantage))
        return MarketDataSource(
            client, symbolMapping: client.symbolMapping, provider: .alphaVantage, environment: .sandbox,
            for: .everybody)
    }

    func yahoo() throws -> MarketDataSource {
        let configuration = YahooConfiguration(
            base: try ProviderBaseURL(url(sandbox.yahoo.queryURL)),
            cookiePage: try ProviderBaseURL(url(sandbox.yahoo.cookieURL)), windows: [])
        let client = YahooClient(configuration, over: try line(to: .yahoo))
        return MarketDataSource(
            client, symbolMapping: client.symbolMapping, provider: .yahoo, environment: .sandbox,
            for: .everybody)
    }

    /// By a key without limits of the sandbox's, unless another one is given.
    func polygon(key: String = FakePolygonSettings.realtimeKey) throws -> MarketDataSource {
        let configuration = PolygonConfiguration(
            base: try ProviderBaseURL(url(sandbox.polygon.baseURL)),
            key: try APIKey(key), windows: [])
        let client = PolygonClient(configuration, over: try line(to: .polygon))
        return MarketDataSource(
            client, symbolMapping: client.symbolMapping, provider: .polygon, environment: .sandbox,
            for: .everybody)
    }

    private func url(_ text: String) throws -> HTTPURL {
        try #require(HTTPURL(text))
    }

    private func line(to provider: ProviderID) throws -> ProviderChannel {
        let (system, now) = (TimeSource.system, try #require(Instant(Self.now)))
        return ProviderChannel(
            QuotaAccount(provider), over: transport,
            clock: TimeSource(now: system.now, wallTime: { now }, sleep: system.sleep), retry: .once)
    }

    /// How often a provider was called, by endpoint.
    func calls(of provider: ProviderID) -> [String: Int] {
        Dictionary(uniqueKeysWithValues: sandbox.calls.all(of: provider).map { ($0.name, $0.count) })
    }
}
