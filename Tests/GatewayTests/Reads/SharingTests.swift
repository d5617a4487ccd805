import Gateway
import GraphQL
import Sandbox
import TestSupport
import Testing
import Upstream

@Suite("Shared reads")
struct SharingTests {
    @Test("a thousand concurrent equal queries take one call of each kind, and have one response")
    func together() async throws {
        try await withGateway { gateway in
            let backends = try gateway.backends([gateway.connection("demo", of: alice)])
            // So that the first call is still under way when the last query comes.
            #expect(gateway.sandbox.faults.add(Fault(.latency(.milliseconds(300)))))
            let answers = try await withThrowingTaskGroup(of: JSONValue.self) { group in
                for _ in 0..<1_000 {
                    group.addTask { try await gateway.ask(homeScreen, as: alice, backends) }
                }
                return try await group.reduce(into: Set<JSONValue>()) { $0.insert($1) }
            }
            #expect(gateway.calls == callsOfHomeScreen)
            #expect(answers.count == 1)
            #expect(answers.first?.failures.isEmpty == true)
            #expect(answers.first?["data"]?["positions"]?.elements?.count == 11)
        }
    }

    @Test("an operation with the account twice takes one call")
    func once() async throws {
        try await withGateway { gateway in
            let backends = try gateway.backends([gateway.connection("demo", of: alice)])
            let answer = try await gateway.ask(homeScreen, as: alice, backends)
            #expect(answer.failures.isEmpty)
            #expect(answer.nulls.isEmpty)
            #expect(gateway.calls == callsOfHomeScreen)
        }
    }

    @Test("values in memory are returned at once, without a task")
    func atHand() async throws {
        try await withGateway { gateway in
            let backends = try gateway.backends([gateway.connection("demo", of: alice)])
            guard case .async(let fetch) = gateway.respond(to: homeScreen, as: alice, backends) else {
                Issue.record("nothing can be in memory yet")
                return
            }
            let first = try await fetch()
            guard case .ready(let second) = gateway.respond(to: homeScreen, as: alice, backends) else {
                Issue.record("all of it is in memory")
                return
            }
            #expect(second.body == first.body)
            #expect(gateway.calls == callsOfHomeScreen)
        }
    }

    /// A field that loads, the call behind it, and the place of its `maxAge` in the schema.
    static let ages = [
        ("{ account { equity } }", "GET /v2/account", "Query", "account"),
        ("{ positions { symbol } }", "GET /v2/positions", "Query", "positions"),
        ("{ account { history { baseValue } } }", "GET /v2/account/portfolio/history", "Account", "history"),
        ("{ quotes(symbols: [\"AAPL\"]) { price } }", "GET /v2/stocks/snapshots", "Query", "quotes"),
    ]

    @Test("have the lifetimes of the schema", arguments: ages)
    func age(query: String, endpoint: String, type: String, field: String) async throws {
        let maxAge = try #require(try PublicSchema.maxAge(of: field, on: type))
        try await withGateway { gateway in
            let backends = try gateway.backends([gateway.connection("demo", of: alice)])
            _ = try await gateway.ask(query, as: alice, backends)
            gateway.clock.advance(by: .seconds(maxAge) - .milliseconds(1))
            _ = try await gateway.ask(query, as: alice, backends)
            #expect(gateway.calls[endpoint] == 1)
            gateway.clock.advance(by: .milliseconds(1))
            _ = try await gateway.ask(query, as: alice, backends)
            #expect(gateway.calls[endpoint] == 2)
        }
    }

    /// A field, the call behind it, and where its `stale` stands.
    static let lastKnown = [
        ("{ quotes(symbols: [\"KO\"]) { price stale } }", "GET /v2/stocks/snapshots", "quotes"),
        ("{ positions(symbols: [\"KO\"]) { quantity stale } }", "GET /v2/positions", "positions"),
    ]

    @Test(
        "return stale values, marked, while a provider fails, and new ones afterwards",
        arguments: lastKnown)
    func stale(query: String, endpoint: String, field: String) async throws {
        try await withGateway { gateway in
            let backends = try gateway.backends([gateway.connection("demo", of: alice)])
            func stale() async throws -> JSONValue? {
                let answer = try await gateway.ask(query, as: alice, backends)
                #expect(answer.failures.isEmpty, "\(answer)")
                return answer["data"]?[field]?[0]?["stale"]
            }
            #expect(try await stale() == .bool(false))
            gateway.clock.advance(by: .seconds(30))
            #expect(gateway.sandbox.faults.add(Fault(.status(500), endpoint: endpoint)))
            #expect(try await stale() == .bool(true))
            gateway.sandbox.faults.reset()
            gateway.clock.advance(by: .seconds(30))
            #expect(try await stale() == .bool(false))
        }
    }

    @Test("of several symbols read only those that are not in memory")
    func partly() async throws {
        try await withGateway { gateway in
            let backends = try gateway.backends([])
            _ = try await gateway.ask("{ quotes(symbols: [\"AAPL\", \"KO\"]) { price } }", as: nil, backends)
            let answer = try await gateway.ask(
                "{ quotes(symbols: [\"KO\", \"MSFT\", \"AAPL\"]) { symbol price } }", as: nil, backends)
            #expect(answer.failures.isEmpty)
            #expect(
                answer["data"]?["quotes"]?.elements?.map { $0["symbol"]?.string } == ["KO", "MSFT", "AAPL"])
            #expect(gateway.calls == ["GET /v2/stocks/snapshots": 2])
        }
    }
}
