import Brokerage
import Foundation
import TestSupport
import Testing

/// The query of the first walk.
let homeScreen = """
    { account { equity cash buyingPower }
      positions { symbol quantity marketValue quote { price change changePercentage } }
      account2: account { history(range: ONE_DAY) { points { time equity } } } }
    """

/// The one call of each kind that it needs, and the one that determines the plan of the key once a day.
let callsOfHomeScreen = [
    "GET /v2/account": 1, "GET /v2/positions": 1, "GET /v2/stocks/snapshots": 1,
    "GET /v2/account/portfolio/history": 1, "GET /v2/stocks/trades/latest": 1,
]

@Suite("The home screen")
struct HomeScreenTests {
    @Test("takes one call of each kind, with the figures of the provider")
    func figures() async throws {
        try await withSandboxProgram { sandbox in
            try await sandbox.closeMarket()
            try await withServer(before: Upstream(sandbox)) { server in
                let answer = try await server.ask(homeScreen, token: ownerToken)
                #expect(answer.status == 200)
                #expect(try await sandbox.calls == callsOfHomeScreen)
                let json = try #require(answer.json)
                #expect(json["errors"] == nil, "\(answer.body)")
                let data = try #require(json["data"])
                try await compareAccount(data, sandbox)
                try await comparePositions(data, sandbox)
                try await compareHistory(data, sandbox)
            }
        }
    }

    @Test("takes one call of each kind in the embedded sandbox")
    func embedded() async throws {
        try await withServer(["--log-level", "debug"]) { server in
            let sandbox = try await RunningSandbox(embeddedIn: server)
            let answer = try await server.ask(homeScreen)
            #expect(answer.status == 200)
            #expect(try await sandbox.calls == callsOfHomeScreen)
            let json = try #require(answer.json)
            #expect(json["errors"] == nil, "\(answer.body)")
            #expect(json["data"]?["account"]?["equity"]?.string != nil)
            let positions = try #require(json["data"]?["positions"]?.elements)
            #expect(!positions.isEmpty)
            for position in positions { #expect(position["quote"]?["price"]?.string != nil) }
            let points = json["data"]?["account2"]?["history"]?["points"]?.elements
            #expect(points?.isEmpty == false)
        }
    }

    @Test("takes one call of each kind for a hundred concurrent requests")
    func together() async throws {
        try await withSandboxProgram { sandbox in
            try await sandbox.closeMarket()
            try await withServer(before: Upstream(sandbox)) { server in
                // All requests wait for the first calls before the provider responds.
                try await sandbox.add(fault: #"{"effect":"latency","milliseconds":60000}"#)
                try await withThrowingTaskGroup(of: RawResponse.self) { group in
                    for _ in 0..<100 {
                        group.addTask { try await server.ask(homeScreen, token: ownerToken) }
                    }
                    let waiting = "\nportico_http_requests_in_flight 100\n"
                    try await waitUntil { try await server.get("/metrics").body.contains(waiting) }
                    try await sandbox.resetFaults()
                    for try await answer in group {
                        #expect(answer.status == 200)
                        #expect(answer.json?["errors"] == nil, "\(answer.body)")
                    }
                }
                #expect(try await sandbox.calls == callsOfHomeScreen)
            }
        }
    }

    private func compareAccount(_ data: JSONValue, _ sandbox: RunningSandbox) async throws {
        let account = try await sandbox.alpaca("/alpaca/v2/account")
        #expect(data["account"]?["equity"]?.string != nil)
        #expect(data["account"]?["equity"] == account["equity"])
        #expect(data["account"]?["cash"] == account["cash"])
        #expect(data["account"]?["buyingPower"] == account["buying_power"])
    }

    private func comparePositions(_ data: JSONValue, _ sandbox: RunningSandbox) async throws {
        let expected = try #require(try await sandbox.alpaca("/alpaca/v2/positions").elements)
        let positions = try #require(data["positions"]?.elements)
        #expect(positions.map { $0["symbol"]?.string } == expected.map { $0["symbol"]?.string })
        let symbols = expected.compactMap { $0["symbol"]?.string }
        let snapshots = try await sandbox.alpaca(
            "/alpaca-data/v2/stocks/snapshots?symbols=\(symbols.joined(separator: ","))")
        for (position, sent) in zip(positions, expected) {
            let symbol = try #require(sent["symbol"]?.string)
            #expect(position["marketValue"]?.string != nil)
            #expect(position["marketValue"] == sent["market_value"], "\(symbol)")
            #expect(try position["quantity"]?.decimal == sent["qty"]?.decimal?.magnitude, "\(symbol)")
            let snapshot = try #require(snapshots[symbol])
            try compareQuote(position["quote"], snapshot, symbol)
        }
    }

    private func compareQuote(_ quote: JSONValue?, _ snapshot: JSONValue, _ symbol: String) throws {
        let price = try #require(snapshot["latestTrade"]?["p"]?.decimal)
        let close = try #require(snapshot["prevDailyBar"]?["c"]?.decimal)
        let change = try price - close
        #expect(quote?["price"]?.string != nil)
        #expect(quote?["price"]?.decimal == price, "\(symbol)")
        #expect(quote?["change"]?.string != nil)
        #expect(quote?["change"]?.decimal == change, "\(symbol)")
        #expect(quote?["changePercentage"]?.decimal == change.percent(of: close), "\(symbol)")
    }

    private func compareHistory(_ data: JSONValue, _ sandbox: RunningSandbox) async throws {
        let history = try await sandbox.alpaca(
            "/alpaca/v2/account/portfolio/history?period=1D&timeframe=1Min")
        let values = try #require(history["equity"]?.elements)
        let expected = values.compactMap(\.decimal)
        let points = try #require(data["account2"]?["history"]?["points"]?.elements)
        #expect(!points.isEmpty)
        #expect(points.map { $0["equity"]?.decimal } == expected)
        let times = points.map { $0["time"]?.string.flatMap { Instant($0) } }
        for (earlier, later) in zip(times, times.dropFirst()) {
            #expect(try #require(earlier) < #require(later))
        }
    }
}

extension JSONValue {
    /// A number, written as one or in a string.
    fileprivate var decimal: Brokerage.Decimal? {
        (string ?? digits).flatMap { Brokerage.Decimal($0) }
    }
}
