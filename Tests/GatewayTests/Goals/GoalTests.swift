import Brokerage
import Gateway
import GraphQL
import Sandbox
import TestSupport
import Testing
import Upstream

@Suite("Goals")
struct GoalTests {
    /// Makes a goal of alice's, and tells its id.
    static func create(_ gateway: TestGateway, _ backends: GatewayServices, _ input: String) async throws
        -> String
    {
        let answer = try await gateway.ask(
            "mutation { createGoal(input: \(input)) { goal { id } } }", as: alice, backends)
        return try #require(answer["data"]?["createGoal"]?["goal"]?["id"]?.string, "\(answer)")
    }

    /// What alice's positions are worth, by symbol.
    static func values(_ gateway: TestGateway, _ backends: GatewayServices) async throws -> [String: Decimal]
    {
        let answer = try await gateway.ask("{ positions { symbol marketValue } }", as: alice, backends)
        let positions = try #require(answer["data"]?["positions"]?.elements)
        return try positions.reduce(into: [:]) { values, position in
            let symbol = try #require(position["symbol"]?.string)
            let value: Decimal = try #require(decimal(position["marketValue"]))
            values[symbol] = value
        }
    }

    static func decimal(_ value: JSONValue?) -> Decimal? {
        value?.string.flatMap { Decimal($0) }
    }

    @Test("sum allocations exactly, for each and for all")
    func progress() async throws {
        try await withGateway { gateway in
            let backends = try gateway.backends([gateway.connection("demo", of: alice)])
            let values = try await Self.values(gateway, backends)
            let aapl = try #require(values["AAPL"])
            let ko = try #require(values["KO"])
            let msft = try #require(values["MSFT"])
            // Of KO 120 pieces are held.
            let quarter = try (ko * 30).divided(by: 120, to: 10, .halfEven)
            let house = try aapl + quarter + msft.divided(by: 2, to: 10, .halfEven)
            let made = try await gateway.ask(
                """
                mutation { createGoal(input: { title: "House", description: "By the sea", target: "25000.50",
                    dueOn: "2031-06-30",
                    allocations: [{ symbol: "AAPL" }, { symbol: "KO", share: { quantity: "30" } },
                                  { symbol: "MSFT", share: { percentage: 50 } }] }) {
                  goal { id title description target currency dueOn achieved progressPercentage createdAt updatedAt
                    allocations { symbol quantity percentage value rate { rate } account { id }
                                  positions { symbol } instrument { name } } }
                  goalsProgress { achieved target progressPercentage currency stale source } } }
                """, as: alice, backends)
            #expect(made.failures.isEmpty, "\(made)")
            let payload = made["data"]?["createGoal"]
            let goal = payload?["goal"]
            #expect(goal?["title"] == "House" && goal?["description"] == "By the sea")
            #expect(goal?["target"] == "25000.50" && goal?["currency"] == "USD")
            #expect(goal?["dueOn"] == "2031-06-30")
            #expect(Self.decimal(goal?["achieved"]) == house)
            let shares = try #require(goal?["allocations"]?.elements)
            #expect(shares.map { $0["symbol"] } == ["AAPL", "KO", "MSFT"])
            #expect(shares.map { $0["quantity"] } == [.null, "30", .null])
            #expect(shares.map { $0["percentage"] } == [.null, .null, "50"])
            #expect(Self.decimal(shares[0]["value"]) == aapl)
            #expect(shares.allSatisfy { $0["rate"] == .null && $0["account"] == .null })
            #expect(shares.allSatisfy { $0["positions"]?[0]?["symbol"] == $0["symbol"] })
            #expect(shares.allSatisfy { $0["instrument"]?["name"]?.string != nil })
            let target = try #require(Decimal("25000.50"))
            #expect(Self.decimal(goal?["progressPercentage"]) == house.percent(of: target))
            #expect(payload?["goalsProgress"]?["achieved"] == goal?["achieved"])
            #expect(payload?["goalsProgress"]?["progressPercentage"] == goal?["progressPercentage"])
            #expect(payload?["goalsProgress"]?["source"] == "alpaca")

            // The rest of KO for another goal.
            _ = try await Self.create(
                gateway, backends,
                #"{ title: "Boat", target: 1000, allocations: [{ symbol: "KO", share: { quantity: 90 } }] }"#)
            let all = try await gateway.ask(
                "{ goals { title achieved } goalsProgress { achieved target progressPercentage } }",
                as: alice, backends
            )
            #expect(all["data"]?["goals"]?.elements?.map { $0["title"] } == ["House", "Boat"])
            let whole = try house + (ko * 90).divided(by: 120, to: 10, .halfEven)
            #expect(Self.decimal(all["data"]?["goalsProgress"]?["achieved"]) == whole)
            #expect(try Self.decimal(all["data"]?["goalsProgress"]?["target"]) == target + 1000)
        }
    }

    @Test("without a goal there is no progress")
    func none() async throws {
        try await withGateway { gateway in
            let backends = try gateway.backends([])
            let answer = try await gateway.ask(
                """
                { goals { id }
                  goalsProgress(currency: "EUR") { currency achieved target progressPercentage fetchedAt stale } }
                """, as: alice, backends)
            #expect(
                try answer
                    == JSONValue(
                        parsing: """
                            {"data":{"goals":[],"goalsProgress":{"currency":"EUR","achieved":"0","target":"0",
                            "progressPercentage":null,"fetchedAt":null,"stale":false}}}
                            """))
        }
    }

    @Test("read the broker once, for any number of goals and fields")
    func oneCall() async throws {
        try await withGateway { gateway in
            let backends = try gateway.backends([gateway.connection("demo", of: alice)])
            for symbol in ["KO", "AAPL", "MSFT"] {
                _ = try await Self.create(
                    gateway, backends,
                    "{ title: \"a\", target: 1, allocations: [{ symbol: \"\(symbol)\" }] }")
            }
            gateway.clock.advance(by: .seconds(60))
            let before = gateway.calls["GET /v2/positions"] ?? 0
            let answer = try await gateway.ask(
                """
                { goals { achieved progressPercentage allocations { value rate { rate } positions { symbol } } }
                  goalsProgress { achieved } }
                """, as: alice, backends)
            #expect(answer.failures.isEmpty, "\(answer)")
            #expect(gateway.calls["GET /v2/positions"] == before + 1)
        }
    }

    @Test("convert by the market's rate, and return it")
    func currencies() async throws {
        try await withGateway { gateway in
            let backends = try gateway.market(
                [gateway.alpaca(), gateway.yahoo()], connections: [gateway.connection("demo", of: alice)])
            let ko = try #require(try await Self.values(gateway, backends)["KO"])
            _ = try await Self.create(
                gateway, backends,
                #"{ title: "Haus", target: "10000", currency: "EUR", allocations: [{ symbol: "KO" }] }"#)
            _ = try await Self.create(
                gateway, backends, #"{ title: "House", target: "500", allocations: [] }"#)
            let answer = try await gateway.ask(
                """
                { goals { currency achieved allocations { value rate { from to rate source } } }
                  euros: goalsProgress(currency: "EUR") { achieved target source }
                  dollars: goalsProgress { achieved target } }
                """, as: alice, backends)
            #expect(answer.failures.isEmpty, "\(answer)")
            let goal = answer["data"]?["goals"]?[0]
            let rate = goal?["allocations"]?[0]?["rate"]
            #expect(rate?["from"] == "USD" && rate?["to"] == "EUR" && rate?["source"] == "yahoo")
            let factor = try #require(Self.decimal(rate?["rate"]))
            let euros = try (ko * factor).rounded(to: 4, .halfEven)
            #expect(Self.decimal(goal?["achieved"]) == euros)
            #expect(Self.decimal(goal?["allocations"]?[0]?["value"]) == euros)
            #expect(Self.decimal(answer["data"]?["euros"]?["achieved"]) == euros)
            // Positions by Alpaca, the rate by Yahoo.
            #expect(answer["data"]?["euros"]?["source"] == .null)
            let target = try (factor * 500).rounded(to: 4, .halfEven) + 10_000
            #expect(Self.decimal(answer["data"]?["euros"]?["target"]) == target)
            // In dollars nothing was converted: the positions are in dollars.
            #expect(Self.decimal(answer["data"]?["dollars"]?["achieved"]) == ko)
            #expect(answer["data"]?["goals"]?[1]?["achieved"] == "0")
        }
    }

    @Test("in a currency without a rate are unknown, and the others are not")
    func noRate() async throws {
        try await withGateway { gateway in
            let backends = try gateway.backends([gateway.connection("demo", of: alice)])
            for currency in ["EUR", "USD"] {
                _ = try await Self.create(
                    gateway, backends,
                    """
                    { title: "a", target: 1, currency: "\(currency)",
                      allocations: [{ symbol: "KO", share: { percentage: 50 } }] }
                    """)
            }
            let answer = try await gateway.ask(
                "{ goals { achieved } goalsProgress { achieved target } }", as: alice, backends)
            #expect(answer["data"]?["goals"]?[0]?["achieved"] == .null)
            #expect(answer["data"]?["goals"]?[1]?["achieved"]?.string != nil)
            #expect(answer["data"]?["goalsProgress"]?["achieved"]?.string != nil)
            #expect(
                answer.failures == [
                    FieldFailure("goals.0.achieved", "NO_EXCHANGE_RATE", nil),
                    FieldFailure("goalsProgress.target", "NO_EXCHANGE_RATE", nil),
                ])
        }
    }

    @Test("use the named account only, and all without one")
    func accounts() async throws {
        try await withGateway { gateway in
            let backends = try gateway.backends([
                gateway.connection("demo", of: alice, .demo),
                gateway.connection("second", of: alice, .second),
            ])
            let accounts = try await gateway.ask(
                "{ accounts { id positions(symbols: [\"AAPL\"]) { marketValue } } }", as: alice, backends)
            let list = try #require(accounts["data"]?["accounts"]?.elements)
            let values = list.compactMap { Self.decimal($0["positions"]?[0]?["marketValue"]) }
            try #require(values.count == 2)
            let id = try #require(list[1]["id"]?.string)
            _ = try await Self.create(
                gateway, backends,
                "{ title: \"a\", target: 1, allocations: [{ symbol: \"AAPL\", accountId: \"\(id)\" }] }")
            // 52.25 and 7.5 are held, and 7.5 are allocated.
            _ = try await Self.create(
                gateway, backends,
                #"{ title: "b", target: 1, allocations: [{ symbol: "AAPL", share: { quantity: "52.25" } }] }"#
            )
            let answer = try await gateway.ask(
                "{ goals { allocations { value account { id number } positions { account { number } } } } }",
                as: alice, backends)
            #expect(answer.failures.isEmpty, "\(answer)")
            let shares = try #require(answer["data"]?["goals"]?.elements).map { $0["allocations"]?[0] }
            #expect(shares[0]?["account"] == .object(["id": .string(id), "number": "PA3SANDBOX2"]))
            #expect(Self.decimal(shares[0]?["value"]) == values[1])
            #expect(shares[0]?["positions"]?.elements?.count == 1)
            #expect(shares[1]?["account"] == .null && shares[1]?["positions"]?.elements?.count == 2)
            let pieces = try #require(Decimal("52.25"))
            let held = try #require(Decimal("59.75"))
            let parts = try values.map { try ($0 * pieces).divided(by: held, to: 10, .halfEven) }
            #expect(try Self.decimal(shares[1]?["value"]) == parts[0] + parts[1])
        }
    }

    @Test("with a sold position continue without it, and report it")
    func sold() async throws {
        try await withGateway { gateway in
            let backends = try gateway.backends([gateway.connection("demo", of: alice)])
            _ = try await Self.create(
                gateway, backends,
                """
                { title: "a", target: 10000, allocations: [{ symbol: "AAPL" }, { symbol: "KO" },
                    { symbol: "MSFT", share: { quantity: 10 } }] }
                """)
            try await gateway.sell("120", "KO")
            try await gateway.sell("9", "MSFT")
            gateway.clock.advance(by: .seconds(60))
            let values = try await Self.values(gateway, backends)
            #expect(values["KO"] == nil)
            let answer = try await gateway.ask(
                "{ goals { achieved allocations { symbol value positions { quantity } } } }", as: alice,
                backends)
            #expect(answer.failures.isEmpty, "\(answer)")
            let goal = answer["data"]?["goals"]?[0]
            let shares = try #require(goal?["allocations"]?.elements)
            #expect(shares[1]["value"] == "0" && shares[1]["positions"] == .array([]))
            // 5 of 14 are left, where 10 were allocated: all that is left counts.
            #expect(shares[2]["positions"]?[0]?["quantity"] == "5")
            #expect(Self.decimal(shares[2]["value"]) == values["MSFT"])
            let aapl = try #require(values["AAPL"])
            let msft = try #require(values["MSFT"])
            #expect(try Self.decimal(goal?["achieved"]) == aapl + msft)
        }
    }

    @Test("are unknown while a broker does not respond, and not a smaller sum")
    func unreadable() async throws {
        try await withGateway { gateway in
            let whole = try gateway.backends([
                gateway.connection("demo", of: alice, .demo),
                gateway.connection("second", of: alice, .second),
            ])
            let accounts = try await gateway.ask("{ accounts { id } }", as: alice, whole)
            let demo = try #require(accounts["data"]?["accounts"]?[0]?["id"]?.string)
            for (title, allocations) in [
                ("any", "{ symbol: \"KO\" }"), ("one", "{ symbol: \"MSFT\", accountId: \"\(demo)\" }"),
                ("nothing", ""),
            ] {
                _ = try await Self.create(
                    gateway, whole, "{ title: \"\(title)\", target: 1, allocations: [\(allocations)] }")
            }
            let broken = try gateway.backends([
                gateway.connection("demo", of: alice, .demo),
                gateway.connection("second", of: alice, .second, isReachable: false),
            ])
            let answer = try await gateway.ask(
                """
                { goals { title achieved progressPercentage allocations { value positions { symbol } } }
                  goalsProgress { achieved target progressPercentage } }
                """, as: alice, broken)
            let goals = try #require(answer["data"]?["goals"]?.elements)
            // What the named account holds is known; of the rest the other one might hold some.
            #expect(goals[1]["achieved"]?.string != nil && goals[2]["achieved"] == "0")
            #expect(goals[0]["achieved"] == .null && goals[0]["allocations"]?[0]?["value"] == .null)
            #expect(goals[0]["allocations"]?[0]?["positions"]?.elements?.count == 2)
            #expect(answer["data"]?["goalsProgress"]?["achieved"] == .null)
            #expect(answer["data"]?["goalsProgress"]?["target"] == "3")
            let places = [
                "goals.0.achieved", "goals.0.progressPercentage", "goals.0.allocations.0.value",
                "goals.0.allocations.0.positions.1", "goalsProgress.achieved",
                "goalsProgress.progressPercentage",
            ]
            #expect(Set(answer.failures) == Set(places.map { FieldFailure($0, "PROVIDER_UNAVAILABLE") }))
            // Without a connection nobody can say.
            let alone = try await gateway.ask(
                "{ goals { achieved allocations { value positions { symbol } } } }", as: alice,
                gateway.backends([]))
            #expect(alone["data"]?["goals"]?[0]?["achieved"] == .null)
            #expect(alone["data"]?["goals"]?[0]?["allocations"]?[0]?["positions"] == .null)
            #expect(alone.failures.isEmpty)
        }
    }

    @Test("of another user do not exist")
    func foreign() async throws {
        try await withGateway { gateway in
            let backends = try gateway.backends([])
            let id = try await Self.create(gateway, backends, "{ title: \"a\", target: 1, allocations: [] }")
            for mutation in [
                "updateGoal(id: $id, input: { title: \"b\" }) { goal { id } }",
                "deleteGoal(id: $id) { deletedId }",
            ] {
                let answer = try await gateway.ask(
                    "mutation M($id: ID!) { it: \(mutation) }", as: bob, backends,
                    variables: ["id": .string(id)])
                #expect(answer.failures == [FieldFailure("it", "NOT_FOUND", nil)])
            }
            let all = "{ goals { id } }"
            #expect(try await gateway.ask(all, as: bob, backends)["data"]?["goals"] == .array([]))
            let node = "query N($id: ID!) { node(id: $id) { ... on Goal { title } } }"
            for (user, found) in [(alice, JSONValue.object(["title": "a"])), (bob, .null)] {
                let answer = try await gateway.ask(node, as: user, backends, variables: ["id": .string(id)])
                #expect(answer["data"]?["node"] == found && answer.failures.isEmpty)
            }
            let deleted = try await gateway.ask(
                "mutation M($id: ID!) { deleteGoal(id: $id) { deletedId } }", as: alice, backends,
                variables: ["id": .string(id)])
            #expect(deleted["data"]?["deleteGoal"]?["deletedId"]?.string == id)
            #expect(try await gateway.ask(all, as: alice, backends)["data"]?["goals"] == .array([]))
        }
    }
}

extension TestGateway {
    /// Sells something of the demo user's at the market, as a user does at Alpaca.
    func sell(_ quantity: String, _ symbol: String) async throws {
        let match = try #require(sandbox.alpaca.tradingURL.firstMatch(of: /:([0-9]+)/))
        let client = try RawClient(port: try #require(Int(match.1)))
        defer { client.close() }
        let order = """
            {"symbol":"\(symbol)","qty":"\(quantity)","side":"sell","type":"market","time_in_force":"day"}
            """
        let token = SandboxUser.demo.alpaca.token
        try await client.send(
            RawRequest.post(order, path: "/alpaca/v2/orders", fields: ["Authorization: Bearer \(token)"]))
        let answer = try await client.response()
        try #require(answer.status == 200, "\(answer.body)")
    }
}
