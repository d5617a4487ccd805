import Brokerage
import Gateway
import Sandbox
import TestSupport
import Testing
import Upstream

@Suite("The connection of orders")
struct OrderListTests {
    /// Places some orders that stay open.
    static func place(
        _ count: Int, _ gateway: TestGateway, _ backends: GatewayServices, in account: String, key: String
    ) async throws -> [String] {
        var ids: [String] = []
        for number in 0..<count {
            var order = TestOrder(account: account)
            (order.key, order.price) = ("\(key)-\(number)", "{ limit: \"\(number + 2)\" }")
            ids.append(try #require(try await gateway.placed(order, backends)["id"]?.string))
        }
        return ids
    }

    /// Pages through all orders.
    static func pages(
        _ gateway: TestGateway, _ backends: GatewayServices, first: Int, arguments: String = ""
    ) async throws -> [String] {
        var (ids, cursor): ([String], String?) = ([], nil)
        for _ in 0..<50 {
            let after = cursor.map { "after: \"\($0)\"" } ?? ""
            let answer = try await gateway.ask(
                """
                { orders(first: \(first) \(after) \(arguments)) {
                    nodes { id } edges { cursor node { id } } pageInfo { hasNextPage hasPreviousPage endCursor } } }
                """, as: alice, backends)
            let page = try #require(answer["data"]?["orders"], "\(answer)")
            let nodes = try #require(page["nodes"]?.elements).compactMap { $0["id"]?.string }
            #expect(page["edges"]?.elements?.map { $0["node"]?["id"]?.string } == nodes)
            #expect(page["pageInfo"]?["hasPreviousPage"] == .bool(cursor != nil))
            #expect(nodes.count <= first)
            ids += nodes
            cursor = page["pageInfo"]?["endCursor"]?.string
            if page["pageInfo"]?["hasNextPage"] != .bool(true) { return ids }
        }
        Issue.record("the pages do not end")
        return ids
    }

    @Test("has each order of all connections once, for each page size", arguments: [1, 3, 4, 100])
    func pages(first: Int) async throws {
        try await withGateway { gateway in
            let backends = try gateway.backends([
                gateway.connection("demo", of: alice), gateway.connection("second", of: alice, .second),
            ])
            let accounts = try await gateway.ask("{ accounts { id } }", as: alice, backends)
            let (one, other) = (
                try #require(accounts["data"]?["accounts"]?[0]?["id"]?.string),
                try #require(accounts["data"]?["accounts"]?[1]?["id"]?.string)
            )
            let ids = try await Self.place(4, gateway, backends, in: one, key: "one")
            let others = try await Self.place(3, gateway, backends, in: other, key: "other")
            let listed = try await Self.pages(gateway, backends, first: first)
            #expect(listed.count == 7 && Set(listed) == Set(ids + others))
            let ofOne = try await Self.pages(
                gateway, backends, first: first, arguments: "accountId: \"\(one)\" symbols: [\"AMD\"]")
            #expect(Set(ofOne) == Set(ids))
            #expect(try await Self.pages(gateway, backends, first: first, arguments: "open: false") == [])
            let account = try await gateway.ask(
                "{ account(id: \"\(other)\") { orders { nodes { id account { id } } } } }", as: alice,
                backends)
            let nodes = account["data"]?["account"]?["orders"]?["nodes"]?.elements
            #expect(Set(nodes?.compactMap { $0["id"]?.string } ?? []) == Set(others))
            #expect(nodes?.allSatisfy { $0["account"]?["id"]?.string == other } == true)
        }
    }

    @Test(
        "has only the orders that match the filter",
        arguments: [
            ("side: BUY", ["buy", "canceled"]), ("side: SELL", ["sell"]),
            ("states: [CANCELED]", ["canceled"]),
            ("states: [CANCELED, ACCEPTED, OPEN]", ["buy", "sell", "canceled"]),
            ("states: [CANCELED] open: true", []), ("states: [FILLED, CANCELED] side: BUY", ["canceled"]),
            ("states: []", []), ("to: \"2020-01-01T00:00:00Z\"", []),
            ("from: \"2020-01-01T00:00:00Z\" side: SELL", ["sell"]),
            ("from: \"2090-01-01T00:00:00Z\"", []),
        ], [1, 50])
    func filters(_ filter: (arguments: String, keys: [String]), first: Int) async throws {
        try await withGateway { gateway in
            let backends = try gateway.backends([gateway.connection("demo", of: alice)])
            let account = try await gateway.account(backends)
            var ids: [String: String] = [:]
            for (key, side, limit) in [
                ("buy", "BUY", "2"), ("sell", "SELL", "9000"), ("canceled", "BUY", "3"),
            ] {
                var order = TestOrder(account: account)
                (order.key, order.side, order.price) = (key, side, "{ limit: \"\(limit)\" }")
                if side == "SELL" { order.symbol = "AAPL" }
                ids[key] = try #require(try await gateway.placed(order, backends)["id"]?.string)
            }
            _ = try await gateway.cancel(try #require(ids["canceled"]), backends)
            let listed = try await Self.pages(gateway, backends, first: first, arguments: filter.arguments)
            let expected = filter.keys.compactMap { ids[$0] }
            // The sandbox has other orders of the user, from the time before the test.
            #expect(Set(listed).intersection(ids.values) == Set(expected))
            #expect(listed.count == Set(listed).count)
        }
    }

    @Test("has a null for a connection that cannot be read, and the cursor does not pass its orders")
    func failure() async throws {
        try await withGateway { gateway in
            let backends = try gateway.backends([gateway.connection("demo", of: alice)])
            let account = try await gateway.account(backends)
            let ids = try await Self.place(2, gateway, backends, in: account, key: "one")
            let broken = try gateway.backends([
                gateway.connection("demo", of: alice),
                gateway.connection("dead", of: alice, isReachable: false),
            ])
            let answer = try await gateway.ask(
                "{ orders { nodes { id } pageInfo { hasNextPage endCursor } } }", as: alice, broken)
            #expect(answer.failures == [FieldFailure("orders.nodes.2", "PROVIDER_UNAVAILABLE")], "\(answer)")
            let orders = answer["data"]?["orders"]
            #expect(
                Set(orders?["nodes"]?.elements?.dropLast().compactMap { $0["id"]?.string } ?? []) == Set(ids))
            #expect(orders?["nodes"]?.elements?.last == .null)
            #expect(orders?["pageInfo"]?["hasNextPage"] == .bool(true))
            // When it is well again, its orders are still to come.
            let mended = try gateway.backends([
                gateway.connection("demo", of: alice), gateway.connection("dead", of: alice, .second),
            ])
            let other = try await gateway.ask("{ accounts { id } }", as: alice, mended)
            let second = try #require(other["data"]?["accounts"]?[1]?["id"]?.string)
            let late = try await Self.place(1, gateway, mended, in: second, key: "late")
            let cursor = try #require(orders?["pageInfo"]?["endCursor"]?.string)
            let next = try await gateway.ask(
                "{ orders(after: \"\(cursor)\") { nodes { id } } }", as: alice, mended)
            #expect(next["data"]?["orders"]?["nodes"]?.elements?.map { $0["id"]?.string } == late)
        }
    }

    @Test("rejects an account that does not exist, with the argument")
    func noAccount() async throws {
        try await withGateway { gateway in
            let backends = try gateway.backends([gateway.connection("demo", of: alice)])
            for id in ["nobody", "Account:demo:nobody"] {
                let answer = try await gateway.ask(
                    "{ orders(accountId: \"\(id)\") { nodes { id } } }", as: alice, backends)
                #expect(answer.failures == [FieldFailure("orders", "NOT_FOUND", nil)])
                #expect(answer["errors"]?[0]?["extensions"]?["argument"] == "accountId", "\(answer)")
                #expect(
                    answer["errors"]?[0]?["message"]?.string
                        == "Argument \"accountId\": There is no account \"\(id)\".")
            }
        }
    }

    @Test(
        "rejects an invalid cursor, and a page that is too long",
        arguments: ["after: \"nonsense!\"", "after: \"bm8gY3Vyc29y\"", "first: 0", "first: 101"])
    func arguments(_ arguments: String) async throws {
        try await withGateway { gateway in
            let backends = try gateway.backends([gateway.connection("demo", of: alice)])
            let answer = try await gateway.ask(
                "{ orders(\(arguments)) { nodes { id } } }", as: alice, backends)
            #expect(answer.failures == [FieldFailure("orders", "BAD_USER_INPUT", nil)])
            #expect(gateway.calls.isEmpty)
        }
    }
}
