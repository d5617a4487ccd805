import Brokerage
import ProviderFile
import ProviderTestSupport
import Sandbox
import Testing
import Upstream

@Suite("A list of a provider in a file with an unusual row")
struct RowTests {
    /// A Friday, 13:30 in New York.
    private static let moment = "2026-11-20T18:30:00Z"

    private static func client(
        _ base: ProviderBaseURL, _ transport: HTTPClient, _ text: String
    ) throws -> MarketDataClients {
        let provider = try provider(text)
        let clock = TimeSource.showing(try #require(Instant(moment)))
        return FileProviderClient(
            provider, base: base, key: try APIKey(FakePolygonSettings.realtimeKey), quotas: [],
            over: ProviderChannel(QuotaAccount(provider.id), over: transport, clock: clock, retry: .once)
        ).market
    }

    private static func polygon(
        _ base: ProviderBaseURL, _ transport: HTTPClient
    ) throws -> MarketDataClients {
        try client(base, transport, repositoryText("docs/examples/polygon.yaml"))
    }

    private static let quotes = """
        version: 1
        providers:
          - name: snapshots
            url: https://api.polygon.io
            key: { header: Authorization, prefix: "Bearer " }
            symbols: [{ kind: LISTING, text: "{ticker}", currency: USD, days: NEW_YORK }]
            quotes:
              path: /v2/snapshot/locale/us/markets/stocks/tickers
              query: { tickers: "{symbols}" }
              symbolsPerCall: 10
              items: tickers
              fields: { symbol: ticker, price: lastTrade.p, volume: day.v }
        """

    private static let lists: [(list: RowList, cases: Int)] = [
        (
            // A symbol that was not requested is ignored, and one without any value is unknown.
            RowList("quotes", at: "tickers", omitting: ["ticker", "lastTrade", ""]) { base, transport in
                let symbols = try ["AAPL", "IBM", "MSFT"].map(symbol)
                let client = try #require(client(base, transport, quotes).quotes)
                let found = try await client.quotes(for: symbols, in: .patient)
                return RowReading(
                    found.found.map { "\($0) \($1.price?.description ?? "")" },
                    found.failures.values.map(\.description))
            }, 449
        ),
        (
            // A ticker that is not one of Portico's is left out.
            RowList("search", at: "results", omitting: ["ticker"]) { base, transport in
                let hits = try await #require(polygon(base, transport).instruments)
                    .search("a", limit: 20, in: .patient)
                return RowReading(
                    hits.map { "\($0.instrument.symbol) \($0.instrument.name ?? "")" }, hits.unreadable)
            }, 116
        ),
        (
            RowList("news", at: "results") { base, transport in
                let page = try await #require(polygon(base, transport).news)
                    .news(about: nil, limit: 10, after: nil, in: .patient)
                return RowReading(page.articles.map { "\($0.id) \($0.headline)" }, page.unreadable)
            }, 116
        ),
        (
            // A time that is not in the requested window is left out.
            RowList("candles", at: "results", omitting: ["t"]) { base, transport in
                let aapl = try symbol("AAPL")
                let window = ChartWindow(interval: .oneDay, last: 10)
                let charts = try await #require(polygon(base, transport).charts)
                    .charts(of: [aapl], window, in: .patient)
                guard let series = charts[aapl] else { return RowReading() }
                return RowReading(
                    (0..<series.count).map { "\(series[$0].time) \(series[$0].prices.close)" },
                    series.unreadable)
            }, 94
        ),
    ]

    @Test(
        "has the other rows with their values, and an error that names the member and no value",
        arguments: lists)
    func rows(list: RowList, cases: Int) async throws {
        try await withSandbox(at: Self.moment) { sandbox, _ in
            let check = try await list.check(against: sandbox.polygon.baseURL)
            #expect(check.violations.isEmpty)
            #expect(check.cases == cases)
        }
    }
}
