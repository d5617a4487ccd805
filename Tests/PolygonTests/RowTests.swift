import Brokerage
import Polygon
import PorticoCore
import ProviderTestSupport
import Sandbox
import TestSupport
import Testing
import Upstream

@Suite("A list of Polygon with an unusual row")
struct RowTests {
    /// A Friday, 13:30 in New York.
    private static let moment = "2026-11-20T18:30:00Z"

    private static func client(_ base: ProviderBaseURL, _ transport: HTTPClient) throws -> PolygonClient {
        let key = try APIKey(FakePolygonSettings.realtimeKey)
        let clock = TimeSource.showing(try #require(Instant(moment)))
        return PolygonClient(
            PolygonConfiguration(base: base, key: key, windows: []),
            over: ProviderChannel(QuotaAccount(.polygon), over: transport, clock: clock, retry: .once))
    }

    private static let lists: [(list: RowList, cases: Int)] = [
        (
            // A ticker that was not requested is ignored.
            RowList("quotes", at: "tickers", omitting: ["ticker"]) { base, transport in
                let symbols = try ["AAPL", "IBM", "MSFT"].map(symbol)
                let quotes = try await client(base, transport).quotes(for: symbols, in: .patient)
                return RowReading(
                    quotes.found.map { "\($0) \($1.price?.description ?? "")" },
                    quotes.failures.values.map(\.description))
            }, 449
        ),
        (
            // A ticker that is not one of Portico's is left out, like that of an option.
            RowList("search", at: "results", omitting: ["ticker"]) { base, transport in
                let hits = try await client(base, transport).search("a", limit: 20, in: .patient)
                return RowReading(
                    hits.map { "\($0.instrument.symbol) \($0.instrument.name ?? "")" }, hits.unreadable)
            }, 116
        ),
        (
            RowList("dividends", at: "results") { base, transport in
                let aapl = try symbol("AAPL")
                let histories = try await client(base, transport).dividends(of: [aapl], in: .patient)
                guard let history = histories[aapl] else { return RowReading() }
                return RowReading(
                    history.dividends.map { "\($0.exDate) \($0.amount)" }, history.unreadable)
            }, 119
        ),
        (
            RowList("splits", at: "results") { base, transport in
                let nvda = try symbol("NVDA")
                let histories = try await client(base, transport).splits(of: [nvda], in: .patient)
                guard let history = histories[nvda] else { return RowReading() }
                return RowReading(
                    history.splits.map { "\($0.exDate) \($0.newShares):\($0.oldShares)" }, history.unreadable)
            }, 68
        ),
        (
            RowList("news", at: "results") { base, transport in
                let page = try await client(base, transport).news(
                    about: nil, limit: 10, after: nil, in: .patient)
                return RowReading(page.articles.map { "\($0.id) \($0.headline)" }, page.unreadable)
            }, 116
        ),
        (
            // A time that is not in the requested window is left out.
            RowList("aggregates", at: "results", omitting: ["t"]) { base, transport in
                let aapl = try symbol("AAPL")
                let window = ChartWindow(interval: .oneDay, last: 10)
                let charts = try await client(base, transport).charts(of: [aapl], window, in: .patient)
                guard let series = charts[aapl] else { return RowReading() }
                return RowReading(
                    (0..<series.count).map { "\(series[$0].time) \(series[$0].prices.close)" },
                    series.unreadable)
            }, 94
        ),
    ]

    /// The paths in Polygon's document, which has no dividends and splits below `/stocks/v1`.
    private static let documented = [
        "quotes": "/v2/snapshot/locale/us/markets/stocks/tickers", "search": "/v3/reference/tickers",
        "news": "/v2/reference/news",
        "aggregates": "/v2/aggs/ticker/{ticker}/range/{multiplier}/{timespan}/{from}/{to}",
    ]

    @Test(
        "has the other rows with their values, and an error that names the member and no value; only members that the document requires are required, and only its parameters are sent",
        arguments: lists)
    func rows(list: RowList, cases: Int) async throws {
        let clock = ManualClock(try #require(Instant(Self.moment)))
        let sandbox = try await Sandbox.start(SandboxConfiguration(seed: 7, clock: clock.clock))
        let result = await Result.of { try await list.check(against: sandbox.polygon.baseURL) }
        await sandbox.stop()
        let check = try result.get()
        #expect(check.violations.isEmpty)
        #expect(check.cases == cases)
        guard let path = Self.documented[list.description] else { return }
        let specification = try Specification(of: "polygon")
        let operation = try #require(specification.operation("GET", path))
        let rows = try #require(specification.requiredMembers(of: operation, at: list.path[0]))
        #expect(specification.unknownParameters(check.query.sorted(), of: operation).isEmpty)
        // The document requires no member of a snapshot, but one without a ticker is of no share.
        let exceptions: Set = list.description == "quotes" ? ["ticker"] : []
        let required = Set(check.required.map { String($0.prefix { $0 != "." }) })
        #expect(required.subtracting(rows) == exceptions)
    }
}
