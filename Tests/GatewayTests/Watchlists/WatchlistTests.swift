import Brokerage
import Gateway
import GraphQL
import Sandbox
import TestSupport
import Testing
import Upstream

@Suite("Watchlists")
struct WatchlistTests {
    /// Makes a list of alice's, and tells its id.
    static func create(
        _ gateway: TestGateway, _ backends: GatewayServices, _ name: String = "Mine", _ symbols: String
    ) async throws -> String {
        let answer = try await gateway.ask(
            """
            mutation { createWatchlist(input: { name: "\(name)", symbols: \(symbols) }) { watchlist { id } } }
            """, as: alice, backends)
        return try #require(
            answer["data"]?["createWatchlist"]?["watchlist"]?["id"]?.string, "\(answer)")
    }

    /// The symbols of a list.
    static func symbols(_ list: JSONValue?) -> [String]? {
        list?["items"]?.elements?.compactMap { $0["symbol"]?.string }
    }

    @Test("are created, returned with prices, renamed, changed and deleted")
    func life() async throws {
        try await withGateway { gateway in
            let backends = try gateway.backends([gateway.connection("demo", of: alice)])
            let id = try await Self.create(gateway, backends, "Erste", #"["KO", "AAPL", "KO"]"#)
            #expect(id.hasPrefix("Watchlist:"))
            let steps = [
                (#"addToWatchlist(id: $id, symbols: ["MSFT", "AAPL"])"#, "Erste", ["KO", "AAPL", "MSFT"]),
                (#"moveInWatchlist(id: $id, symbol: "MSFT", to: 0)"#, "Erste", ["MSFT", "KO", "AAPL"]),
                (#"removeFromWatchlist(id: $id, symbols: ["KO", "TSLA"])"#, "Erste", ["MSFT", "AAPL"]),
                (#"renameWatchlist(id: $id, name: " Zweite ")"#, "Zweite", ["MSFT", "AAPL"]),
            ]
            for (step, name, symbols) in steps {
                let answer = try await gateway.ask(
                    "mutation Change($id: ID!) { it: \(step) { watchlist { id name items { symbol } } } }",
                    as: alice, backends, variables: ["id": .string(id)])
                let list = answer["data"]?["it"]?["watchlist"]
                #expect(list?["id"]?.string == id, "\(answer)")
                #expect(list?["name"]?.string == name)
                #expect(Self.symbols(list) == symbols)
            }
            let shown = try await gateway.ask(
                """
                query Lists($id: ID!) {
                  node(id: $id) { id ... on Watchlist { name } }
                  watchlists { id name provider readOnly createdAt updatedAt
                    items { symbol name addedAt quote { price } instrument { assetClass } } }
                  watchlist(id: $id) { items { symbol } }
                }
                """, as: alice, backends, variables: ["id": .string(id)])
            #expect(shown.failures.isEmpty, "\(shown)")
            #expect(shown["data"]?["node"] == .object(["id": .string(id), "name": "Zweite"]))
            let list = shown["data"]?["watchlists"]?[0]
            #expect(shown["data"]?["watchlists"]?.elements?.count == 1)
            #expect(list?["provider"] == .null && list?["readOnly"] == .bool(false))
            #expect(list?["createdAt"]?.string != nil && list?["updatedAt"]?.string != nil)
            let items = try #require(list?["items"]?.elements)
            #expect(
                items.map { $0["name"]?.string } == [
                    "Microsoft Corporation Common Stock", "Apple Inc. Common Stock",
                ])
            for item in items {
                #expect(item["quote"]?["price"]?.string != nil && item["addedAt"]?.string != nil)
                #expect(item["instrument"]?["assetClass"] == "EQUITY")
            }
            #expect(Self.symbols(shown["data"]?["watchlist"]) == ["MSFT", "AAPL"])
            let deletion = "mutation Delete($id: ID!) { deleteWatchlist(id: $id) { deletedId } }"
            let deleted = try await gateway.ask(deletion, as: alice, backends, variables: ["id": .string(id)])
            #expect(deleted["data"]?["deleteWatchlist"]?["deletedId"]?.string == id)
            let again = try await gateway.ask(deletion, as: alice, backends, variables: ["id": .string(id)])
            #expect(again.failures == [FieldFailure("deleteWatchlist", "NOT_FOUND", nil)])
            #expect(again["errors"]?[0]?["message"]?.string == "There is no watchlist \"\(id)\".")
            let after = try await gateway.ask(
                "query Q($id: ID!) { watchlists { id } watchlist(id: $id) { id } }", as: alice, backends,
                variables: ["id": .string(id)])
            #expect(after["data"]?["watchlists"] == .array([]) && after["data"]?["watchlist"] == .null)
            #expect(after.failures.isEmpty)
        }
    }

    @Test("request the prices of all items of all lists in one call")
    func oneCall() async throws {
        try await withGateway { gateway in
            let backends = try gateway.backends([gateway.connection("demo", of: alice)])
            _ = try await Self.create(gateway, backends, "a", #"["KO", "AAPL", "MSFT"]"#)
            _ = try await Self.create(gateway, backends, "b", #"["AAPL", "TSLA"]"#)
            let before = gateway.calls
            let answer = try await gateway.ask(
                "{ watchlists { items { quote { price } chart(last: 3) { symbol } } } }", as: alice, backends)
            #expect(answer.failures.isEmpty, "\(answer)")
            let lists = try #require(answer["data"]?["watchlists"]?.elements)
            #expect(lists.map { $0["items"]?.elements?.count } == [3, 2])
            func made(_ endpoint: String) -> Int { (gateway.calls[endpoint] ?? 0) - (before[endpoint] ?? 0) }
            #expect(made("GET /v2/stocks/snapshots") == 1)
            #expect(made("GET /v2/stocks/bars") == 1)
        }
    }

    /// A mutation on a list of KO and AAPL, and how it is refused.
    static let refusals: [(mutation: String, code: String, message: String)] = [
        (
            #"createWatchlist(input: { name: "  " })"#, "BAD_USER_INPUT",
            #"Argument "input.name": It is empty."#
        ),
        (
            "createWatchlist(input: { name: \"\(String(repeating: "é", count: 65))\" })", "BAD_USER_INPUT",
            #"Argument "input.name": It has 65 characters; at most 64 are allowed."#
        ),
        (
            #"renameWatchlist(id: $id, name: "a\u0007b")"#, "BAD_USER_INPUT",
            #"Argument "name": It contains a control character."#
        ),
        (
            #"createWatchlist(input: { name: "a", symbols: ["KO", "NOSUCH"] })"#, "NOT_FOUND",
            #"Argument "input.symbols[1]": alpaca knows no symbol "NOSUCH"."#
        ),
        (
            #"addToWatchlist(id: $id, symbols: ["NOSUCH", "MSFT"])"#, "NOT_FOUND",
            #"Argument "symbols[0]": alpaca knows no symbol "NOSUCH"."#
        ),
        (
            #"moveInWatchlist(id: $id, symbol: "MSFT", to: 0)"#, "NOT_FOUND",
            #"Argument "symbol": It is not in the list."#
        ),
        (
            #"moveInWatchlist(id: $id, symbol: "KO", to: 2)"#, "BAD_USER_INPUT",
            #"Argument "to": There is no such place: the list has 2 entries, and their places are 0 to 1."#
        ),
        (
            #"renameWatchlist(id: "Watchlist:x", name: "a")"#, "NOT_FOUND",
            #"There is no watchlist "Watchlist:x"."#
        ),
        (#"addToWatchlist(id: "Goal:x", symbols: [])"#, "NOT_FOUND", #"There is no watchlist "Goal:x"."#),
        (
            #"deleteWatchlist(id: "Watchlist:dead:x")"#, "NOT_FOUND",
            #"There is no watchlist "Watchlist:dead:x"."#
        ),
    ]

    @Test("do not change if a change is rejected", arguments: refusals)
    func refuses(_ test: (mutation: String, code: String, message: String)) async throws {
        try await withGateway { gateway in
            let backends = try gateway.backends([gateway.connection("demo", of: alice)])
            let id = try await Self.create(gateway, backends, "Mine", #"["KO", "AAPL"]"#)
            let all = "{ watchlists { id name updatedAt items { symbol addedAt } } }"
            let before = try await gateway.ask(all, as: alice, backends)
            let selection = test.mutation.hasPrefix("delete") ? "deletedId" : "watchlist { id }"
            let declaration = test.mutation.contains("$id") ? "($id: ID!)" : ""
            let answer = try await gateway.ask(
                "mutation M\(declaration) { it: \(test.mutation) { \(selection) } }", as: alice, backends,
                variables: test.mutation.contains("$id") ? ["id": .string(id)] : InputObject())
            #expect(answer["data"]?["it"] == .null)
            #expect(answer.failures.map(\.path) == ["it"] && answer.failures.map(\.code) == [test.code])
            #expect(answer["errors"]?[0]?["message"]?.string == test.message)
            #expect(try await gateway.ask(all, as: alice, backends) == before)
        }
    }

    @Test("a provider that does not respond does not make a symbol unknown")
    func unreadable() async throws {
        try await withGateway { gateway in
            let backends = try gateway.backends([gateway.connection("demo", of: alice)])
            #expect(gateway.sandbox.faults.add(Fault(.status(500), provider: .alpaca)))
            let answer = try await gateway.ask(
                #"mutation { createWatchlist(input: { name: "a", symbols: ["KO"] }) { watchlist { id } } }"#,
                as: alice, backends)
            #expect(answer.failures == [FieldFailure("createWatchlist", "PROVIDER_UNAVAILABLE")])
            #expect(answer["errors"]?[0]?["extensions"]?["argument"] == "input.symbols[0]")
            gateway.sandbox.faults.reset()
            let lists = try await gateway.ask("{ watchlists { id } }", as: alice, backends)
            #expect(lists["data"]?["watchlists"] == .array([]))
        }
    }

    @Test("are listed for an instrument")
    func inWatchlists() async throws {
        try await withGateway { gateway in
            let backends = try gateway.backends([gateway.connection("demo", of: alice)])
            _ = try await Self.create(gateway, backends, "a", #"["KO", "AAPL"]"#)
            _ = try await Self.create(gateway, backends, "b", #"["AAPL"]"#)
            let answer = try await gateway.ask(
                """
                { aapl: instrument(symbol: "AAPL") { inWatchlists { name } }
                  msft: instrument(symbol: "MSFT") { inWatchlists { name } }
                  search(text: "coca") { instrument { symbol inWatchlists { name } } } }
                """, as: alice, backends)
            #expect(answer.failures.isEmpty, "\(answer)")
            let names = ["aapl", "msft"].map { name in
                answer["data"]?[name]?["inWatchlists"]?.elements?.map { $0["name"]?.string }
            }
            #expect(names == [["a", "b"], []])
            let hit = answer["data"]?["search"]?.elements?.first { $0["instrument"]?["symbol"] == "KO" }
            #expect(hit?["instrument"]?["inWatchlists"]?.elements?.count == 1)
            // Without a session there is nobody whose lists they could be.
            let anonymous = try await gateway.ask(
                #"{ instrument(symbol: "KO") { symbol inWatchlists { name } } }"#, as: nil, backends)
            #expect(anonymous.failures.map(\.code) == ["UNAUTHENTICATED"])
        }
    }

    @Test("of another user do not exist")
    func foreign() async throws {
        try await withGateway { gateway in
            let backends = try gateway.backends([])
            let id = try await Self.create(gateway, backends, "a", "[]")
            for mutation in [
                "renameWatchlist(id: $id, name: \"b\") { watchlist { id } }",
                "addToWatchlist(id: $id, symbols: []) { watchlist { id } }",
                "deleteWatchlist(id: $id) { deletedId }",
            ] {
                let answer = try await gateway.ask(
                    "mutation M($id: ID!) { it: \(mutation) }", as: bob, backends,
                    variables: ["id": .string(id)])
                #expect(answer.failures == [FieldFailure("it", "NOT_FOUND", nil)])
            }
            let seen = try await gateway.ask(
                "query Q($id: ID!) { watchlists { id } watchlist(id: $id) { id } node(id: $id) { id } }",
                as: bob, backends, variables: ["id": .string(id)])
            #expect(seen["data"]?["watchlists"] == .array([]))
            #expect(seen["data"]?["watchlist"] == .null && seen["data"]?["node"] == .null)
        }
    }
}
