import Alpaca
import Brokerage
import Gateway
import GraphQL
import Sandbox
import TestSupport
import Testing
import Upstream

@Suite("Watchlists at a broker")
struct BrokerWatchlistTests {
    private static let all = "{ watchlists { id name provider readOnly items { symbol name addedAt } } }"

    /// Makes a list at Alpaca, as a user does there.
    private func make(
        _ name: String, _ symbols: [String], _ gateway: TestGateway, of user: SandboxUser = .demo
    ) async throws {
        let symbols = try symbols.map { try #require(Symbol($0)) }
        _ = try await gateway.client(user).createWatchlist(
            named: name, of: symbols, in: CallContext(deadline: .now + .seconds(3_600)))
    }

    private func kept(_ gateway: TestGateway) async throws -> [BrokerWatchlist] {
        try await gateway.client(.demo).watchlists(in: CallContext(deadline: .now + .seconds(3_600))).lists
    }

    private func id(_ name: String, _ answer: JSONValue) throws -> String {
        let lists = try #require(answer["data"]?["watchlists"]?.elements)
        return try #require(lists.first { $0["name"]?.string == name }?["id"]?.string)
    }

    @Test("follow Portico's own, with the names of the broker")
    func beside() async throws {
        try await withGateway { gateway in
            let backends = try gateway.backends([gateway.connection("demo", of: alice)])
            try await make("Theirs", ["AAPL", "BRK.B"], gateway)
            _ = try await WatchlistTests.create(gateway, backends, "Mine", #"["KO"]"#)
            let answer = try await gateway.ask(Self.all, as: alice, backends)
            #expect(answer.failures.isEmpty, "\(answer)")
            let lists = try #require(answer["data"]?["watchlists"]?.elements)
            #expect(lists.map { $0["name"]?.string } == ["Mine", "Theirs"])
            #expect(lists.map { $0["provider"] } == [.null, "alpaca"])
            #expect(lists[1]["readOnly"] == .bool(false))
            #expect(WatchlistTests.symbols(lists[1]) == ["AAPL", "BRK.B"])
            let items = try #require(lists[1]["items"]?.elements)
            #expect(items.allSatisfy { $0["name"]?.string != nil && $0["addedAt"] == .null })
            // Nobody else sees them.
            let foreign = try await gateway.ask(Self.all, as: bob, backends)
            #expect(foreign["data"]?["watchlists"] == .array([]))
        }
    }

    @Test("of a failing connection are one null with an error, after all others")
    func unreadable() async throws {
        try await withGateway { gateway in
            let backends = try gateway.backends([
                gateway.connection("dead", of: alice, isReachable: false),
                gateway.connection("second", of: alice, .second),
            ])
            try await make("Theirs", ["AAPL"], gateway, of: .second)
            _ = try await WatchlistTests.create(gateway, backends, "Mine", #"["KO"]"#)
            let answer = try await gateway.ask(Self.all, as: alice, backends)
            let lists = try #require(answer["data"]?["watchlists"]?.elements)
            #expect(lists.map { $0["name"]?.string } == ["Mine", "Theirs", nil])
            #expect(answer.failures == [FieldFailure("watchlists.2", "PROVIDER_UNAVAILABLE")])
        }
    }

    @Test("are changed at the broker, with one write each, and returned with their new state")
    func changes() async throws {
        try await withGateway { gateway in
            let backends = try gateway.backends([gateway.connection("demo", of: alice)])
            try await make("Theirs", ["AAPL", "KO"], gateway)
            try await make("Others", ["TSLA"], gateway)
            let id = try id("Theirs", try await gateway.ask(Self.all, as: alice, backends))
            let steps = [
                (#"addToWatchlist(id: $id, symbols: ["MSFT", "KO"])"#, "Theirs", ["AAPL", "KO", "MSFT"]),
                (#"moveInWatchlist(id: $id, symbol: "MSFT", to: 0)"#, "Theirs", ["MSFT", "AAPL", "KO"]),
                (#"removeFromWatchlist(id: $id, symbols: ["AAPL"])"#, "Theirs", ["MSFT", "KO"]),
                (#"renameWatchlist(id: $id, name: "Mine")"#, "Mine", ["MSFT", "KO"]),
                // What changes nothing is not written.
                (#"addToWatchlist(id: $id, symbols: ["KO"])"#, "Mine", ["MSFT", "KO"]),
            ]
            for (step, name, symbols) in steps {
                let answer = try await gateway.ask(
                    "mutation M($id: ID!) { it: \(step) { watchlist { id name items { symbol } } } }",
                    as: alice, backends, variables: ["id": .string(id)])
                let list = answer["data"]?["it"]?["watchlist"]
                #expect(list?["id"]?.string == id, "\(answer)")
                #expect(list?["name"]?.string == name && WatchlistTests.symbols(list) == symbols)
                let shown = try await gateway.ask(Self.all, as: alice, backends)
                #expect(WatchlistTests.symbols(shown["data"]?["watchlists"]?[0]) == symbols)
                #expect(try await kept(gateway).first?.items.map(\.symbol.text) == symbols)
            }
            #expect(gateway.calls["PUT /v2/watchlists/{watchlist_id}"] == 4)
            let deleted = try await gateway.ask(
                "mutation M($id: ID!) { deleteWatchlist(id: $id) { deletedId } }", as: alice, backends,
                variables: ["id": .string(id)])
            #expect(deleted["data"]?["deleteWatchlist"]?["deletedId"]?.string == id)
            #expect(try await kept(gateway).map(\.name) == ["Others"])
            let shown = try await gateway.ask(Self.all, as: alice, backends)
            #expect(shown["data"]?["watchlists"]?.elements?.count == 1)
        }
    }

    @Test("are not written again after a lost response, and are read again")
    func lostAnswer() async throws {
        try await withGateway { gateway in
            let backends = try gateway.backends([gateway.connection("demo", of: alice)])
            try await make("Theirs", ["AAPL"], gateway)
            let id = try id("Theirs", try await gateway.ask(Self.all, as: alice, backends))
            let endpoint = "PUT /v2/watchlists/{watchlist_id}"
            #expect(gateway.sandbox.faults.add(Fault(.truncatedBody, endpoint: endpoint)))
            let answer = try await gateway.ask(
                #"mutation M($id: ID!) { addToWatchlist(id: $id, symbols: ["KO"]) { watchlist { id } } }"#,
                as: alice, backends, variables: ["id": .string(id)])
            #expect(answer.failures == [FieldFailure("addToWatchlist", "PROVIDER_UNAVAILABLE")])
            #expect(gateway.calls[endpoint] == 1)
            let before = gateway.calls["GET /v2/watchlists"] ?? 0
            _ = try await gateway.ask(Self.all, as: alice, backends)
            #expect(gateway.calls["GET /v2/watchlists"] == before + 1)
        }
    }

    @Test("lose no concurrent change")
    func together() async throws {
        try await withGateway { gateway in
            let backends = try gateway.backends([gateway.connection("demo", of: alice)])
            try await make("Theirs", [], gateway)
            let id = try id("Theirs", try await gateway.ask(Self.all, as: alice, backends))
            let symbols = ["AAPL", "KO", "MSFT", "TSLA", "SPY", "QQQ", "DIS", "JPM", "NVDA", "VTI"]
            try await withThrowingTaskGroup(of: Void.self) { group in
                for symbol in symbols {
                    group.addTask {
                        let answer = try await gateway.ask(
                            """
                            mutation M($id: ID!) {
                              addToWatchlist(id: $id, symbols: ["\(symbol)"]) { watchlist { id } } }
                            """, as: alice, backends, variables: ["id": .string(id)])
                        #expect(answer.failures.isEmpty, "\(answer)")
                    }
                }
                try await group.waitForAll()
            }
            let kept = try #require(try await kept(gateway).first)
            #expect(Set(kept.items.map(\.symbol.text)) == Set(symbols))
            #expect(kept.items.count == symbols.count)
        }
    }

    @Test(
        "whose id is not in the broker's form, or that the user does not have, are not changed",
        arguments: ["..", ".", "", "no", "../orders", "00000000-0000-4000-8000-000000000000"])
    func foreign(_ list: String) async throws {
        try await withGateway { gateway in
            let backends = try gateway.backends([gateway.connection("demo", of: alice)])
            try await make("Theirs", ["AAPL"], gateway)
            let isID = list.utf8.count == 36
            let before = gateway.calls.values.reduce(0, +)
            for field in [
                "deleteWatchlist(id: $id) { deletedId }",
                #"renameWatchlist(id: $id, name: "Others") { watchlist { id } }"#,
                #"removeFromWatchlist(id: $id, symbols: ["AAPL"]) { watchlist { id } }"#,
            ] {
                let answer = try await gateway.ask(
                    "mutation M($id: ID!) { it: \(field) }", as: alice, backends,
                    variables: ["id": .string("Watchlist:demo:\(list)")])
                #expect(answer.failures.map(\.code) == ["NOT_FOUND"], "\(answer)")
                #expect(answer.failures.map(\.path) == ["it"])
            }
            // A well-formed id is looked up each time, and nothing is written.
            let reads = gateway.calls["GET /v2/watchlists/{watchlist_id}"] ?? 0
            #expect(gateway.calls.values.reduce(0, +) - before == (isID ? 3 : 0), "\(gateway.calls)")
            #expect(reads == (isID ? 3 : 0))
            #expect(try await kept(gateway).map(\.name) == ["Theirs"])
        }
    }

    @Test("have errors of the broker that the user can correct")
    func refused() async throws {
        try await withGateway { gateway in
            let backends = try gateway.backends([gateway.connection("demo", of: alice)])
            try await make("Theirs", ["AAPL"], gateway)
            try await make("Others", [], gateway)
            let id = try id("Theirs", try await gateway.ask(Self.all, as: alice, backends))
            let answer = try await gateway.ask(
                #"mutation M($id: ID!) { renameWatchlist(id: $id, name: "Others") { watchlist { id } } }"#,
                as: alice, backends, variables: ["id": .string(id)])
            #expect(answer.failures == [FieldFailure("renameWatchlist", "BAD_USER_INPUT")])
            #expect(
                answer["errors"]?[0]?["message"]?.string
                    == """
                    Argument "name": alpaca refused the change: another of its lists may have the name, or it does not have one of \
                    the symbols.
                    """)
            #expect(answer["errors"]?[0]?["extensions"]?["argument"] == "name")
            let gone = try await gateway.ask(
                #"mutation { addToWatchlist(id: "Watchlist:demo:no", symbols: ["KO"]) { watchlist { id } } }"#,
                as: alice, backends)
            #expect(gone.failures == [FieldFailure("addToWatchlist", "NOT_FOUND", nil)])
        }
    }
}
