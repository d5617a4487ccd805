import Brokerage
import Gateway
import GraphQL
import Sandbox
import TestSupport
import Testing
import Upstream

@Suite("Two users with equal lists and goals")
struct ListIsolationTests {
    private static let names = ["Tech", "Täglich", "Mine", "a", "A"]
    private static let symbols = """
        AAPL ADBE AMD AMZN AVGO BA BAC C CAT COST CRM CVX DIS GLD GOOGL HD IBM INTC JNJ JPM
        """.split(whereSeparator: \.isWhitespace).map(String.init)

    /// What one of many clients of a user does: it alone touches its entry of a list, and its goal.
    private struct Client: Sendable {
        let user: OwnerID
        let list: Int
        let symbol: String
        /// The title that a client of the other user gives a goal too.
        let title: String
        /// Whether the entry is to be there, step by step.
        let steps: [Bool]
        /// The targets that the goal has, one after the other; the goal is deleted at the end where the last is nil.
        let targets: [Int?]

        init(_ user: OwnerID, number: Int, using random: inout SplitMix) {
            self.user = user
            list = number / ListIsolationTests.symbols.count
            symbol = ListIsolationTests.symbols[number % ListIsolationTests.symbols.count]
            title = "Goal \(number)"
            steps = (0..<Int.random(in: 2...5, using: &random)).map { _ in Bool.random(using: &random) }
            let targets = (0..<Int.random(in: 1...3, using: &random)).map { _ in
                Optional(Int.random(in: 1...1_000_000, using: &random))
            }
            self.targets = Bool.random(using: &random) ? targets : targets + [nil]
        }
    }

    /// Does what the client does, and looks at every answer.
    private func play(
        _ client: Client, _ gateway: TestGateway, _ backends: GatewayServices, lists: [String]
    ) async throws {
        func change(_ mutation: String, _ selection: String) async throws -> JSONValue {
            let answer = try await gateway.ask(
                "mutation { it: \(mutation) { \(selection) } }", as: client.user, backends)
            #expect(answer.failures.isEmpty, "\(answer)")
            return try #require(answer["data"]?["it"])
        }
        let list = lists[client.list]
        var goal: String?
        for (step, isIn) in client.steps.enumerated() {
            let changed = try await change(
                """
                \(isIn ? "addToWatchlist" : "removeFromWatchlist")(id: "\(list)", symbols: ["\(client.symbol)"])
                """, "watchlist { id name items { symbol } }")["watchlist"]
            #expect(changed?["id"]?.string == list)
            #expect(changed?["name"]?.string == Self.names[client.list])
            #expect(WatchlistTests.symbols(changed)?.contains(client.symbol) == isIn)
            guard client.targets.indices.contains(step) else { continue }
            goal = try await next(of: client, client.targets[step], goal, change)
        }
        for target in client.targets.dropFirst(client.steps.count) {
            goal = try await next(of: client, target, goal, change)
        }
    }

    /// Makes, changes or deletes the client's goal; its id where there is one afterwards.
    private func next(
        of client: Client, _ target: Int?, _ goal: String?,
        _ change: (String, String) async throws -> JSONValue
    ) async throws -> String? {
        switch (goal, target) {
        case (nil, let target?):
            let made = try await change(
                """
                createGoal(input: { title: "\(client.title)", target: \(target),
                    allocations: [{ symbol: "AAPL", share: { percentage: "0.5" } }] })
                """, "goal { id title target }")["goal"]
            #expect(made?["title"]?.string == client.title && made?["target"]?.string == "\(target)")
            return made?["id"]?.string
        case (let goal?, let target?):
            let changed = try await change(
                "updateGoal(id: \"\(goal)\", input: { target: \(target) })", "goal { id title target }")[
                    "goal"]
            #expect(changed?["id"]?.string == goal && changed?["title"]?.string == client.title)
            #expect(changed?["target"]?.string == "\(target)")
            return goal
        case (let goal?, nil):
            let deleted = try await change("deleteGoal(id: \"\(goal)\")", "deletedId")
            #expect(deleted["deletedId"]?.string == goal)
            return nil
        case (nil, nil): return nil
        }
    }

    /// What must be there in the end: the entries of each list, and the goals' targets by title.
    private func expect(
        _ clients: [Client], of user: OwnerID, _ gateway: TestGateway, _ backends: GatewayServices
    ) async throws {
        let answer = try await gateway.ask(
            "{ watchlists { name items { symbol } } goals { title target } }", as: user, backends)
        #expect(answer.failures.isEmpty, "\(answer)")
        let own = clients.filter { $0.user == user }
        let lists = try #require(answer["data"]?["watchlists"]?.elements)
        #expect(lists.map { $0["name"]?.string } == Self.names)
        for (index, list) in lists.enumerated() {
            let expected = own.filter { $0.list == index && $0.steps.last == true }.map(\.symbol)
            #expect(WatchlistTests.symbols(list)?.sorted() == expected.sorted())
        }
        let goals = try #require(answer["data"]?["goals"]?.elements)
        let targets = goals.map { "\($0["title"]?.string ?? "?"): \($0["target"]?.string ?? "?")" }
        let expected = own.compactMap { client in
            client.targets.last.flatMap(\.self).map { "\(client.title): \($0)" }
        }
        #expect(targets.sorted() == expected.sorted())
    }

    @Test(
        "and two hundred clients lose no update and see no data of each other, in any interleaving",
        arguments: [1, 2, 3] as [UInt64])
    func interleavings(seed: UInt64) async throws {
        try await withGateway(seed: seed) { gateway in
            let backends = try gateway.backends([
                gateway.connection("alpaca", of: alice, .demo),
                gateway.connection("alpaca", of: bob, .second),
            ])
            var random = SplitMix(seed: seed)
            var lists: [OwnerID: [String]] = [:]
            for user in [alice, bob] {
                for name in Self.names {
                    let made = try await gateway.ask(
                        "mutation { createWatchlist(input: { name: \"\(name)\" }) { watchlist { id } } }",
                        as: user, backends)
                    let id = try #require(made["data"]?["createWatchlist"]?["watchlist"]?["id"]?.string)
                    lists[user, default: []].append(id)
                }
            }
            var clients: [Client] = []
            for number in 0..<100 {
                for user in [alice, bob] { clients.append(Client(user, number: number, using: &random)) }
            }
            clients.shuffle(using: &random)
            #expect(gateway.sandbox.faults.add(Fault(.latency(.milliseconds(2)), percent: 30)))
            try await withThrowingTaskGroup(of: Void.self) { group in
                for client in clients {
                    let lists = try #require(lists[client.user])
                    group.addTask { try await play(client, gateway, backends, lists: lists) }
                }
                try await group.waitForAll()
            }
            for user in [alice, bob] { try await expect(clients, of: user, gateway, backends) }
        }
    }
}
