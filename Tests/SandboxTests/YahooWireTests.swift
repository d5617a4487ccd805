import Sandbox
import TestSupport
import Testing

@Suite("Yahoo's stand-in answers in Yahoo's shapes")
struct YahooWireTests {
    struct Case: CustomTestStringConvertible, Sendable {
        let path: String
        let shape: String
        var testDescription: String { path }

        static let all: [Case] = [
            Case(path: "/v8/finance/chart/AAPL", shape: "Chart"),
            Case(path: "/v8/finance/chart/BRK-B?range=5d&interval=60m&includePrePost=true", shape: "Chart"),
            Case(path: "/v8/finance/chart/AAPL?range=1d&interval=1m", shape: "Chart"),
            Case(path: "/v8/finance/chart/AAPL?range=2y&interval=1d&events=div%2Csplit", shape: "Chart"),
            Case(path: "/v8/finance/chart/AAPL?range=10y&interval=1mo", shape: "Chart"),
            Case(path: "/v8/finance/chart/%5EGSPC?range=1mo&interval=1d", shape: "Chart"),
            Case(path: "/v8/finance/chart/EURUSD%3DX?range=5d&interval=1h", shape: "Chart"),
            Case(path: "/v8/finance/chart/BTC-USD?range=1d&interval=5m", shape: "Chart"),
            Case(
                path: "/v8/finance/chart/AAPL?period1=1763800000&period2=1763810000&interval=1d",
                shape: "Chart"),
            Case(
                path: "/v7/finance/quote?symbols=AAPL,BRK-B,SPY,%5EGSPC,EURUSD%3DX,BTC-USD,BRKS,NOSUCH",
                shape: "Quote"),
            Case(path: "/v7/finance/quote?symbols=AAPL&fields=regularMarketPrice,currency", shape: "Quote"),
            Case(path: "/v7/finance/quote?symbols=NOSUCH", shape: "Quote"),
            Case(
                path: "/v10/finance/quoteSummary/AAPL?modules=assetProfile,price&formatted=false",
                shape: "QuoteSummaryProfile"),
            Case(
                path: "/v10/finance/quoteSummary/BRK-B?modules=assetProfile,summaryProfile,price,quoteType",
                shape: "QuoteSummaryProfile"),
            Case(path: "/v1/finance/search?q=apple", shape: "Search"),
            Case(path: "/v1/finance/search?q=a&quotesCount=50&newsCount=10", shape: "Search"),
            Case(path: "/v1/finance/search?q=zzzzz", shape: "Search"),
        ]
    }

    @Test("every answer is valid by the schema, at any time of the week", arguments: Case.all, Moment.all)
    func valid(_ wanted: Case, moment: String) async throws {
        let reply = try await withSandbox(at: moment) { try await $0.yahooWithCrumb(wanted.path) }
        try reply.check(by: "yahoo", wanted.shape)
    }

    @Test("and is valid where the market has no price", arguments: Case.all)
    func validWithoutPrices(_ wanted: Case) async throws {
        let reply = try await withSandbox { fixture in
            fixture.sandbox.script = MarketScript(unpriced: ["AAPL", "BRK.B", "SPX", "EUR/USD", "BTC/USD"])
            return try await fixture.yahooWithCrumb(wanted.path)
        }
        try reply.check(by: "yahoo", wanted.shape)
    }

    @Test("the same seed and clock give the same bytes, another seed gives others", arguments: Case.all)
    func deterministic(_ wanted: Case) async throws {
        let first = try await withSandbox { try await $0.yahooWithCrumb(wanted.path) }
        let again = try await withSandbox { try await $0.yahooWithCrumb(wanted.path) }
        let other = try await withSandbox({ $0.seed = 8 }, { try await $0.yahooWithCrumb(wanted.path) })
        #expect(first == again)
        #expect((first == other) == (wanted.path.contains("=NOSUCH") || wanted.path.contains("zzzzz")))
    }
}
