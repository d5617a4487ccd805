import Brokerage
import Foundation
import Sandbox
import TestSupport
import Testing

/// The screens of a trading app on Saxo: account summary, balances, net positions, prices with a chart, and orders that go
/// market → limit → market.
@Suite("Screens: a trader at Saxo")
struct SaxoTraderScreens {
    /// Runs a test with a server in front of a Saxo whose clock stands still.
    private func with(at moment: String, _ test: (RunningServer) async throws -> Void) async throws {
        let now = try #require(Instant(moment))
        try await withSandbox { configuration in
            configuration.clock = .fixed(now)
            // Its second would never end.
            configuration.saxo.ordersPerSecond = nil
        } _: { sandbox in
            try await withFolder { folder in
                let environment = [
                    "PORTICO_SAXO_BASE_URL": sandbox.saxo.gatewayURL,
                    "PORTICO_SAXO_TOKEN": "sandbox-saxo-demo-access", "PORTICO_DATA": folder.path,
                ]
                try await withOwnersServer(environment) { server in try await test(server) }
            }
        }
    }

    /// A Friday, 11:00 in New York.
    private static let open = "2026-11-20T16:00:00Z"
    /// A Saturday: what is placed waits for the next day.
    private static let closed = "2026-11-21T12:00:00Z"

    @Test("Account summary, balances and net positions are in one operation")
    func dashboard() async throws {
        try await with(at: Self.open) { server in
            let answer = try await server.ask(
                """
                { account(provider: "saxo") {
                    number currency cash equity marginAvailable marginUtilizationPercentage
                    allocation { key percentage value }
                    positions { symbol quantity side status currentPrice delayMinutes unrealizedProfitLoss currency
                        converted(to: "EUR") { unrealizedProfitLoss currency } instrument { name decimals }
                        quote(provider: "saxo") { bid ask change changePercentage timeliness } }
                    orders(open: true, first: 20) { nodes { symbol side type quantity limitPrice state } } } }
                """, token: ownerToken)
            #expect(answer.failures.isEmpty, "\(answer.body)")
            let account = try #require(answer.json?["data"]?["account"])
            #expect(account["number"]?.string?.isEmpty == false && account["currency"] == "EUR")
            for figure in ["cash", "equity", "marginAvailable"] { #expect(account[figure]?.string != nil) }
            #expect(account["marginUtilizationPercentage"]?.string != nil)
            let positions = try #require(account["positions"]?.elements)
            #expect(!positions.isEmpty)
            for position in positions {
                for figure in ["quantity", "currentPrice", "status"] {
                    #expect(position[figure]?.string != nil)
                }
                #expect(position["instrument"]?["name"]?.string?.isEmpty == false)
                #expect(position["quote"]?["bid"]?.string != nil)
                #expect(position["converted"]?["currency"] == "EUR")
            }
            let orders = try #require(account["orders"]?["nodes"]?.elements)
            #expect(!orders.isEmpty && orders.allSatisfy { $0["limitPrice"]?.string != nil })
        }
    }

    @Test("A list of pairs has a price each, and a chart of the bids")
    func prices() async throws {
        try await with(at: Self.open) { server in
            let answer = try await server.ask(
                """
                { quotes(symbols: ["EUR/USD", "USD/JPY", "EUR/DKK"], provider: "saxo") {
                    symbol bid change changePercentage high low open }
                  chart(symbol: "EUR/USD", interval: ONE_MINUTE, last: 120, provider: "saxo") {
                    columns { time close bid { open } } } }
                """, token: ownerToken)
            #expect(answer.failures.isEmpty, "\(answer.body)")
            let quotes = try #require(answer.json?["data"]?["quotes"]?.elements)
            #expect(quotes.map { $0["symbol"]?.string } == ["EUR/USD", "USD/JPY", "EUR/DKK"])
            for quote in quotes { #expect(quote["bid"]?.string != nil) }
            let columns = answer.json?["data"]?["chart"]?["columns"]
            #expect(columns?["bid"]?["open"]?.elements?.count == columns?["time"]?.elements?.count)
        }
    }

    @Test("An order goes from market to limit and back to market under one id, then is cancelled")
    func order() async throws {
        try await with(at: Self.closed) { server in try await Self.trade(server) }
    }

    private static let fields =
        "order { id providerOrderId state type limitPrice quantity rejection { reason } }"

    private static func trade(_ server: RunningServer) async throws {
        let asked = try await server.ask("{ account(provider: \"saxo\") { id } }", token: ownerToken)
        let account = try #require(asked.json?["data"]?["account"]?["id"]?.string, "\(asked.body)")
        let placed = try await order(
            "placeOrder",
            """
            mutation { placeOrder(input: { idempotencyKey: "one" accountId: "\(account)" side: BUY
                instrument: { symbol: "AAPL" } size: { quantity: "1" } }) { \(fields) } }
            """, server)
        let id = try #require(placed["id"]?.string)
        #expect(placed["type"] == "MARKET" && placed["state"] == "ACCEPTED", "\(placed)")
        let steps: [(change: String, type: String, limit: Brokerage.Decimal?)] = [
            ("price: { limit: \"150.00\" }", "LIMIT", 150), ("toMarket: true", "MARKET", nil),
        ]
        for (change, type, limit) in steps {
            let now = try await order(
                "replaceOrder",
                "mutation { replaceOrder(id: \"\(id)\", input: { \(change) }) { \(fields) } }", server)
            #expect(now["id"]?.string == id && now["providerOrderId"] == placed["providerOrderId"])
            #expect(now["type"]?.string == type, "\(now)")
            #expect(now["limitPrice"]?.string.flatMap { Brokerage.Decimal($0) } == limit)
        }
        let cancelled = try await order(
            "cancelOrder", "mutation { cancelOrder(id: \"\(id)\") { \(fields) } }", server)
        #expect(cancelled["state"] == "PENDING_CANCEL")
        let list = try await server.ask(
            "{ orders(open: false) { nodes { id state } } }", token: ownerToken)
        let ended = list.json?["data"]?["orders"]?["nodes"]?.elements
        #expect(
            ended?.map { $0["id"]?.string } == [id] && ended?.first?["state"] == "CANCELED", "\(list.body)")
    }

    private static func order(
        _ field: String, _ mutation: String, _ server: RunningServer
    ) async throws -> JSONValue {
        var answer = try await server.ask(mutation, token: ownerToken)
        // Saxo accepts one order a second. Nothing was sent, so the request may be repeated.
        try await waitUntil {
            guard answer.failures.contains(where: { $0.code == "QUOTA_EXHAUSTED" }) else { return true }
            try await Task.sleep(for: .milliseconds(100))
            answer = try await server.ask(mutation, token: ownerToken)
            return false
        }
        return try #require(answer.json?["data"]?[field]?["order"], "\(answer.body)")
    }
}
