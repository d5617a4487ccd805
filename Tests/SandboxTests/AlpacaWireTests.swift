import Sandbox
import TestSupport
import Testing

@Suite("Alpaca's stand-in answers in Alpaca's shapes")
struct AlpacaWireTests {
    struct Case: CustomTestStringConvertible, Sendable {
        let path: String
        let shape: String
        var testDescription: String { path }

        static let all: [Case] = [
            Case(path: "/alpaca/v2/account", shape: "Account"),
            Case(path: "/alpaca/v2/positions", shape: "PositionList"),
            Case(path: "/alpaca/v2/positions/BRK.B", shape: "Position"),
            Case(path: "/alpaca/v2/positions/TSLA", shape: "Position"),
            Case(path: "/alpaca/v2/account/portfolio/history", shape: "PortfolioHistory"),
            Case(
                path: "/alpaca/v2/account/portfolio/history?period=1D&timeframe=1Min",
                shape: "PortfolioHistory"),
            Case(
                path: "/alpaca/v2/account/portfolio/history?period=1W&timeframe=15Min",
                shape: "PortfolioHistory"),
            Case(
                path: "/alpaca/v2/account/portfolio/history?period=1A&timeframe=1D", shape: "PortfolioHistory"
            ),
            Case(path: "/alpaca-data/v2/stocks/snapshots?symbols=AAPL,BRK.B,TSLA,NOSUCH", shape: "Snapshots"),
            Case(path: "/alpaca-data/v2/stocks/quotes/latest?symbols=AAPL,BRK.B", shape: "LatestQuotes"),
            Case(path: "/alpaca-data/v2/stocks/quotes/latest?symbols=NOSUCH", shape: "LatestQuotes"),
            Case(path: "/alpaca-data/v2/stocks/trades/latest?symbols=AAPL,BRK.B", shape: "LatestTrades"),
            Case(path: "/alpaca-data/v2/stocks/AAPL/snapshot", shape: "Snapshot"),
            Case(
                path: "/alpaca-data/v2/stocks/bars?symbols=AAPL,TSLA&timeframe=5Min&limit=100"
                    + "&start=2026-11-10T14:30:00Z", shape: "Bars"),
            Case(
                path:
                    "/alpaca-data/v2/stocks/bars?symbols=AAPL,BRK.B,TSLA&timeframe=1Day&start=2025-11-10&sort=desc",
                shape: "Bars"),
            Case(
                path: "/alpaca-data/v2/stocks/bars?symbols=NOSUCH&timeframe=1Month&start=2020-01-01",
                shape: "Bars"),
            Case(path: "/alpaca-data/v1beta1/news?include_content=true&limit=50", shape: "News"),
            Case(path: "/alpaca-data/v1beta1/news?symbols=NOSUCH", shape: "News"),
            Case(path: "/alpaca/v2/clock", shape: "Clock"),
        ]
    }

    @Test(
        "every answer is valid by the provider's schema, at any time of the week", arguments: Case.all,
        Moment.all)
    func valid(_ wanted: Case, moment: String) async throws {
        let reply = try await withSandbox(at: moment) {
            try await $0.client.get(wanted.path, RunningSandbox.demo)
        }
        try reply.check(by: "alpaca", wanted.shape)
    }

    @Test(
        "and so is what does not depend on prices",
        arguments: [
            Case(path: "/alpaca/v2/assets", shape: "AssetList"),
            Case(path: "/alpaca/v2/assets?status=inactive", shape: "AssetList"),
            Case(path: "/alpaca/v2/assets/BRK.B", shape: "Asset"),
            Case(path: "/alpaca/v2/calendar?start=2026-11-20&end=2027-01-10", shape: "Calendar"),
        ])
    func unchanging(_ wanted: Case) async throws {
        let reply = try await withSandbox { try await $0.client.get(wanted.path, RunningSandbox.demo) }
        try reply.check(by: "alpaca", wanted.shape)
    }

    @Test("and is valid where the market has no price", arguments: Case.all)
    func validWithoutPrices(_ wanted: Case) async throws {
        let reply = try await withSandbox { fixture in
            fixture.sandbox.script = MarketScript(unpriced: ["AAPL", "BRK.B", "TSLA"])
            return try await fixture.client.get(wanted.path, RunningSandbox.demo)
        }
        try reply.check(by: "alpaca", wanted.shape)
    }

    @Test("the same seed and clock give the same bytes, another seed gives others", arguments: Case.all)
    func deterministic(_ wanted: Case) async throws {
        let first = try await withSandbox { try await $0.client.get(wanted.path, RunningSandbox.demo) }
        let again = try await withSandbox { try await $0.client.get(wanted.path, RunningSandbox.demo) }
        let other = try await withSandbox(
            { $0.seed = 8 }, { try await $0.client.get(wanted.path, RunningSandbox.demo) })
        #expect(first == again)
        let dependsOnPrices = !wanted.path.contains("=NOSUCH") && wanted.shape != "Clock"
        #expect(dependsOnPrices == (first != other))
    }
}
