import Foundation
import TestSupport
import Testing

/// The walk of a person through orders at Saxo, against the built executables.
@Suite("A person at Saxo", .timeLimit(.minutes(20)))
struct SaxoDemonstrationTests {
    private static let order = """
        id state type limitPrice stopPrice parent { id }
        legs { id state side type quantity limitPrice stopPrice parent { id } }
        rejection { reason disclaimers { id title body isBlocking } }
        """

    /// A server in front of a sandbox, with the demo user's account at Saxo.
    private struct Walk {
        let server: RunningServer
        let sandbox: RunningSandbox
        let account: String

        static func with(_ body: (Walk) async throws -> Void) async throws {
            try await withSandboxProgram { sandbox in
                try await sandbox.openMarket()
                let environment = [
                    "PORTICO_SAXO_BASE_URL": "http://127.0.0.1:\(sandbox.port)/saxo",
                    "PORTICO_SAXO_TOKEN": "sandbox-saxo-demo-access",
                ]
                try await withOwnersServer(environment) { server in
                    try await body(
                        Walk(server: server, sandbox: sandbox, account: server.accountID()))
                }
            }
        }

        func ask(_ query: String, _ field: String) async throws -> JSONValue {
            let answer = try await server.ask(query, token: ownerToken)
            #expect(answer.failures.isEmpty, "\(answer.body)")
            return try #require(answer.json?["data"]?[field], "\(answer.body)")
        }

        /// Places an order; Saxo takes one a second, for which the server waits.
        func place(_ rest: String, key: String) async throws -> JSONValue {
            let payload = try await ask(
                """
                mutation { placeOrder(input: { idempotencyKey: "\(key)", accountId: "\(account)",
                    instrument: { symbol: "AAPL" }, side: BUY, size: { quantity: "4" }, \(rest) }) {
                    order { \(SaxoDemonstrationTests.order) } } }
                """, "placeOrder")
            return try #require(payload["order"])
        }

        func read(_ id: String) async throws -> JSONValue {
            try await ask("{ order(id: \"\(id)\") { \(SaxoDemonstrationTests.order) } }", "order")
        }

        func reprice(_ id: String, _ price: String) async throws -> JSONValue {
            let payload = try await ask(
                """
                mutation { replaceOrder(id: "\(id)", input: { price: \(price) }) {
                    order { id limitPrice stopPrice } } }
                """, "replaceOrder")
            return try #require(payload["order"])
        }

        var openOrders: [String] {
            get async throws {
                let list = try await ask(
                    "{ orders(open: true, symbols: [\"AAPL\"]) { nodes { id } } }", "orders")
                return list["nodes"]?.elements?.compactMap { $0["id"]?.string } ?? []
            }
        }
    }

    @Test("places a bracket, sees both exits before and after its entry fills, changes one, and cancels all")
    func bracket() async throws {
        try await Walk.with { walk in
            let quote = try await walk.ask(
                "{ quote(symbol: \"AAPL\", provider: \"saxo\") { price } }", "quote")
            let price = try #require(quote["price"]?.string.flatMap { Double($0) })
            func at(_ factor: Double) -> String { "\(Int(price * factor))" }
            let placed = try await walk.place(
                """
                price: { limit: "\(at(0.9))" }, timeInForce: GTC,
                exits: { takeProfit: { limit: "\(at(1.2))" }, stopLoss: { stop: "\(at(0.8))" } }
                """, key: "bracket")
            let id = try #require(placed["id"]?.string)
            let before = try await walk.read(id)
            let legs = try #require(before["legs"]?.elements)
            #expect(legs.map { $0["type"]?.string } == ["LIMIT", "STOP"], "\(before)")
            #expect(legs.map { $0["state"]?.string } == ["ACCEPTED", "ACCEPTED"], "\(before)")
            let exits = legs.compactMap { $0["id"]?.string }
            #expect(try await walk.openOrders == [id])

            // A limit above the market fills at once.
            _ = try await walk.reprice(id, "{ limit: \"\(at(1.05))\" }")
            let after = try await walk.read(id)
            #expect(after["state"] == "FILLED", "\(after)")
            let open = try #require(after["legs"]?.elements)
            #expect(open.compactMap { $0["id"]?.string } == exits)
            #expect(open.map { $0["state"]?.string } == ["OPEN", "OPEN"], "\(after)")

            let changed = try await walk.reprice(exits[0], "{ limit: \"\(at(1.25))\" }")
            #expect(changed["id"]?.string == exits[0] && changed["limitPrice"]?.string == at(1.25))
            #expect(try await walk.read(exits[0])["limitPrice"]?.string == at(1.25))

            // The other exit ends with the one that is canceled.
            _ = try await walk.ask(
                "mutation { cancelOrder(id: \"\(exits[0])\") { order { state } } }", "cancelOrder")
            #expect(try await walk.openOrders == [])
            #expect(
                try await walk.read(id)["legs"]?.elements?.map { $0["state"]?.string } == [
                    "CANCELED", "CANCELED",
                ])
        }
    }

    @Test("accepts a disclaimer, and places the order with the same key")
    func disclaimer() async throws {
        try await Walk.with { walk in
            try await walk.sandbox.requireDisclaimers(#"["normal"]"#)
            let rest = "price: { limit: \"195\" }, timeInForce: GTC"
            let rejected = try await walk.place(rest, key: "once")
            #expect(rejected["state"] == "REJECTED", "\(rejected)")
            let disclaimer = try #require(rejected["rejection"]?["disclaimers"]?[0])
            #expect(disclaimer["title"] == "Sandbox: normal disclaimer")
            #expect(try await walk.openOrders == [])

            let id = try #require(disclaimer["id"]?.string)
            let accepted = try await walk.ask(
                "mutation { acceptDisclaimers(ids: [\"\(id)\"]) { acceptedIds } }", "acceptDisclaimers")
            #expect(accepted["acceptedIds"]?.elements?.compactMap(\.string) == [id])
            let placed = try await walk.place(rest, key: "once")
            let again = try await walk.place(rest, key: "once")
            #expect(placed["rejection"] == .null && placed["id"] == again["id"], "\(placed)")
            #expect(try await walk.openOrders == [placed["id"]?.string])
        }
    }
}
