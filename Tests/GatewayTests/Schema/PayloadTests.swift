import TestSupport
import Testing

@Suite("The payload of a mutation")
struct PayloadTests {
    @Test("has the list to which the new object belongs")
    func lists() async throws {
        try await withGateway { gateway in
            let backends = try gateway.backends([gateway.connection("demo", of: alice)])
            for (mutation, list, object) in [
                (#"createWatchlist(input: { name: "a" })"#, "watchlists", "watchlist"),
                (#"createGoal(input: { title: "a", target: "1", allocations: [] })"#, "goals", "goal"),
            ] {
                let answer = try await gateway.ask(
                    "mutation { it: \(mutation) { \(object) { id } \(list) { id } } }", as: alice, backends)
                let id = try #require(answer["data"]?["it"]?[object]?["id"]?.string, "\(answer)")
                let ids = answer["data"]?["it"]?[list]?.elements?.compactMap { $0["id"]?.string }
                #expect(ids?.contains(id) == true, "\(answer)")
            }
        }
    }

    @Test("of an order has its edge, after whose cursor are the orders that follow it")
    func orderEdge() async throws {
        try await withGateway { gateway in
            let backends = try gateway.backends([gateway.connection("demo", of: alice)])
            let account = try await gateway.account(backends)
            _ = try await OrderListTests.place(2, gateway, backends, in: account, key: "other")
            var order = TestOrder(account: account)
            (order.key, order.price) = ("new", "{ limit: \"5\" }")
            let mutation = order.mutation.replacing(
                "order { \(TestOrder.fields) }", with: "order { id } orderEdge { cursor node { id } }")
            let answer = try await gateway.ask(mutation, as: alice, backends)
            let payload = try #require(answer["data"]?["placeOrder"], "\(answer)")
            #expect(payload["orderEdge"]?["node"]?["id"] == payload["order"]?["id"])
            let cursor = try #require(payload["orderEdge"]?["cursor"]?.string)
            let lists = try await gateway.ask(
                "{ all: orders { nodes { id } } rest: orders(after: \"\(cursor)\") { nodes { id } } }",
                as: alice,
                backends)
            let all = try #require(lists["data"]?["all"]?["nodes"]?.elements, "\(lists)")
            let place = try #require(all.firstIndex { $0["id"] == payload["order"]?["id"] })
            #expect(lists["data"]?["rest"]?["nodes"]?.elements == Array(all[(place + 1)...]))
        }
    }

    @Test("has objects with ids of the source, the list and the user, which node finds")
    func ids() async throws {
        try await withGateway { gateway in
            let backends = try gateway.backends([gateway.connection("demo", of: alice)])
            let list = try await WatchlistTests.create(gateway, backends, "a", #"["KO"]"#)
            let answer = try await gateway.ask(
                """
                { watchlist(id: "\(list)") { items { id quote { id } } } goalsProgress { id } portfolio { id } }
                """, as: alice, backends)
            let data = try #require(answer["data"], "\(answer)")
            let item = data["watchlist"]?["items"]?[0]
            let name = list.dropFirst("Watchlist:".count)
            #expect(item?["id"]?.string == "WatchlistItem:KO@\(name)")
            #expect(item?["quote"]?["id"]?.string == "Quote:alpaca:KO")
            #expect(data["goalsProgress"]?["id"]?.string == "GoalsProgress:alice:USD")
            #expect(data["portfolio"]?["id"]?.string == "Portfolio:alice:USD")
            let other = try await gateway.ask(
                "{ node(id: \"Portfolio:alice:USD\") { id } }", as: bob, backends)
            #expect(other["data"]?["node"] == .null)
            #expect(other.failures.isEmpty)
        }
    }

    @Test(
        "has no object for an id with a provider that does not exist",
        arguments: [
            "Quote:nope:KO", "MarketClock:nope", "ProviderStatus:nope", "Article:nope:1763735400:1",
            "Chart:nope:KO~range=ONE_MONTH",
        ])
    func unknownProvider(id: String) async throws {
        try await withGateway { gateway in
            let backends = try gateway.backends([gateway.connection("demo", of: alice)])
            let answer = try await gateway.ask("{ node(id: \"\(id)\") { id } }", as: alice, backends)
            #expect(answer["data"]?["node"] == .null && answer.failures.isEmpty, "\(answer)")
        }
    }
}
