import Alpaca
import AlphaVantage
import Brokerage
import Polygon
import ProviderFile
import Sandbox
import Upstream
import Yahoo

/// How fast the providers' payloads become values.
///
/// A call of the client less a bare call for the same bytes: what is left is decoding and mapping, and what an answer costs
/// on its way through retry, quota and circuit breaker.
struct Decoding {
    /// One payload: bare requests for it, and the client's call that asks for the same.
    struct Payload {
        let name: String
        let requests: [HTTPClientRequest]
        let decode: () async throws -> Void
        /// The same call of the client of a provider file; nil if it is not compared.
        let decodeByFile: (() async throws -> Void)?

        init(name: String, request: HTTPClientRequest, decode: @escaping () async throws -> Void) {
            self.init(name: name, requests: [request], decode: decode)
        }

        init(
            name: String, requests: [HTTPClientRequest], decode: @escaping () async throws -> Void,
            decodeByFile: (() async throws -> Void)? = nil
        ) {
            self.name = name
            self.requests = requests
            self.decode = decode
            self.decodeByFile = decodeByFile
        }
    }

    /// The least decoding speed of a provider file, as a part of that of the compiled provider.
    static let aimOfFiles = 0.5

    let sandbox: SandboxProcess
    private let transport: HTTPClient
    private let clock = LeapingClock()

    init(_ sandbox: SandboxProcess, over transport: HTTPClient) {
        self.sandbox = sandbox
        self.transport = transport
    }

    private var call: CallContext {
        clock.leap()
        return CallContext(deadline: clock.calls.now() + .seconds(60))
    }

    func line(_ provider: ProviderID, _ clock: LeapingClock) -> ProviderChannel {
        ProviderChannel(QuotaAccount(provider), over: transport, clock: clock.calls)
    }

    private func line(_ provider: ProviderID) -> ProviderChannel { line(provider, clock) }

    func request(_ path: String, token: String? = nil) throws -> HTTPClientRequest {
        var headers = HTTPClientHeaders()
        if let token { headers.add("Authorization", "Bearer \(token)") }
        return HTTPClientRequest(
            .get, try sandbox.url(path), headers: headers, deadline: .now + .seconds(3_600))
    }

    func bytes(of payload: Payload) async throws -> Int {
        var bytes = 0
        for request in payload.requests {
            let response = try await transport.send(request)
            guard response.status == 200 else {
                throw BenchmarkError(
                    "\(payload.name): \(response.status) \(String(decoding: response.body, as: UTF8.self))")
            }
            bytes += response.body.count
        }
        return bytes
    }

    func payloads() async throws -> [Payload] {
        try await alpaca() + saxo() + alphaVantage() + polygon() + yahoo()
    }

    private func alpaca() throws -> [Payload] {
        let token = SandboxUser.demo.alpaca.token
        let client = try AlpacaClient(
            AlpacaConfiguration(
                environment: .sandbox, tradingURL: sandbox.url("alpaca"), dataURL: sandbox.url("alpaca-data"),
                credential: .token(token)), over: line(.alpaca))
        let symbols = ["AAPL", "KO", "MSFT", "NVDA", "SPY", "TSLA", "V", "WMT"].compactMap { Symbol($0) }
        let window = ChartWindow(interval: .oneMinute, last: 10_000)
        return [
            Payload(
                name: "Alpaca positions", request: try request("alpaca/v2/positions", token: token),
                decode: { _ = try await client.positions(in: call) }),
            Payload(
                name: "Alpaca snapshots",
                request: try request(
                    "alpaca-data/v2/stocks/snapshots?symbols=\(symbols.map(\.text).joined(separator: ","))",
                    token: token),
                decode: { _ = try await client.quotes(for: symbols, in: call) }),
            Payload(
                name: "Alpaca bars",
                request: try request(
                    "alpaca-data/v2/stocks/bars?symbols=AAPL&timeframe=1Min&start=2026-10-01T00:00:00Z"
                        + "&limit=10000&adjustment=split&sort=desc", token: token),
                decode: { _ = try await client.charts(of: Array(symbols.prefix(1)), window, in: call) }),
        ]
    }

    private func alphaVantage() throws -> [Payload] {
        let key = FakeAlphaVantageSettings.demoKey
        let client = AlphaVantageClient(
            AlphaVantageConfiguration(
                base: try ProviderBaseURL(sandbox.url("alpha-vantage")), key: try APIKey(key), windows: []),
            over: line(.alphaVantage))
        guard let symbol = Symbol("AAPL") else { return [] }
        return [
            Payload(
                name: "Alpha Vantage daily",
                request: try request(
                    "alpha-vantage/query?function=TIME_SERIES_DAILY&symbol=AAPL&outputsize=compact&apikey=\(key)"
                ),
                decode: {
                    _ = try await client.charts(of: [symbol], ChartWindow(interval: .oneDay), in: call)
                })
        ]
    }

    /// Each is read by the compiled client, and by the provider file of the documentation.
    private func polygon() throws -> [Payload] {
        let key = try APIKey(FakePolygonSettings.demoKey)
        let base = try ProviderBaseURL(sandbox.url("polygon"))
        let client = PolygonClient(
            PolygonConfiguration(base: base, key: key, windows: []), over: line(.polygon))
        guard let symbol = Symbol("AAPL"), let from = Instant("2025-01-01T05:00:00Z"),
            let description = try ProviderFile(path: Self.providerFile).providers.first
        else { return [] }
        let file = FileProviderClient(
            description, base: base, key: key, quotas: [], over: line(description.id)
        ).market
        guard let charts = file.charts, let instruments = file.instruments, let news = file.news else {
            throw BenchmarkError("\(Self.providerFile) has no charts, instruments or news")
        }
        let window = ChartWindow(interval: .oneDay, from: from)
        func payload(
            _ name: String, _ path: String, _ decode: @escaping () async throws -> Void,
            byFile: @escaping () async throws -> Void
        ) throws -> Payload {
            let request = try request("polygon/" + path, token: FakePolygonSettings.demoKey)
            return Payload(name: name, requests: [request], decode: decode, decodeByFile: byFile)
        }
        return [
            try payload(
                "Polygon aggregates",
                "v2/aggs/ticker/AAPL/range/1/day/2025-01-01/2026-11-20?limit=50000&sort=desc",
                { _ = try await client.charts(of: [symbol], window, in: call) },
                byFile: { _ = try await charts.charts(of: [symbol], window, in: call) }),
            try payload(
                "Polygon search", "v3/reference/tickers?search=a&active=true&limit=1000",
                { _ = try await client.search("a", limit: 1_000, in: call) },
                byFile: { _ = try await instruments.search("a", limit: 1_000, in: call) }),
            try payload(
                "Polygon news", "v2/reference/news?order=desc&sort=published_utc&limit=1000",
                { _ = try await client.news(about: nil, limit: 1_000, after: nil, in: call) },
                byFile: { _ = try await news.news(about: nil, limit: 1_000, after: nil, in: call) }),
        ]
    }

    private static let providerFile =
        (#filePath.firstRange(of: "/Tests/Benchmarks/").map { String(#filePath[..<$0.lowerBound]) } ?? ".")
        + "/docs/examples/polygon.yaml"

    private func yahoo() throws -> [Payload] {
        let client = YahooClient(
            try YahooConfiguration(
                base: ProviderBaseURL(sandbox.url("yahoo")),
                cookiePage: ProviderBaseURL(sandbox.url("yahoo-cookie")), windows: []),
            over: line(.yahoo))
        guard let symbol = Symbol("AAPL"), let from = Instant("2017-01-01T05:00:00Z") else { return [] }
        return [
            Payload(
                name: "Yahoo chart",
                request: try request(
                    "yahoo/v8/finance/chart/AAPL?interval=1d&period1=1483246800&period2=1795190400"),
                decode: {
                    _ = try await client.charts(
                        of: [symbol], ChartWindow(interval: .oneDay, from: from), in: call)
                })
        ]
    }
}
