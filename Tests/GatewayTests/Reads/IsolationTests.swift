import Brokerage
import Gateway
import GraphQL
import Sandbox
import TestSupport
import Testing
import Upstream

@Suite("Two users")
struct IsolationTests {
    /// What each may ask that is nobody else's business.
    private static let queries = [
        "{ account { id number equity cash lastEquity } }",
        "{ accounts { id number positions { id symbol marketValue } } }",
        "{ positions { id symbol quantity averageEntryPrice quote { symbol price } } }",
        "{ account { number history(range: FIVE_DAYS) { baseValue points { time equity profitLoss } } } }",
        homeScreen,
    ]

    /// Connections that only their owner tells apart, as those of a server where everybody connects one broker.
    private func connections(_ gateway: TestGateway) throws -> [BrokerConnection] {
        try [gateway.connection("alpaca", of: alice, .demo), gateway.connection("alpaca", of: bob, .second)]
    }

    /// What a user is told who is alone in the world.
    private func truth(_ gateway: TestGateway, _ user: OwnerID) async throws -> [JSONValue] {
        let alone = try gateway.backends(connections(gateway).filter { $0.owner == user })
        var answers: [JSONValue] = []
        for query in IsolationTests.queries {
            answers.append(try await gateway.ask(query, as: user, alone))
        }
        return answers
    }

    @Test(
        "never see each other's values, in any interleaving", arguments: [1, 2, 3] as [UInt64])
    func interleavings(seed: UInt64) async throws {
        try await withGateway { gateway in
            let truths = [alice: try await truth(gateway, alice), bob: try await truth(gateway, bob)]
            #expect(truths[alice] != truths[bob])
            for truth in truths.values {
                #expect(truth.allSatisfy { $0.failures.isEmpty && $0.nulls.isEmpty })
            }
            let backends = try gateway.backends(connections(gateway))
            var random = SplitMix(seed: seed)
            for _ in 0..<40 {
                let questions = (0..<Int.random(in: 1...12, using: &random)).map { _ in
                    (
                        [alice, bob, nil].randomElement(using: &random) ?? nil,
                        Int.random(in: IsolationTests.queries.indices, using: &random)
                    )
                }
                try await withThrowingTaskGroup(of: Void.self) { group in
                    for (user, index) in questions {
                        group.addTask {
                            let answer = try await gateway.ask(
                                IsolationTests.queries[index], as: user, backends)
                            if let user {
                                #expect(answer == truths[user]?[index])
                            } else {
                                #expect(Set(answer.failures.map(\.code)) == ["UNAUTHENTICATED"])
                                #expect(answer["data"]?.members?.values.allSatisfy { $0 == .null } == true)
                            }
                        }
                    }
                    try await group.waitForAll()
                }
                // Some of what is kept is too old for the next round, and some is not.
                gateway.clock.advance(by: .milliseconds(Int.random(in: 0...3_000, using: &random)))
                if Bool.random(using: &random) {
                    #expect(gateway.sandbox.faults.add(Fault(.latency(.milliseconds(3)), remaining: 3)))
                }
            }
        }
    }

    @Test("that send a request at the same time cause a call each")
    func callsOfTheirOwn() async throws {
        try await withGateway { gateway in
            let backends = try gateway.backends(connections(gateway))
            async let first = gateway.ask("{ account { number } }", as: alice, backends)
            async let second = gateway.ask("{ account { number } }", as: bob, backends)
            #expect(try await first["data"]?["account"]?["number"] == "PA3SANDBOX1")
            #expect(try await second["data"]?["account"]?["number"] == "PA3SANDBOX2")
            #expect(gateway.calls == ["GET /v2/account": 2])
        }
    }

    @Test(
        "cannot find each other's account, like an unknown one",
        arguments: [("alpaca", "alpaca"), ("a", "b"), ("a", "a:b")])
    func foreignAccount(mine: String, theirs: String) async throws {
        try await withGateway { gateway in
            let backends = try gateway.backends([
                gateway.connection(mine, of: alice, .demo), gateway.connection(theirs, of: bob, .second),
            ])
            let answer = try await gateway.ask("{ account { id } }", as: bob, backends)
            let id = try #require(answer["data"]?["account"]?["id"]?.string)
            let foreign = try await gateway.ask("{ account(id: \"\(id)\") { number } }", as: alice, backends)
            #expect(foreign.failures == [FieldFailure("account", "NOT_FOUND", nil)])
            #expect(foreign["errors"]?[0]?["message"] == .string("There is no account \"\(id)\"."))
            let own = try await gateway.ask("{ account(id: \"\(id)\") { number } }", as: bob, backends)
            #expect(own["data"]?["account"]?["number"] == "PA3SANDBOX2")
        }
    }

    @Test("share prices, which are public")
    func prices() async throws {
        try await withGateway { gateway in
            let backends = try gateway.backends(connections(gateway))
            for user in [alice, bob, nil] {
                let answer = try await gateway.ask(
                    "{ quotes(symbols: [\"AAPL\"]) { price } }", as: user, backends)
                #expect(answer.failures.isEmpty)
            }
            #expect(gateway.calls == ["GET /v2/stocks/snapshots": 1])
        }
    }

    @Test("do not share failures")
    func failures() async throws {
        try await withGateway { gateway in
            let backends = try gateway.backends([
                gateway.connection("alpaca", of: alice, .demo, isReachable: false),
                gateway.connection("alpaca", of: bob, .second),
            ])
            async let failing = gateway.ask("{ account { number } }", as: alice, backends)
            async let working = gateway.ask("{ account { number } }", as: bob, backends)
            #expect(try await failing.failures == [FieldFailure("account", "PROVIDER_UNAVAILABLE")])
            #expect(try await working.failures.isEmpty)
        }
    }
}
