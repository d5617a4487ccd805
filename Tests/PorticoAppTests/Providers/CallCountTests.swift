import Brokerage
import Sandbox
import TestSupport
import Testing

import struct Sandbox.FakeInstrument

@Suite("The number of calls of a response")
struct CallCountTests {
    private static let fifty = SandboxUser(holding: 50)

    @Test(
        "fifty positions with a quote, a name and a chart each take one call of each kind, and the pages of bars"
    )
    func positions() async throws {
        try await withTestGateway(users: [Self.fifty]) { gateway in
            let answer = try await gateway.ask(
                """
                { positions(provider: "alpaca") {
                    symbol quote(provider: "alpaca") { price } instrument { name }
                    chart(interval: ONE_DAY, last: 250, provider: "alpaca") { columns { close } } } }
                """)
            #expect(answer.failures.isEmpty, "\(answer.failures)")
            let positions = try #require(answer["data"]?["positions"]?.elements)
            #expect(positions.count == 50)
            for position in positions {
                #expect(position["quote"]?["price"]?.string != nil)
                #expect(position["instrument"]?["name"]?.string != nil)
                #expect(position["chart"]?["columns"]?["close"]?.elements?.count == 250)
            }
            var calls = gateway.calls(of: .alpaca)
            // 50 times about 260 days, at most 10,000 bars a page.
            #expect(calls.removeValue(forKey: "GET /v2/stocks/bars") == 2)
            // The latest trade shows the plan of the key, once a day.
            #expect(
                calls == [
                    "GET /v2/positions": 1, "GET /v2/stocks/snapshots": 1, "GET /v2/assets": 1,
                    "GET /v2/stocks/trades/latest": 1,
                ])
            #expect(gateway.sandbox.calls.total == 6)
        }
    }

    @Test("two hundred symbols take one call for each batch")
    func symbols() async throws {
        try await withTestGateway { gateway in
            let listed = FakeInstrument.listing.map(\.symbol)
            let symbols = (0..<200).map { listed.indices.contains($0) ? listed[$0] : unknown($0) }
            let answer = try await gateway.ask(
                "{ quotes(symbols: \(symbols), provider: \"alpaca\") { symbol price } }")
            let quotes = try #require(answer["data"]?["quotes"]?.elements)
            #expect(quotes.prefix(listed.count).map { $0["symbol"]?.string } == listed)
            #expect(answer.failures.count == 200 - listed.count)
            #expect(
                gateway.calls(of: .alpaca) == [
                    "GET /v2/stocks/snapshots": 1, "GET /v2/stocks/trades/latest": 1,
                ])
        }
    }

    @Test(
        "stored fields of an account need no call for its figures; figures of one account need one call for it"
    )
    func storedFields() async throws {
        try await withTestGateway { gateway in
            let answer = try await gateway.ask(
                "{ positions(provider: \"saxo\") { account { id number name currency } } }")
            #expect(answer.failures.isEmpty, "\(answer.failures)")
            let accounts = try #require(answer["data"]?["positions"]?.elements).compactMap { $0["account"] }
            let ids = Set(accounts.compactMap { $0["id"]?.string }).sorted()
            #expect(ids.count == 2)
            let known = [
                "GET /port/v1/clients/me": 1, "GET /port/v1/accounts/me": 1, "GET /port/v1/netpositions": 2,
            ]
            #expect(gateway.calls(of: .saxo) == known)
            let figures = try await gateway.ask("{ account(id: \"\(ids[0])\") { equity cash stale } }")
            #expect(figures["data"]?["account"]?["equity"]?.string != nil, "\(figures)")
            #expect(gateway.calls(of: .saxo) == known.merging(["GET /port/v1/balances": 1]) { $1 })
        }
    }

    @Test("a rate is requested in the direction in which markets quote it, from one provider")
    func rates() async throws {
        try await withTestGateway { gateway in
            let answer = try await gateway.ask(
                "{ positions(provider: \"alpaca\") { converted(to: \"EUR\") { marketValue rate { rate source } } } }"
            )
            #expect(answer.failures.isEmpty, "\(answer.failures)")
            let rate = answer["data"]?["positions"]?[0]?["converted"]?["rate"]
            #expect(rate?["source"] == "saxo" && rate?["rate"]?.string != nil, "\(answer)")
            #expect(
                gateway.calls(of: .saxo) == [
                    "GET /ref/v1/instruments": 1, "GET /trade/v1/infoprices/list": 1,
                ])
            #expect(gateway.calls(of: .yahoo) == [:])
        }
    }

    /// A symbol that could be a share, and is none.
    private func unknown(_ number: Int) -> String {
        let letters = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZ")
        return "QX" + String([letters[number / 26 % 26], letters[number % 26]])
    }

    @Test("a thousand equal requests at once take one call of each kind")
    func together() async throws {
        // Values of the account are fresh for two seconds, in which a loaded machine does not begin all requests.
        try await withTestGateway(clock: GatewayClock(isStopped: true)) { gateway in
            // So that the first call is under way when the last question comes.
            #expect(gateway.sandbox.faults.add(Fault(.latency(.milliseconds(500)))))
            let query = """
                { account(provider: "alpaca") { equity history(range: ONE_DAY) { points { equity } } }
                  positions(provider: "alpaca") { symbol }
                  quotes(symbols: ["AAPL", "KO"]) { price }
                  chart(symbol: "AAPL", interval: ONE_DAY, last: 10) { columns { close } }
                  news(first: 3) { nodes { headline } }
                  instrument(symbol: "AAPL") { name }
                  marketClock { open } }
                """
            let answers = try await withThrowingTaskGroup(of: JSONValue.self) { group in
                for _ in 0..<1_000 { group.addTask { try await gateway.ask(query) } }
                return try await group.reduce(into: Set<JSONValue>()) { $0.insert($1) }
            }
            #expect(answers.count == 1)
            #expect(answers.first?.failures.isEmpty == true, "\(answers.first?.failures ?? [])")
            let calls = gateway.calls(of: .alpaca)
            #expect(calls.values.allSatisfy { $0 == 1 }, "\(calls)")
            #expect(gateway.sandbox.calls.total == calls.count)
        }
    }

    @Test(
        "thirty symbols of Alpha Vantage never exceed five calls a minute; the others have the time of the next call"
    )
    func scarce() async throws {
        try await withTestGateway { gateway in
            let symbols = FakeInstrument.listing.prefix(30).map(\.symbol)
            let query = "{ quotes(symbols: \(symbols), provider: \"alpha-vantage\") { symbol price } }"
            // Three times within one minute, and once after it.
            for (leap, most) in [(5, 5), (5, 5), (60, 5), (0, 10)] {
                let begin = gateway.clock.now
                let answer = try await gateway.ask(query)
                let told = answer["data"]?["quotes"]?.elements?.filter { $0 != .null } ?? []
                #expect(told.count + answer.failures.count == 30)
                #expect(
                    answer.failures.allSatisfy {
                        $0.code == "QUOTA_EXHAUSTED" && $0.provider == "alpha-vantage"
                    }, "\(answer.failures)")
                for error in answer["errors"]?.elements ?? [] {
                    let retryAt = error["extensions"]?["retryAt"]?.string.flatMap { Instant($0) }
                    #expect(try #require(retryAt) > begin)
                }
                let calls = gateway.calls(of: .alphaVantage).values.reduce(0, +)
                #expect(calls <= most)
                gateway.clock.advance(by: .seconds(leap))
            }
            // What was asked for within the first minute, and some of what may be within the next.
            #expect(gateway.calls(of: .alphaVantage)["GET /query GLOBAL_QUOTE"] ?? 0 > 5)
        }
    }

    @Test("the next provider of the route responds if one has no quota")
    func fallThrough() async throws {
        try await withTestGateway { configuration in
            configuration.alpaca.dataRequestsPerMinute = 2
        } _: { gateway in
            let first = try await gateway.ask("{ quote(symbol: \"AAPL\") { source } }")
            #expect(first["data"]?["quote"]?["source"] == "alpaca")
            let second = try await gateway.ask("{ quote(symbol: \"KO\") { source price } }")
            #expect(second.failures.isEmpty, "\(second)")
            #expect(second["data"]?["quote"]?["source"] != "alpaca")
            #expect(second["data"]?["quote"]?["price"]?.string != nil)
            #expect(
                gateway.calls(of: .alpaca) == [
                    "GET /v2/stocks/snapshots": 1, "GET /v2/stocks/trades/latest": 1,
                ])
        }
    }
}

extension SandboxUser {
    /// A user with ten shares of each of the first `count` instruments of the list.
    init(holding count: Int) {
        let bought = CalendarDate(year: 2026, month: 3, day: 16) ?? .earliest
        self.init(
            name: "wide",
            ledger: Ledger(
                accountID: "5b0b7f0c-6f0e-4c51-9d54-0f6f0f1d7f50", accountNumber: "PA3SANDBOX9",
                opened: Instant("2025-01-06T14:02:51Z") ?? .earliest, deposit: 50_000_000,
                trades: FakeInstrument.listing.prefix(count).map {
                    Ledger.Trade(date: bought, symbol: $0.symbol, quantity: 10)
                }),
            alpaca: SandboxUser.demo.alpaca)
    }
}
