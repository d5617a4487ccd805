import Brokerage
import Gateway
import Sandbox
import TestSupport
import Testing
import Upstream

@Suite("The performance of a portfolio")
struct PortfolioPerformanceTests {
    private static func both(_ gateway: TestGateway) throws -> GatewayServices {
        try gateway.backends([gateway.connection("demo", of: alice), gateway.saxo(of: alice)])
    }

    @Test("over accounts in three currencies is in one, by the exchange rates of the days")
    func currencies() async throws {
        try await withGateway { gateway in
            let backends = try Self.both(gateway)
            let data = try await gateway.data(
                """
                { portfolio(currency: "EUR") { performance(range: ONE_YEAR) { \(performanceFields) }
                  history(range: ONE_YEAR, points: 1000) { currency points { date value } undetermined { reason } } }
                  accounts { currency history(range: MAX, interval: ONE_DAY) { points { date equity } } }
                  usd: chart(symbol: "EUR/USD", provider: "saxo", interval: ONE_DAY, last: 500) { candles { date close } }
                  dkk: chart(symbol: "EUR/DKK", provider: "saxo", interval: ONE_DAY, last: 500) { candles { date close } } }
                """, backends)
            let performance = try #require(data["portfolio"]?["performance"])
            #expect(performance["currency"] == "EUR")
            #expect(performance["timeWeighted"]?["percentage"] != .null, "\(performance)")
            #expect(performance["rateSources"] == .array(["saxo"]))
            // Saxo's values end the day before.
            #expect(performance["through"] == "2026-11-19")
            #expect(data["portfolio"]?["history"]?["undetermined"] == .null)
            let points = try #require(data["portfolio"]?["history"]?["points"]?.elements)
            #expect(points.map { $0["date"] } == performance["series"]?.elements?.map { $0["date"] })
            #expect(points.map { $0["value"] } == performance["series"]?.elements?.map { $0["value"] })
            let accounts = try #require(data["accounts"]?.elements)
            #expect(accounts.compactMap { $0["currency"]?.string } == ["USD", "EUR", "DKK"])
            // The values of a day, converted by its rates.
            for day in ["2026-03-16", "2026-11-19"] {
                func rate(_ pair: String) throws -> Double {
                    let candles = try #require(data[pair]?["candles"]?.elements)
                    return try #require(candles.last { $0["date"]?.string == day }?["close"]?.decimal)
                        .doubleValue
                }
                let values = try accounts.map { account in
                    let points = try #require(account["history"]?["points"]?.elements)
                    return try #require(points.first { $0["date"]?.string == day }?["equity"]?.decimal)
                        .doubleValue
                }
                let expected = try values[0] / rate("usd") + values[1] + values[2] / rate("dkk")
                let point = try #require(points.first { $0["date"]?.string == day }, "\(day)")
                #expect(abs(try #require(point["value"]?.decimal).doubleValue - expected) < 0.01, "\(day)")
            }
            let gain = try #require(performance["gain"])
            #expect(gain["exchangeRates"]?.decimal.map { !$0.isZero } == true)
            let parts = try ["price", "income", "taxes", "fees", "exchangeRates"].map {
                try #require(gain[$0]?.decimal)
            }
            #expect(try parts.reduce(.zero) { try $0 + $1 } == gain["total"]?.decimal)
        }
    }

    @Test(
        "over all years counts each deposit on the day whose value contains it",
        arguments: [MarketHours.exchange, .always])
    func deposits(hours: MarketHours) async throws {
        try await withGateway({ $0.hours = hours }) { gateway in
            let data = try await gateway.data(
                """
                { portfolio { performance(range: MAX) { \(performanceFields) } }
                  accounts { performance(range: MAX) { \(performanceFields) } } }
                """, Self.both(gateway))
            let accounts = try #require(data["accounts"]?.elements).map { $0["performance"] }
            for performance in accounts + [data["portfolio"]?["performance"]] {
                let figure = try #require(performance?["timeWeighted"])
                let rate = try #require(figure["percentage"]?.decimal, "\(figure)").doubleValue
                let money = try #require(performance?["moneyWeighted"]?["percentage"]?.decimal)
                #expect(rate > -10 && abs(rate - money.doubleValue) < 25, "\(figure), \(money)")
                // A deposit is no gain: from point to point, some days later, the gain changes little.
                let series = try #require(performance?["series"]?.elements).dropFirst()
                let gains = try series.map { try #require($0["gain"]?.decimal).doubleValue }
                let values = try series.map { try #require($0["value"]?.decimal).doubleValue }
                for (index, change) in zip(gains.dropFirst(), gains).map(-).enumerated() {
                    let point = series[series.startIndex + index + 1]
                    #expect(abs(change) < 0.15 * values[index], "\(point)")
                }
            }
        }
    }

    @Test("without an exchange rate is null with the currency, never a sum of some accounts")
    func withoutRate() async throws {
        try await withGateway { gateway in
            let backends = try gateway.backends([gateway.connection("demo", of: alice)])
            let data = try await gateway.data(
                "{ portfolio(currency: \"SEK\") { performance { \(performanceFields) } } }", backends)
            let performance = try #require(data["portfolio"]?["performance"])
            for figure in ["timeWeighted", "moneyWeighted", "gain"] {
                let value = performance[figure]?["percentage"] ?? performance[figure]?["total"]
                #expect(value == .null && performance[figure]?["known"] == .null)
            }
            #expect(
                performance["gain"]?["undetermined"]?["reason"] == "MISSING_EXCHANGE_RATE", "\(performance)")
            #expect(performance["gain"]?["undetermined"]?["currency"] == "SEK")
            #expect(performance["series"] == .array([]))
        }
    }

    @Test("fails with the error of an account that cannot be read, of which the holdings have a null")
    func partial() async throws {
        try await withGateway { gateway in
            let backends = try gateway.backends([
                gateway.connection("demo", of: alice),
                gateway.connection("dead", of: alice, isReachable: false),
            ])
            let answer = try await gateway.ask(
                """
                { portfolio { currency performance { currency } history { currency } holdings { nodes { symbol } }
                  income { gross } } }
                """, as: alice, backends)
            #expect(answer["data"]?["portfolio"]?["currency"] == "USD")
            #expect(
                answer.failures
                    == ["performance", "history", "holdings.nodes.11", "income"].map {
                        FieldFailure("portfolio.\($0)", "PROVIDER_UNAVAILABLE")
                    }, "\(answer)")
        }
    }

    @Test("of two users, and of two sessions of one after the other, are of their own accounts only")
    func isolated() async throws {
        try await withGateway { gateway in
            let backends = try gateway.backends([
                gateway.connection("demo", of: alice), gateway.connection("second", of: bob, .second),
            ])
            let query = """
                { portfolio { performance(range: ONE_YEAR) { firstValue lastValue netDeposits series(points: 9) { value } }
                  history(points: 5) { points { value } } income { gross }
                  holdings { nodes { symbol profit { fifo { cost { value } } } performance { lastValue } } } } }
                """
            let ofAlice = try await gateway.data(query, as: alice, backends)
            let ofBob = try await gateway.data(query, as: bob, backends)
            func symbols(_ data: JSONValue) -> Set<String> {
                Set(
                    data["portfolio"]?["holdings"]?["nodes"]?.elements?.compactMap { $0["symbol"]?.string }
                        ?? [])
            }
            #expect(symbols(ofAlice).count == 11)
            #expect(symbols(ofBob) == ["QQQ", "DIS", "AAPL"])
            for field in ["performance", "history", "income", "holdings"] {
                #expect(ofAlice["portfolio"]?[field] != ofBob["portfolio"]?[field], "\(field)")
            }
            // Each alone has the same values as with the other.
            for (owner, connection, known) in [
                (alice, try gateway.connection("demo", of: alice), ofAlice),
                (bob, try gateway.connection("second", of: bob, .second), ofBob),
            ] {
                #expect(try await gateway.data(query, as: owner, gateway.backends([connection])) == known)
            }
            let stranger = try await gateway.ask(query, as: nil, backends)
            #expect(stranger.failures.map(\.code) == ["UNAUTHENTICATED"])
        }
    }

    /// A user with a number of holdings at Alpaca, each bought on one day.
    private static func user(holdings count: Int) throws -> SandboxUser {
        let symbols = FakeInstrument.all.filter { $0.assetClass == .equity }.prefix(count).map(\.symbol)
        try #require(symbols.count == count)
        let day = try #require(CalendarDate("2024-03-05"))
        let ledger = Ledger(
            accountID: "1c1de4b1-7ad5-4d0e-9c57-0a6b2f0f8a31", accountNumber: "PA3SANDBOX50",
            opened: try #require(Instant("2024-02-12T15:20:07Z")), deposit: 2_000_000,
            trades: symbols.map { Ledger.Trade(date: day, symbol: $0, quantity: 10) })
        return SandboxUser(
            name: "fifty", ledger: ledger,
            alpaca: SandboxUser.AlpacaCredentials(keyID: "PKFIFTY", secretKey: "secret", token: "fifty-token")
        )
    }

    @Test("and those of 50 holdings over a year need a fixed number of calls, and none again")
    func calls() async throws {
        let user = try Self.user(holdings: 50)
        try await withGateway(users: [.demo, user]) { gateway in
            let backends = try gateway.backends([gateway.connection("fifty", of: alice, user)])
            let figures = "timeWeighted { percentage } gain { total }"
            let query = """
                { portfolio { totalValue performance(range: ONE_YEAR, benchmark: "SPY") { \(figures) }
                  history(range: ONE_YEAR) { points { value } } income { gross }
                  holdings(first: 50) { nodes { symbol weightPercentage performance(range: ONE_YEAR) { \(figures) }
                    profit { fifo { cost { value } } averageCost { cost { value } } } } } } }
                """
            let data = try await gateway.data(query, backends)
            let holdings = try #require(data["portfolio"]?["holdings"]?["nodes"]?.elements)
            #expect(holdings.count == 50)
            for holding in holdings {
                #expect(holding["performance"]?["timeWeighted"]?["percentage"] != .null, "\(holding)")
            }
            let calls = gateway.calls
            let pages = try #require(calls["GET /v2/account/activities"])
            // One call for each kind of value; bars and activities have pages of 10,000 and 100 rows.
            #expect(
                calls == [
                    "GET /v2/account": 1, "GET /v2/positions": 1, "GET /v2/account/portfolio/history": 1,
                    "GET /v2/account/activities": pages, "GET /v2/stocks/bars": 3,
                ], "\(calls)")
            #expect(try await gateway.data(query, backends) == data)
            #expect(gateway.calls == calls)
        }
    }

    @Test(
        "with an unknown benchmark is an error of the argument, for which Polygon's prices and directory are read once",
        arguments: [("ONE_YEAR", 1), ("MAX", 2)])
    func unknownBenchmark(range: String, reads: Int) async throws {
        try await withGateway({ $0.polygon.requestsPerMinute = 50 }) { gateway in
            // Polygon's free plan does not have the whole range, so that its part is read once more.
            let sources = try [gateway.alpaca(), gateway.polygon(key: FakePolygonSettings.demoKey)]
            let backends = try gateway.market(sources, connections: [gateway.connection("demo", of: alice)])
            let answer = try await gateway.ask(
                "{ portfolio { performance(range: \(range), benchmark: \"NOSUCH\") { currency } } }",
                as: alice, backends)
            #expect(
                answer.failures == [FieldFailure("portfolio.performance", "NOT_FOUND", nil)], "\(answer)")
            #expect(answer["errors"]?[0]?["extensions"]?["argument"] == "benchmark", "\(answer)")
            let calls = gateway.calls(of: .polygon)
            #expect(calls["GET /v3/reference/tickers/{ticker}"] == 1, "\(calls)")
            let prices = "GET /v2/aggs/ticker/{ticker}/range/{multiplier}/{timespan}/{from}/{to}"
            #expect(calls[prices] == reads, "\(calls)")
        }
    }
}
