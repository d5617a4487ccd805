import Brokerage
import Gateway
import Sandbox
import TestSupport
import Testing
import Upstream

@Suite("Accounts and positions")
struct AccountTests {
    @Test("a connection that fails adds one null after the positions of the others")
    func positionsOfSome() async throws {
        try await withGateway { gateway in
            let backends = try gateway.backends([
                gateway.connection("dead", of: alice, isReachable: false),
                gateway.connection("demo", of: alice, .demo),
                gateway.connection("second", of: alice, .second),
            ])
            let answer = try await gateway.ask("{ positions { id symbol } }", as: alice, backends)
            let positions = try #require(answer["data"]?["positions"]?.elements)
            #expect(positions.count == 11 + 3 + 1)
            #expect(positions.last == .null)
            let ids = positions.dropLast().compactMap { $0["id"]?.string }
            #expect(ids.prefix(11).allSatisfy { $0.hasPrefix("Position:demo:") })
            #expect(ids.suffix(3) == ["Position:second:QQQ", "Position:second:DIS", "Position:second:AAPL"])
            #expect(Set(ids).count == 14)
            #expect(answer.failures == [FieldFailure("positions.14", "PROVIDER_UNAVAILABLE")])
        }
    }

    @Test("a connection that fails has a null among the accounts")
    func accountsOfSome() async throws {
        try await withGateway { gateway in
            let backends = try gateway.backends([
                gateway.connection("demo", of: alice, .demo),
                gateway.connection("dead", of: alice, isReachable: false),
                gateway.connection("second", of: alice, .second),
            ])
            let answer = try await gateway.ask(
                "{ accounts { number positions { symbol } } }", as: alice, backends)
            let accounts = try #require(answer["data"]?["accounts"]?.elements)
            #expect(accounts.map { $0["number"]?.string } == ["PA3SANDBOX1", nil, "PA3SANDBOX2"])
            #expect(accounts.map { $0["positions"]?.elements?.count } == [11, nil, 3])
            #expect(answer.failures == [FieldFailure("accounts.1", "PROVIDER_UNAVAILABLE")])
            // Both questions after the positions of an account are one call for each account.
            #expect(gateway.calls == ["GET /v2/account": 2, "GET /v2/positions": 2])
        }
    }

    @Test("positions that cannot be read are null with an error within an account that can")
    func positionsOfAccount() async throws {
        try await withGateway { gateway in
            let backends = try gateway.backends([gateway.connection("demo", of: alice)])
            #expect(gateway.sandbox.faults.add(Fault(.status(500), endpoint: "GET /v2/positions")))
            let answer = try await gateway.ask(
                "{ account { number positions { symbol } } }", as: alice, backends)
            #expect(answer["data"]?["account"]?["number"] == "PA3SANDBOX1")
            #expect(answer.nulls == ["account.positions"])
            #expect(answer.failures == [FieldFailure("account.positions", "PROVIDER_UNAVAILABLE")])
        }
    }

    @Test("are found by their id, and by their provider")
    func byID() async throws {
        try await withGateway { gateway in
            let backends = try gateway.backends([
                gateway.connection("demo", of: alice, .demo),
                gateway.connection("second", of: alice, .second),
            ])
            let all = try await gateway.ask(
                "{ accounts { id number } account { number } }", as: alice, backends)
            let accounts = try #require(all["data"]?["accounts"]?.elements)
            #expect(accounts.count == 2)
            #expect(all["data"]?["account"]?["number"] == accounts[0]["number"])
            for account in accounts {
                let id = try #require(account["id"]?.string)
                let answer = try await gateway.ask(
                    "{ account(id: \"\(id)\") { id number } }", as: alice, backends)
                #expect(answer["data"]?["account"] == account)
            }
            let other = try await gateway.ask(
                "{ account(provider: \"saxo\") { id } accounts(provider: \"saxo\") { id } positions(provider: \"saxo\") { id } }",
                as: alice, backends)
            #expect(
                other == (try JSONValue(parsing: #"{"data":{"account":null,"accounts":[],"positions":[]}}"#)))
        }
    }

    @Test("of named instruments are returned alone, and an empty list is not an error")
    func symbols() async throws {
        try await withGateway { gateway in
            let backends = try gateway.backends([gateway.connection("demo", of: alice)])
            let answer = try await gateway.ask(
                """
                { positions(symbols: ["KO", "AAPL", "NOSUCH"]) { symbol } none: positions(symbols: []) { symbol }
                  account { positions(symbols: ["BRK.B"]) { symbol } } }
                """, as: alice, backends)
            #expect(
                answer
                    == (try JSONValue(
                        parsing: """
                            {"data":{"positions":[{"symbol":"AAPL"},{"symbol":"KO"}],"none":[],
                            "account":{"positions":[{"symbol":"BRK.B"}]}}}
                            """)))
            #expect(gateway.calls["GET /v2/positions"] == 1)
        }
    }

    @Test("an interval that the broker does not have is UNSUPPORTED, without a call")
    func unsupportedHistory() async throws {
        try await withGateway { gateway in
            let backends = try gateway.backends([gateway.connection("demo", of: alice)])
            let answer = try await gateway.ask(
                "{ account { number history(range: ONE_YEAR, interval: ONE_MINUTE) { interval } } }",
                as: alice,
                backends)
            #expect(answer["data"]?["account"]?["number"] == "PA3SANDBOX1")
            #expect(answer.failures == [FieldFailure("account.history", "UNSUPPORTED")])
            #expect(gateway.calls == ["GET /v2/account": 1])
        }
    }

    @Test("every live value has its source, the time of its read, and is not stale")
    func readings() async throws {
        try await withGateway { gateway in
            let backends = try gateway.backends([gateway.connection("demo", of: alice)])
            let before = Instant.now
            let answer = try await gateway.ask(
                """
                { account { ...L history { ...L } } positions { ...L quote { ...L } } }
                fragment L on Live { source fetchedAt stale }
                """, as: alice, backends)
            let data = try #require(answer["data"])
            let positions = try #require(data["positions"]?.elements)
            let values =
                [data["account"], data["account"]?["history"]] + positions + positions.map { $0["quote"] }
            #expect(values.count == 2 + 11 + 11)
            for value in values {
                #expect(value?["source"] == "alpaca")
                #expect(value?["stale"] == .bool(false))
                let fetchedAt = try #require(value?["fetchedAt"]?.string.flatMap { Instant($0) })
                #expect(fetchedAt >= before && fetchedAt <= .now)
            }
        }
    }
}
