import Alpaca
import AlphaVantage
import Brokerage
import Polygon
import Sandbox
import Testing
import Upstream
import Yahoo

@testable import Gateway

// Sources of market data, each a real client of the sandbox at its own moment.

extension TestGateway {
    /// What stands behind the schema: these sources, and no account where none is given.
    func market(
        _ sources: [MarketSource], routes: Routes = .standard, lasting: (any LastingCache)? = nil,
        connections: [BrokerConnection] = []
    ) -> Backends {
        Backends(
            connections: connections.map { Connection($0) }, market: sources, routes: routes,
            reads: KeptReads(clock: clock.calls, lasting: lasting),
            household: household,
            condition: { provider in
                ProviderCondition(health: ProviderMonitor().health(of: provider), rateLimits: [])
            })
    }

    /// All of them.
    func wholeMarket() throws -> Backends {
        market([try alpaca(), try yahoo(), try polygon(), try alphaVantage()])
    }

    func alpaca() throws -> MarketSource {
        let configuration = try AlpacaConfiguration(
            environment: .sandbox, tradingURL: url(sandbox.alpaca.tradingURL),
            dataURL: url(sandbox.alpaca.dataURL), credential: .token(SandboxUser.demo.alpaca.token))
        return MarketSource(
            AlpacaClient(configuration, over: try line(to: .alpaca)), spelling: AlpacaDialect(),
            provider: .alpaca, environment: .sandbox, for: .everybody)
    }

    /// By a key without limits of the sandbox's; `perMinute` is the client's own.
    func alphaVantage(perMinute: Int? = nil) throws -> MarketSource {
        let windows = perMinute.map { QuotaWindow("minute", limit: $0, per: .rolling(seconds: 60)) }
        let configuration = AlphaVantageConfiguration(
            base: try ProviderBase(url(sandbox.alphaVantage.baseURL)),
            key: try APIKey(AlphaVantageSettings.premiumKey), windows: windows.map { [$0] } ?? [])
        let client = AlphaVantageClient(configuration, over: try line(to: .alphaVantage))
        return MarketSource(
            client, spelling: client.dialect, provider: .alphaVantage, environment: .sandbox, for: .everybody)
    }

    func yahoo() throws -> MarketSource {
        let configuration = YahooConfiguration(
            base: try ProviderBase(url(sandbox.yahoo.queryURL)),
            cookiePage: try ProviderBase(url(sandbox.yahoo.cookieURL)), windows: [])
        let client = YahooClient(configuration, over: try line(to: .yahoo))
        return MarketSource(
            client, spelling: client.dialect, provider: .yahoo, environment: .sandbox, for: .everybody)
    }

    func polygon() throws -> MarketSource {
        let configuration = PolygonConfiguration(
            base: try ProviderBase(url(sandbox.polygon.baseURL)),
            key: try APIKey(PolygonSettings.realtimeKey), windows: [])
        let client = PolygonClient(configuration, over: try line(to: .polygon))
        return MarketSource(
            client, spelling: client.dialect, provider: .polygon, environment: .sandbox, for: .everybody)
    }

    private func url(_ text: String) throws -> HTTPURL {
        try #require(HTTPURL(text))
    }

    private func line(to provider: Provider) throws -> ProviderLine {
        let (system, now) = (CallClock.system, try #require(Instant(Self.now)))
        return ProviderLine(
            QuotaHolder(provider), over: transport,
            clock: CallClock(now: system.now, wallTime: { now }, sleep: system.sleep), retry: .once)
    }

    /// How often a provider was called, by endpoint.
    func calls(of provider: Provider) -> [String: Int] {
        Dictionary(uniqueKeysWithValues: sandbox.calls.all(of: provider).map { ($0.name, $0.count) })
    }
}
