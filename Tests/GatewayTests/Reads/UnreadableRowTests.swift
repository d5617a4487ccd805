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
        FieldFailure(path, "PROVIDER_RESPONSE_INVALID")
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
                        "alpaca sent an order that cannot be read: orders[2].id: expected a string, found an object"
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
            #expect(Self.message(answer).contains("alpaca sent a position that cannot be read: positions["))
        }
    }

    @Test(
        "is a null candle once, of a chart with at most the requested number of others, or is older than all of them",
        arguments: [
            // The last row is the oldest one, which is requested; the newest one; the oldest one of many.
            (ProviderID.alpaca, "GET /v2/stocks/bars", [true, false, false]),
            (.saxo, "GET /chart/v3/charts", [true, false, false, false]),
            (
                .polygon, "GET /v2/aggs/ticker/{ticker}/range/{multiplier}/{timespan}/{from}/{to}",
                [false, false, false]
            ),
        ] as [(ProviderID, String, [Bool])])
    func candles(provider: ProviderID, endpoint: String, areUnreadable: [Bool]) async throws {
        try await withGateway { gateway in
            #expect(
                gateway.sandbox.faults.add(Fault(.unreadableRow, provider: provider, endpoint: endpoint)))
            let answer = try await gateway.ask(
                """
                { chart(symbol: "AAPL", last: 3, provider: "\(provider.name.text)") { candles { time } } }
                """, as: alice, gateway.marketWithSaxo())
            let candles = try #require(answer["data"]?["chart"]?["candles"]?.elements, "\(answer)")
            #expect(candles.map { $0 == .null } == areUnreadable, "\(answer)")
            #expect(
                answer.failures.map(\.code)
                    == areUnreadable.filter(\.self).map { _ in "PROVIDER_RESPONSE_INVALID" }, "\(answer)")
        }
    }

    @Test("is a quote with the place of the error in its message")
    func quote() async throws {
        try await withGateway { gateway in
            let endpoint = "GET /v2/stocks/snapshots"
            #expect(gateway.sandbox.faults.add(Fault(.unreadableRow, endpoint: endpoint)))
            let answer = try await gateway.ask(
                "{ quote(symbol: \"COST\", provider: \"alpaca\") { price } }", as: alice,
                gateway.wholeMarket())
            #expect(answer.failures == [Self.invalid("quote")], "\(answer)")
            let prefix = "alpaca sent a response that cannot be used: COST."
            #expect(Self.message(answer).hasPrefix(prefix), "\(answer)")
            #expect(Self.message(answer).contains(": expected "), "\(answer)")
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
