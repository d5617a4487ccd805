import Brokerage
import Gateway
import Sandbox
import TestSupport
import Testing
import Upstream

@Suite("The performance of an account")
struct AccountPerformanceTests {
    static let ranges = [
        "ONE_DAY", "FIVE_DAYS", "ONE_MONTH", "THREE_MONTHS", "SIX_MONTHS", "YEAR_TO_DATE", "ONE_YEAR",
        "FIVE_YEARS",
        "MAX",
    ]

    /// The return of values with deposits at the ends of days: Π (value − deposit) ÷ value before.
    private static func linked(_ history: [JSONValue], deposits series: [JSONValue]) throws -> Double {
        var (growth, before, paid) = (1.0, Double?.none, 0.0)
        for (point, flows) in zip(history, series) {
            let value = try #require(point["equity"]?.decimal).doubleValue
            let total = try #require(flows["netDeposits"]?.decimal).doubleValue
            if let before { growth *= (value - (total - paid)) / before }
            (before, paid) = (value, total)
        }
        return growth - 1
    }

    @Test("at Saxo over a year is that of Saxo's own performance service")
    func saxo() async throws {
        try await withGateway { gateway in
            let backends = try gateway.backends([gateway.saxo(of: alice)])
            let data = try await gateway.data(
                "{ accounts { number currency performance(range: ONE_YEAR) { \(performanceFields) } } }",
                backends)
            let accounts = try #require(data["accounts"]?.elements)
            let client = try #require(SandboxUser.demo.saxo)
            #expect(accounts.count == client.accounts.count)
            for (account, known) in zip(accounts, client.accounts) {
                let performance = try #require(account["performance"])
                let from = try #require(performance["from"]?.string.flatMap { CalendarDate($0) })
                let through = try #require(performance["through"]?.string)
                // Saxo's values are complete until the day before.
                #expect(from.description == "2025-11-20" && through == "2026-11-19")
                let saxo = try await gateway.saxoResponse(
                    ["hist", "v4", "performance", "timeseries"],
                    [
                        ("ClientKey", client.key), ("AccountKey", known.key), ("FieldGroups", "All"),
                        ("FromDate", from.adding(days: 1)?.description), ("ToDate", through),
                    ])
                let own = try #require(performance["timeWeighted"], "\(performance)")
                let theirs = try #require(saxo["TimeWeighted"]?["Accumulated"]?.elements)
                let series = try #require(performance["series"]?.elements)
                let rate = try #require(own["percentage"]?.decimal).doubleValue
                let expected = try #require(theirs.last?["Value"]?.digits.flatMap { Double($0) }) * 100
                #expect(abs(rate - expected) < 6e-5, "\(known.id): \(rate) and \(expected), \(own)")
                // Each day of the chart, too.
                #expect(series.dropFirst().map { $0["date"] } == theirs.map { $0["Date"] })
                for (point, other) in zip(series.dropFirst(), theirs) {
                    let rate = try #require(point["timeWeightedPercentage"]?.decimal).doubleValue
                    let expected = try #require(other["Value"]?.digits.flatMap { Double($0) }) * 100
                    #expect(abs(rate - expected) < 6e-5, "\(known.id) on \(other): \(rate)")
                }
                let values = try #require(saxo["Balance"]?["AccountValue"]?.elements)
                #expect(
                    series.last?["value"]?.decimal
                        == values.last?["Value"]?.digits.flatMap { Brokerage.Decimal($0) })
                #expect(performance["currency"]?.string == known.currency)
                #expect(performance["source"] == "saxo" && performance["stale"] == .bool(false))
            }
        }
    }

    @Test("at Alpaca is that of its daily values and deposits, and the parts of the gain have its sum")
    func alpaca() async throws {
        try await withGateway { gateway in
            let backends = try gateway.backends([gateway.connection("demo", of: alice)])
            let data = try await gateway.data(
                """
                { account { performance(range: ONE_YEAR, benchmark: "SPY") { \(performanceFields) }
                  history(range: MAX, interval: ONE_DAY) { points { date equity } }
                  activities(kinds: [DEPOSIT, WITHDRAWAL], first: 500) { nodes { date amount } } }
                  chart(symbol: "SPY", range: FIVE_YEARS, interval: ONE_DAY, adjustment: SPLITS_AND_DIVIDENDS) {
                    candles { date close } } }
                """, backends)
            let performance = try #require(data["account"]?["performance"])
            #expect(performance["from"] == "2025-11-20" && performance["through"] == "2026-11-20")
            let series = try #require(performance["series"]?.elements)
            let history = try #require(data["account"]?["history"]?["points"]?.elements)
                .filter { ($0["date"]?.string ?? "") >= "2025-11-20" }
            #expect(series.map { $0["date"] } == history.map { $0["date"] })
            let equity = history.map { $0["equity"]?.decimal?.rounded(to: 4, .halfEven) }
            #expect(series.map { $0["value"]?.decimal } == equity)
            let paid = try #require(data["account"]?["activities"]?["nodes"]?.elements)
                .filter { ($0["date"]?.string ?? "") > "2025-11-20" }
                .reduce(Brokerage.Decimal.zero) { try $0 + #require($1["amount"]?.decimal) }
            #expect(!paid.isZero)
            #expect(performance["netDeposits"]?.decimal == paid)
            let own = try #require(performance["timeWeighted"], "\(performance)")
            let rate = try #require(own["percentage"]?.decimal).doubleValue
            #expect(own["method"] == "VALUED_AT_FLOWS" && own["unvaluedFlowDates"] == .array([]))
            #expect(abs(rate - (try Self.linked(history, deposits: series)) * 100) < 6e-5)
            let gain = try #require(performance["gain"])
            let parts = try ["price", "income", "taxes", "fees", "exchangeRates"].map {
                try #require(gain[$0]?.decimal)
            }
            let total = try #require(gain["total"]?.decimal)
            #expect(try parts.reduce(.zero) { try $0 + $1 } == total)
            let (first, last) = (performance["firstValue"]?.decimal, performance["lastValue"]?.decimal)
            // The values of fractions of shares are rounded.
            let change = try #require(last) - #require(first) - paid
            #expect(abs((try change - total).doubleValue) < 0.02)
            #expect(parts[1] > .zero && parts[2].isNegative && parts[4] == .zero)
            // The money-weighted return of few small payments is near the time-weighted one.
            let money = try #require(performance["moneyWeighted"]?["percentage"]?.decimal)
                .doubleValue
            #expect(abs(money - rate) < 1)
            let benchmark = try #require(performance["benchmark"])
            #expect(benchmark["symbol"] == "SPY" && benchmark["source"] == "alpaca")
            let closes = try #require(data["chart"]?["candles"]?.elements)
            func close(_ day: String) throws -> Double {
                try #require(closes.last { $0["date"]?.string == day }?["close"]?.decimal).doubleValue
            }
            #expect(benchmark["includesDividends"] == .bool(true))
            let percentage = try #require(benchmark["percentage"]?.decimal).doubleValue
            let expected = (try close("2026-11-20") / close("2025-11-20") - 1) * 100
            #expect(abs(percentage - expected) < 6e-5)
            let excess = try #require(benchmark["excessPercentage"]?.decimal).doubleValue
            #expect(abs(excess - (rate - percentage)) < 2e-4)
            // One history for all ranges, and one read of the activities.
            #expect(gateway.calls["GET /v2/account/portfolio/history"] == 1)
        }
    }

    @Test("accepts every range, as does every other field with a range", arguments: ranges)
    func everyRange(range: String) async throws {
        try await withGateway { gateway in
            let backends = try gateway.backends([gateway.connection("demo", of: alice)])
            let figures = """
                from through timeWeighted { percentage undetermined { reason } }
                moneyWeighted { percentage undetermined { reason } }
                gain { total undetermined { reason } }
                """
            let data = try await gateway.data(
                """
                { account { performance(range: \(range)) { \(figures) } history(range: \(range)) { points { time } }
                    positions(symbols: ["AAPL"]) { performance(range: \(range)) { \(figures) } } }
                  portfolio { performance(range: \(range)) { \(figures) } history(range: \(range)) { points { date value } } }
                  chart(symbol: "AAPL", range: \(range)) { candles { time } }
                  charts(symbols: ["KO"], range: \(range)) { candles { time } } }
                """, backends)
            let performances = [
                data["account"]?["performance"], data["account"]?["positions"]?[0]?["performance"],
                data["portfolio"]?["performance"],
            ]
            for performance in performances {
                for figure in ["timeWeighted", "moneyWeighted", "gain"] {
                    let figure = try #require(performance?[figure])
                    let value = figure["percentage"] ?? figure["total"]
                    #expect(value?.decimal != nil && figure["undetermined"] == .null, "\(figure)")
                }
            }
            let points = try #require(data["portfolio"]?["history"]?["points"]?.elements)
            #expect(points.count > 1)
            let days = points.compactMap { $0["date"]?.string }
            #expect(days == days.sorted() && days.last == "2026-11-20")
        }
    }

    @Test("of a period between two days is that of the days, and a range is not given with it")
    func days() async throws {
        try await withGateway { gateway in
            let backends = try gateway.backends([gateway.connection("demo", of: alice)])
            let data = try await gateway.data(
                """
                { account { performance(from: "2025-11-20", to: "2026-06-30") { \(performanceFields) }
                  year: performance(range: ONE_YEAR) { series(points: 1000) { date timeWeightedPercentage } } } }
                """, backends)
            let performance = try #require(data["account"]?["performance"])
            #expect(performance["from"] == "2025-11-20" && performance["through"] == "2026-06-30")
            let series = try #require(data["account"]?["year"]?["series"]?.elements)
            let same = try #require(series.first { $0["date"] == "2026-06-30" }?["timeWeightedPercentage"])
            #expect(performance["timeWeighted"]?["percentage"] == same)
        }
    }

    /// A field with an invalid argument.
    struct Wrong: CustomTestStringConvertible, Sendable {
        let field: String
        let code: String
        let argument: String

        var testDescription: String { field }
    }

    @Test(
        "with an invalid argument is an error that names the argument",
        arguments: [
            Wrong(
                field: "performance(benchmark: \"NOSUCH\") { currency }", code: "NOT_FOUND",
                argument: "benchmark"),
            Wrong(
                field: "performance(currency: \"usd\") { currency }", code: "BAD_USER_INPUT",
                argument: "currency"),
            Wrong(
                field: "performance(range: MAX, from: \"2026-01-01\") { currency }", code: "BAD_USER_INPUT",
                argument: "range"),
            Wrong(
                field: "performance(from: \"2026-02-01\", to: \"2026-01-01\") { currency }",
                code: "BAD_USER_INPUT",
                argument: "from"),
            Wrong(
                field: "performance(to: \"2026-01-01\") { currency }", code: "BAD_USER_INPUT",
                argument: "from"),
            Wrong(
                field: "performance(from: \"2026-11-20\") { currency }", code: "BAD_USER_INPUT",
                argument: "from"),
            Wrong(
                field: "performance { series(points: 1) { date } }", code: "BAD_USER_INPUT",
                argument: "points"),
            Wrong(
                field: "history(range: FIVE_YEARS, interval: ONE_MINUTE) { interval }", code: "UNSUPPORTED",
                argument: "interval"),
        ])
    func invalid(wrong: Wrong) async throws {
        try await withGateway { gateway in
            let backends = try gateway.backends([gateway.connection("demo", of: alice)])
            let answer = try await gateway.ask("{ account { number \(wrong.field) } }", as: alice, backends)
            #expect(answer["data"]?["account"]?["number"] == "PA3SANDBOX1", "\(answer)")
            let error = try #require(answer["errors"]?[0], "\(answer)")
            #expect(error["extensions"]?["code"]?.string == wrong.code, "\(error)")
            #expect(error["extensions"]?["argument"]?.string == wrong.argument, "\(error)")
            #expect(error["message"]?.string?.contains("\"\(wrong.argument)\"") == true, "\(error)")
        }
    }

    @Test("of a range that Saxo does not have is UNSUPPORTED, and names the ranges that capabilities list")
    func unsupportedRange() async throws {
        try await withGateway { gateway in
            let backends = try gateway.backends([gateway.saxo(of: alice)])
            let answer = try await gateway.ask(
                "{ account { number history(range: ONE_DAY) { interval } } }", as: alice, backends)
            #expect(answer.failures == [FieldFailure("account.history", "UNSUPPORTED", "saxo")])
            #expect(answer["errors"]?[0]?["extensions"]?["argument"] == "range")
            let served =
                "FIVE_DAYS, ONE_MONTH, THREE_MONTHS, SIX_MONTHS, YEAR_TO_DATE, ONE_YEAR, FIVE_YEARS, MAX"
            let message = "saxo has no history of the range ONE_DAY. It has \(served)."
            #expect(answer["errors"]?[0]?["message"]?.string?.contains(message) == true, "\(answer)")
            let listed = try await gateway.ask(
                "{ providers { name capabilities { historyRanges chartRanges } } }", as: alice, backends)
            let saxo = listed["data"]?["providers"]?.elements?.first { $0["name"] == "saxo" }
            let ranges = saxo?["capabilities"]
            #expect(
                ranges?["historyRanges"]?.elements?.compactMap(\.string).joined(separator: ", ") == served,
                "\(listed)")
            #expect(ranges?["chartRanges"]?.elements?.count == 9, "\(listed)")
        }
    }

    @Test("of an account without a history is NOT_FOUND, and names the range")
    func withoutHistory() async throws {
        let now = try #require(Instant(TestGateway.now))
        let ledger = Ledger(
            accountID: "0c1de4b1-7ad5-4d0e-9c57-0a6b2f0f8a31", accountNumber: "PA3SANDBOXNEW",
            opened: now + .seconds(40 * 86_400),
            deposit: 1_000, trades: [])
        let user = SandboxUser(
            name: "new", ledger: ledger,
            alpaca: SandboxUser.AlpacaCredentials(keyID: "PKNEW", secretKey: "secret", token: "new-token"))
        try await withGateway(users: [.demo, user]) { gateway in
            let backends = try gateway.backends([gateway.connection("new", of: alice, user)])
            let answer = try await gateway.ask(
                "{ account { number performance { currency } } }", as: alice, backends)
            #expect(answer["data"]?["account"]?["number"] == "PA3SANDBOXNEW", "\(answer)")
            #expect(answer.failures == [FieldFailure("account.performance", "NOT_FOUND")], "\(answer)")
            #expect(answer["errors"]?[0]?["extensions"]?["argument"] == "range")
        }
    }

    @Test("over a period that begins before the first deposit has the return since the deposit")
    func beforeOpening() async throws {
        try await withGateway { gateway in
            let backends = try gateway.backends([gateway.saxo(of: alice)])
            let data = try await gateway.data(
                """
                { account { performance(from: "2010-01-04", to: "2026-11-18", benchmark: "KO") { \(performanceFields) } } }
                """, backends)
            let performance = try #require(data["account"]?["performance"])
            // The account was empty before its first deposit, so that the return is that since then.
            let own = try #require(performance["timeWeighted"], "\(performance)")
            #expect(own["from"]?.string?.hasPrefix("2021-11") == true, "\(own)")
            #expect(performance["firstValue"]?.decimal == .zero)
            // The benchmark has the period of the return.
            let benchmark = try #require(performance["benchmark"], "\(performance)")
            let rate = try #require(own["percentage"]?.decimal).doubleValue
            let other = try #require(benchmark["percentage"]?.decimal, "\(benchmark)").doubleValue
            let excess = try #require(benchmark["excessPercentage"]?.decimal, "\(benchmark)").doubleValue
            #expect(abs(excess - (rate - other)) < 2e-4)
        }
    }

    @Test("keeps its figures if the prices of the benchmark cannot be read")
    func benchmarkFails() async throws {
        try await withGateway { gateway in
            let backends = try gateway.backends([gateway.connection("demo", of: alice)])
            #expect(gateway.sandbox.faults.add(Fault(.status(500), endpoint: "GET /v2/stocks/bars")))
            let answer = try await gateway.ask(
                """
                { account { performance(benchmark: "SPY") { timeWeighted { percentage }
                  benchmark { symbol } } } }
                """, as: alice, backends)
            let performance = answer["data"]?["account"]?["performance"]
            #expect(performance?["timeWeighted"]?["percentage"]?.decimal != nil, "\(answer)")
            #expect(
                answer.failures == [FieldFailure("account.performance.benchmark", "PROVIDER_UNAVAILABLE")])
        }
    }
}
