import Alpaca
import Brokerage
import Gateway
import Sandbox
import TestSupport
import Testing
import Upstream

/// The sandbox makes the last row of a list unreadable; the others must have their values.
@Suite("A row of a broker that cannot be read")
struct UnreadableRowTests {
    private static func invalid(_ path: String) -> FieldFailure {
        FieldFailure(path, "PROVIDER_ANSWER_INVALID")
    }

    private static func message(_ answer: JSONValue) -> String {
        answer["errors"]?[0]?["message"]?.string ?? ""
    }

    @Test("is a null order behind the others, with the place of the error")
    func orders() async throws {
        try await withGateway { gateway in
            let backends = try gateway.backends([gateway.connection("demo", of: alice)])
            let account = try await gateway.account(backends)
            let ids = try await OrderListTests.place(3, gateway, backends, in: account, key: "one")
            for open in ["", "(open: true)"] {
                #expect(gateway.sandbox.faults.add(Fault(.unreadableRow, endpoint: "GET /v2/orders")))
                let answer = try await gateway.ask(
                    "{ orders\(open) { nodes { id } edges { cursor } pageInfo { hasNextPage } } }", as: alice,
                    backends)
                let nodes = try #require(answer["data"]?["orders"]?["nodes"]?.elements)
                // The newest order is the first one.
                #expect(nodes.map { $0["id"]?.string } == [ids[2], ids[1], nil])
                #expect(answer["data"]?["orders"]?["pageInfo"]?["hasNextPage"] == .bool(false))
                #expect(
                    Set(answer.failures) == [
                        Self.invalid("orders.nodes.2"), Self.invalid("orders.edges.2"),
                    ])
                #expect(
                    Self.message(answer).hasPrefix(
                        "ALPACA sent an order that cannot be read: orders[2].id: expected a string, found an object"
                    ))
                gateway.sandbox.faults.reset()
            }
        }
    }

    @Test("is a null position, and totals over it are null")
    func positions() async throws {
        try await withGateway { gateway in
            let backends = try gateway.backends([gateway.connection("demo", of: alice)])
            let call = CallContext(deadline: .now + .seconds(3_600))
            let whole = try await gateway.client(.demo).positions(in: call)
            let symbols: [JSONValue?] = whole.map { .string($0.symbol.text) }
            #expect(gateway.sandbox.faults.add(Fault(.unreadableRow, endpoint: "GET /v2/positions")))
            let answer = try await gateway.ask(
                """
                { positions { symbol }
                  accounts { equity positions(symbols: ["AAPL"]) { symbol } }
                  portfolio(currency: "USD") { unrealizedProfitLoss } }
                """, as: alice, backends)
            let data = try #require(answer["data"])
            let last = symbols.count - 1
            #expect(
                data["positions"]?.elements?.map { $0["symbol"] } == Array(symbols.dropLast()) + [nil],
                "\(answer)")
            #expect(data["accounts"]?[0]?["equity"]?.string != nil)
            // The unreadable one may be of this instrument.
            #expect(data["accounts"]?[0]?["positions"]?.elements?.count == 2)
            #expect(data["portfolio"]?["unrealizedProfitLoss"] == .null)
            #expect(
                Set(answer.failures) == [
                    Self.invalid("positions.\(last)"), Self.invalid("accounts.0.positions.1"),
                    Self.invalid("portfolio.unrealizedProfitLoss"),
                ], "\(answer)")
            #expect(Self.message(answer).contains("ALPACA sent a position that cannot be read: positions["))
        }
    }

    @Test("is a null watchlist, or a null item of it, and a list with such an item is not changed")
    func watchlists() async throws {
        try await withGateway { gateway in
            let backends = try gateway.backends([gateway.connection("demo", of: alice)])
            let call = CallContext(deadline: .now + .seconds(3_600))
            let symbols = try ["AAPL", "KO"].map { try #require(Symbol($0)) }
            for name in ["One", "Two"] {
                _ = try await gateway.client(.demo).createWatchlist(named: name, of: symbols, in: call)
            }
            let query = "{ watchlists { id name items { symbol } } }"
            #expect(gateway.sandbox.faults.add(Fault(.unreadableRow, endpoint: "GET /v2/watchlists")))
            let lists = try await gateway.ask(query, as: alice, backends)
            #expect(lists["data"]?["watchlists"]?.elements?.map { $0["name"]?.string } == ["One", nil])
            #expect(lists.failures == [Self.invalid("watchlists.1")])
            gateway.sandbox.faults.reset()

            let others = try gateway.backends([gateway.connection("demo", of: alice)])
            let endpoint = "GET /v2/watchlists/{watchlist_id}"
            #expect(gateway.sandbox.faults.add(Fault(.unreadableRow, endpoint: endpoint)))
            let items = try await gateway.ask(query, as: alice, others)
            let first = try #require(items["data"]?["watchlists"]?[0])
            #expect(first["items"]?.elements?.map { $0["symbol"]?.string } == ["AAPL", nil])
            #expect(
                items.failures == [
                    Self.invalid("watchlists.0.items.1"), Self.invalid("watchlists.1.items.1"),
                ])
            let change = try await gateway.ask(
                """
                mutation { addToWatchlist(id: "\(first["id"]?.string ?? "")", symbols: ["AMD"]) {
                    watchlist { id } } }
                """, as: alice, others)
            #expect(change.failures == [Self.invalid("addToWatchlist")], "\(change)")
            gateway.sandbox.faults.reset()
            let kept = try await gateway.client(.demo).watchlists(in: call)
            #expect(kept.map { $0.items.map(\.symbol) } == [symbols, symbols])
        }
    }
}
