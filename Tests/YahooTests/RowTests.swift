import Brokerage
import ProviderTestSupport
import Sandbox
import Synchronization
import TestSupport
import Testing
import Upstream
import Yahoo

@Suite("A list of Yahoo with an unusual row")
struct RowTests {
    @Test("of quotes has the other rows with their values, and an error that names the member and no value")
    func quotes() async throws {
        let row = try #require(JSONValue(parsing: example("quote"))["quoteResponse"]?["result"]?[0])
        func other(_ name: String) -> String {
            #"{"symbol":"\#(name)","quoteType":"EQUITY","currency":"USD","regularMarketPrice":12.5}"#
        }
        let names = ["IBM", "AAPL", "KO"]
        let variants = RowVariant.all(of: row)
        #expect(variants.count == 348)
        let bodies = variants.map {
            #"{"quoteResponse":{"result":[\#(other("IBM")),\#($0.text),\#(other("KO"))],"error":null}}"#
        }
        let calls = Atomic(0)
        let answers = Answers(others: { _ in .text(bodies[calls.add(1, ordering: .relaxed).oldValue]) })
        try await withYahoo(answers) { client, _ in
            for variant in variants {
                let name = "\(variant.member) \(variant.change)"
                let quotes = try await client.quotes(for: names.map(symbol), in: .patient)
                for other in ["IBM", "KO"] {
                    #expect(try quotes[symbol(other)]?.price == Decimal("12.5"), "\(name)")
                }
                let failure = try quotes.failures[symbol("AAPL")]?.description ?? ""
                #expect(
                    !failure.contains("private value") && !failure.contains("UNHEARD_OF"),
                    "\(name): \(failure)")
            }
        }
    }

    private static func client(_ base: ProviderBaseURL, _ transport: HTTPClient) throws -> YahooClient {
        let clock = TimeSource.showing(try #require(Instant(midday)))
        return YahooClient(
            YahooConfiguration(base: base, cookiePage: base, windows: []),
            over: ProviderChannel(QuotaAccount(.yahoo), over: transport, clock: clock, retry: .once))
    }

    private static let lists: [(list: RowList, cases: Int)] = [
        (
            // A hit without a symbol is a private company, which is not traded; a symbol that is not one of Portico's is left
            // out.
            RowList("search", at: "quotes", omitting: ["symbol", ""]) { base, transport in
                let hits = try await client(base, transport).search("a", limit: 20, in: .patient)
                return RowReading(
                    hits.map { "\($0.instrument.symbol) \($0.instrument.name ?? "")" }, hits.unreadable)
            }, 127
        ),
        (
            RowList("dividends", at: "chart", "result", "0", "events", "dividends") { base, transport in
                let aapl = try symbol("AAPL")
                let histories = try await client(base, transport).dividends(of: [aapl], in: .patient)
                guard let history = histories[aapl] else { return RowReading() }
                return RowReading(
                    history.dividends.map { "\($0.exDate) \($0.amount)" }, history.unreadable)
            }, 28
        ),
        (
            RowList("splits", at: "chart", "result", "0", "events", "splits") { base, transport in
                let nvda = try symbol("NVDA")
                let histories = try await client(base, transport).splits(of: [nvda], in: .patient)
                guard let history = histories[nvda] else { return RowReading() }
                return RowReading(
                    history.splits.map { "\($0.exDate) \($0.newShares):\($0.oldShares)" }, history.unreadable)
            }, 49
        ),
    ]

    @Test(
        "has the other rows with their values, and an error that names the member and no value",
        arguments: lists)
    func rows(list: RowList, cases: Int) async throws {
        try await withSandbox({ $0.searchFindsPrivateCompanies = false }) { fixture in
            let check = try await list.check(against: fixture.sandbox.yahoo.queryURL)
            #expect(check.violations.isEmpty)
            #expect(check.cases == cases)
        }
    }

    @Test(
        "of bars has the other bars, and an error that names the column",
        arguments: ["timestamp", "open", "high", "low", "close", "volume"])
    func bars(column: String) async throws {
        let columns = [
            "timestamp": "1795098600,1795185000,1795271400", "open": "1,2,3", "high": "2,3,4",
            "low": "1,2,3", "close": "1.5,2.5,3.5", "volume": "10,20,30",
        ]
        let unusual = [
            "true", "[1]", #"{"a":1}"#, "\"UNHEARD_OF\"", "1e120", "\"\(RowVariant.longText)\"",
        ]
        for value in unusual {
            var texts = columns
            let parts = (columns[column] ?? "").split(separator: ",")
            texts[column] = "\(parts[0]),\(value),\(parts[2])"
            let quote = ["open", "high", "low", "close", "volume"].map {
                #""\#($0)":[\#(texts[$0] ?? "")]"#
            }
            let body = #"""
                {"chart":{"result":[{"meta":{"symbol":"AAPL","currency":"USD","dataGranularity":"1d",
                "exchangeTimezoneName":"America/New_York"},"timestamp":[\#(texts["timestamp"] ?? "")],
                "indicators":{"quote":[{\#(quote.joined(separator: ","))}]}}],"error":null}}
                """#
            try await withYahoo(body) { client, _ in
                let aapl = try symbol("AAPL")
                let window = ChartWindow(interval: .oneDay, last: 10)
                let series = try #require(try await client.charts(of: [aapl], window, in: .patient)[aapl])
                #expect(
                    (0..<series.count).map { series[$0].prices.close } == [Decimal("1.5"), Decimal("3.5")])
                #expect(series.unreadable.count == 1, "\(value)")
                let reason = series.unreadable.first ?? ""
                #expect(reason.contains("\(column)[1]: "), "\(reason)")
                #expect(!reason.contains("private value") && !reason.contains("UNHEARD_OF"), "\(reason)")
            }
        }
    }
}
