import AlphaVantage
import Brokerage
import PorticoCore
import ProviderTestSupport
import Sandbox
import Testing
import Upstream

@Suite("A list of Alpha Vantage with an unusual row")
struct RowTests {
    /// A Friday, 13:30 in New York.
    private static let moment = "2026-11-20T18:30:00Z"

    private static func client(
        _ base: ProviderBaseURL, _ transport: HTTPClient
    ) throws -> AlphaVantageClient {
        let key = try APIKey(FakeAlphaVantageSettings.premiumKey)
        let clock = TimeSource.showing(try #require(Instant(moment)))
        return AlphaVantageClient(
            AlphaVantageConfiguration(
                base: base, key: key, plan: .premium(callsPerMinute: 10_000), windows: []),
            over: ProviderChannel(QuotaAccount(.alphaVantage), over: transport, clock: clock, retry: .once))
    }

    private static func series(_ interval: Interval, _ name: String) -> RowList {
        RowList("candles of \(interval)", at: name) { base, transport in
            let ibm = try symbol("IBM")
            let window = ChartWindow(interval: interval, last: 10)
            let charts = try await client(base, transport).charts(of: [ibm], window, in: .patient)
            guard let series = charts[ibm] else { return RowReading() }
            return RowReading(
                (0..<series.count).map { "\(series[$0].time) \(series[$0].prices.close)" }, series.unreadable)
        }
    }

    private static let lists: [(list: RowList, cases: Int)] = [
        (
            // A symbol that is not one of Portico's is left out.
            RowList("search", at: "bestMatches", omitting: ["1. symbol"]) { base, transport in
                let hits = try await client(base, transport).search("a", limit: 20, in: .patient)
                return RowReading(
                    hits.map { "\($0.instrument.symbol) \($0.instrument.name ?? "")" }, hits.unreadable)
            }, 96
        ),
        (
            // A symbol that was not requested is ignored.
            RowList("bulk quotes", at: "data", omitting: ["symbol"]) { base, transport in
                let symbols = try ["AAPL", "IBM", "MSFT"].map(symbol)
                let quotes = try await client(base, transport).quotes(for: symbols, in: .patient)
                return RowReading(
                    quotes.found.map { "\($0) \($1.price?.description ?? "")" },
                    quotes.failures.values.map(\.description))
            }, 106
        ),
        (
            RowList("dividends", at: "data") { base, transport in
                let aapl = try symbol("AAPL")
                let histories = try await client(base, transport).dividends(of: [aapl], in: .patient)
                guard let history = histories[aapl] else { return RowReading() }
                return RowReading(
                    history.dividends.map { "\($0.exDate) \($0.amount)" }, history.unreadable)
            }, 56
        ),
        (
            RowList("splits", at: "data") { base, transport in
                let nvda = try symbol("NVDA")
                let histories = try await client(base, transport).splits(of: [nvda], in: .patient)
                guard let history = histories[nvda] else { return RowReading() }
                return RowReading(
                    history.splits.map { "\($0.exDate) \($0.newShares):\($0.oldShares)" }, history.unreadable)
            }, 26
        ),
        (series(.oneDay, "Time Series (Daily)"), 56),
        (series(.fiveMinutes, "Time Series (5min)"), 56),
        (series(.oneWeek, "Weekly Time Series"), 56),
    ]

    @Test(
        "has the other rows with their values, and an error that names the member and no value",
        arguments: lists)
    func rows(list: RowList, cases: Int) async throws {
        let clock = ManualClock(try #require(Instant(Self.moment)))
        let sandbox = try await Sandbox.start(SandboxConfiguration(seed: 7, clock: clock.clock))
        let result = await Result.of { try await list.check(against: sandbox.alphaVantage.baseURL) }
        await sandbox.stop()
        let check = try result.get()
        #expect(check.violations.isEmpty)
        #expect(check.cases == cases)
    }
}
