import Brokerage
import Gateway
import Sandbox
import TestSupport
import Testing
import Upstream

@Suite("The holdings of a portfolio")
struct HoldingTests {
    private static let figure = "{ value known undetermined { reason date symbol } }"
    private static let basis = """
        { cost \(figure) realizedProfit \(figure) unrealizedProfit \(figure) convertedCost \(figure)
          convertedRealizedProfit \(figure) yieldOnCostPercentage missing { quantity before account { id } } lotCount
          lots(first: 5) { acquired quantity cost convertedCost unrealizedProfit account { id } } }
        """
    private static let fields = """
        symbol currency quantity price marketValue value weightPercentage dayProfitLoss dayContributionPercentage
        instrument { name } positions { id symbol quantity side costBasis marketValue unrealizedProfitLoss dayProfitLoss }
        profit { since stale fifo \(basis) averageCost \(basis)
          income { gross taxes net undetermined { reason } } }
        """

    private static func holdings(
        _ gateway: TestGateway, _ backends: GatewayServices, currency: String = "USD"
    ) async throws -> [JSONValue] {
        let data = try await gateway.data(
            "{ portfolio(currency: \"\(currency)\") { holdings(first: 15) { nodes { \(fields) } } } }",
            backends)
        return try #require(data["portfolio"]?["holdings"]?["nodes"]?.elements)
    }

    @Test("are one for each instrument over several accounts, with the sum of the positions")
    func sums() async throws {
        try await withGateway { gateway in
            let backends = try gateway.backends([
                gateway.connection("demo", of: alice), gateway.connection("second", of: alice, .second),
            ])
            let holdings = try await Self.holdings(gateway, backends)
            #expect(holdings.count == 13)
            let apple = try #require(holdings.first { $0["symbol"] == "AAPL" })
            #expect(apple["positions"]?.elements?.count == 2)
            #expect(apple["quantity"]?.decimal == Brokerage.Decimal("59.75"))
            let data = try await gateway.data("{ portfolio { totalValue cash dayChange } }", backends)
            let total = try #require(data["portfolio"]?["totalValue"]?.decimal)
            let cash = try #require(data["portfolio"]?["cash"]?.decimal)
            let values = try holdings.map { try #require($0["value"]?.decimal) }
            #expect(abs(try (values.reduce(cash) { try $0 + $1 } - total).doubleValue) < 0.01)
            #expect(values == values.sorted(by: >))
            let days = try holdings.map { try #require($0["dayProfitLoss"]?.decimal) }
            let contributions = try holdings.map {
                try #require($0["dayContributionPercentage"]?.decimal).doubleValue
            }
            for (day, contribution) in zip(days, contributions) {
                #expect(day.isNegative == (contribution < 0) || contribution == 0)
            }
            for (value, holding) in zip(values, holdings) {
                #expect(holding["weightPercentage"]?.decimal == value.percent(of: total))
                #expect(holding["instrument"]?["name"]?.string != nil)
                let positions = try #require(holding["positions"]?.elements)
                let worth = try positions.reduce(Brokerage.Decimal.zero) {
                    try $0 + #require($1["marketValue"]?.decimal)
                }
                #expect(holding["marketValue"]?.decimal == worth.rounded(in: "USD"))
            }
        }
    }

    @Test("have the cost of their purchases, and by both methods the profit of the broker")
    func cost() async throws {
        try await withGateway { gateway in
            let backends = try gateway.backends([gateway.connection("demo", of: alice)])
            for holding in try await Self.holdings(gateway, backends) {
                let symbol = try #require(holding["symbol"]?.string)
                let position = try #require(holding["positions"]?[0])
                // Alpaca rounds its average price, from which it calculates the cost, and leaves out fees of sales.
                let tolerance = position["side"] == "SHORT" ? 0.2 : 0.02
                let profit = try #require(holding["profit"])
                #expect(profit["since"] == .null && profit["stale"] == .bool(false))
                for method in ["fifo", "averageCost"] {
                    let basis = try #require(profit[method])
                    #expect(basis["missing"] == .array([]), "\(symbol): \(basis)")
                    let cost = try #require(basis["cost"]?["value"]?.decimal, "\(symbol): \(basis)")
                    let broker = try #require(position["costBasis"]?.decimal)
                    #expect(abs((try cost - broker).doubleValue) < tolerance, "\(symbol) \(method)")
                    let unrealized = try #require(basis["unrealizedProfit"]?["value"]?.decimal)
                    let reported = try #require(position["unrealizedProfitLoss"]?.decimal)
                    #expect(abs((try unrealized - reported).doubleValue) < tolerance, "\(symbol) \(method)")
                    let lots = try #require(basis["lots"]?.elements)
                    #expect(basis["lotCount"]?.digits == "\(lots.count)")
                    let sum = try lots.reduce(Brokerage.Decimal.zero) {
                        try $0 + #require($1["quantity"]?.decimal)
                    }
                    #expect(sum == holding["quantity"]?.decimal)
                    // Everything is in dollars.
                    #expect(basis["convertedCost"]?["value"] == basis["cost"]?["value"])
                }
                if symbol == "AAPL" {
                    let lots = try #require(profit["fifo"]?["lots"]?.elements)
                    #expect(lots.map { $0["acquired"] } == ["2024-03-05", "2025-02-26"])
                    #expect(profit["averageCost"]?["lotCount"]?.digits == "1")
                    let gross = try #require(profit["income"]?["gross"]?.decimal)
                    let cost = try #require(profit["fifo"]?["cost"]?["value"]?.decimal)
                    let yield = try #require(profit["fifo"]?["yieldOnCostPercentage"]?.decimal).doubleValue
                    #expect(abs(yield - gross.doubleValue / cost.doubleValue * 100) < 6e-5)
                }
            }
        }
    }

    @Test(
        "of the parent of a spin-off have a part of their cost, by the prices of the first day, or an error, as has each share that can be the parent",
        arguments: [true, false])
    func spinOff(isReadable: Bool) async throws {
        let ledger = Ledger(
            accountID: "0d9e2f7c-3b1a-4c5d-8e6f-7a8b9c0d1e2f", accountNumber: "PA3SANDBOX3",
            opened: try #require(Instant("2021-11-08T15:20:00Z")), deposit: 20_000,
            trades: [
                .init(date: try #require(CalendarDate("2021-11-15")), symbol: "T", quantity: 200),
                .init(date: try #require(CalendarDate("2022-01-10")), symbol: "KO", quantity: 10),
                // After the spin-off.
                .init(date: try #require(CalendarDate("2023-01-10")), symbol: "MSFT", quantity: 1),
            ])
        let user = SandboxUser(
            name: "third", ledger: ledger,
            alpaca: .init(
                keyID: "PKSANDBOXTHIRD000003", secretKey: "sandbox-third-secret",
                token: "sandbox-third-token"))
        try await withGateway(users: [.demo, user]) { gateway in
            let backends = try gateway.backends([gateway.connection("third", of: alice, user)])
            guard isReadable else {
                let endpoint = "GET /v1/corporate-actions"
                #expect(
                    gateway.sandbox.faults.add(Fault(.status(503), provider: .alpaca, endpoint: endpoint)))
                let answer = try await gateway.ask(
                    "{ portfolio { holdings(first: 5) { nodes { symbol profit { stale } performance { stale } } } } }",
                    as: alice, backends)
                let nodes = try #require(
                    answer["data"]?["portfolio"]?["holdings"]?["nodes"]?.elements, "\(answer)")
                #expect(nodes.count == 3)
                var expected: Set<FieldFailure> = []
                for (index, node) in nodes.enumerated() {
                    for field in ["profit", "performance"] {
                        if node["symbol"] == "MSFT" {
                            #expect(node[field]?["stale"] == .bool(false), "\(answer)")
                        } else {
                            #expect(node[field] == .null, "\(answer)")
                            expected.insert(
                                FieldFailure(
                                    "portfolio.holdings.nodes.\(index).\(field)", "PROVIDER_UNAVAILABLE"))
                        }
                    }
                }
                #expect(Set(answer.failures) == expected, "\(answer)")
                return
            }
            let holdings = try await Self.holdings(gateway, backends)
            #expect(Set(holdings.map { $0["symbol"]?.string }) == ["T", "KO", "MSFT"])
            let parent = try #require(holdings.first { $0["symbol"] == "T" })
            #expect(gateway.calls["GET /v1/corporate-actions"] == 1)
            let prices = try await gateway.data(
                """
                { charts(symbols: ["T", "WBD"], interval: ONE_DAY, from: "2022-04-11T00:00:00Z", to: "2022-04-12T00:00:00Z",
                    adjustment: RAW) { candles { date close } } }
                """, backends)
            let closes = try (0..<2).map { index in
                let candle = try #require(prices["charts"]?[index]?["candles"]?[0])
                #expect(candle["date"] == "2022-04-11")
                return try #require(candle["close"]?.decimal).doubleValue
            }
            // Ten shares of the parent received one of the new company.
            let kept = 10 * closes[0] / (10 * closes[0] + closes[1])
            #expect((0.7...0.95).contains(kept))
            // The broker reports what was paid for the parent.
            let paid = try #require(parent["positions"]?[0]?["costBasis"]?.decimal).doubleValue
            for method in ["fifo", "averageCost"] {
                let basis = try #require(parent["profit"]?[method])
                #expect(basis["missing"] == .array([]), "\(basis)")
                let cost = try #require(basis["cost"]?["value"]?.decimal).doubleValue
                #expect(abs(cost - paid * kept) < 0.02)
                #expect(basis["lots"]?[0]?["acquired"] == "2021-11-15")
            }
        }
    }

    @Test("at Saxo have costs in both currencies, by the booked rates")
    func saxo() async throws {
        try await withGateway { gateway in
            let backends = try gateway.backends([gateway.saxo(of: alice)])
            let holdings = try await Self.holdings(gateway, backends, currency: "EUR")
            let apple = try #require(holdings.first { $0["symbol"] == "AAPL" })
            let basis = try #require(apple["profit"]?["fifo"])
            #expect(basis["lotCount"]?.digits == "2", "\(basis)")
            let cost = try #require(basis["cost"]?["value"]?.decimal, "\(basis)").doubleValue
            let converted = try #require(basis["convertedCost"]?["value"]?.decimal, "\(basis)").doubleValue
            #expect((0.7...1.1).contains(converted / cost))
            let accounts = Set(basis["lots"]?.elements?.compactMap { $0["account"]?["id"]?.string } ?? [])
            #expect(accounts.count == 2)
            // Positions in currencies are held on margin: their cost is the value of the contract.
            let pair = try #require(holdings.first { $0["symbol"] == "EUR/USD" })
            let price = try #require(pair["price"]?.decimal).doubleValue
            let contract = try #require(pair["profit"]?["fifo"]?["cost"]?["value"]?.decimal, "\(pair)")
                .doubleValue
            #expect((0.8...1.25).contains(contract / (price * 100_000)), "\(pair)")
        }
    }

    @Test("come page after page, each once")
    func pages() async throws {
        try await withGateway { gateway in
            let backends = try gateway.backends([gateway.connection("demo", of: alice)])
            let all = try await Self.holdings(gateway, backends).map { $0["symbol"] }
            var (symbols, cursor, pages) = ([JSONValue?](), String?.none, 0)
            repeat {
                let after = cursor.map { ", after: \"\($0)\"" } ?? ""
                let page = try #require(
                    try await gateway.data(
                        """
                        { portfolio { holdings(first: 4\(after)) { edges { cursor node { symbol } } nodes { symbol }
                          pageInfo { hasNextPage hasPreviousPage startCursor endCursor } } } }
                        """, backends)["portfolio"]?["holdings"])
                let edges = try #require(page["edges"]?.elements)
                #expect(edges.map { $0["node"] } == page["nodes"]?.elements)
                #expect(page["pageInfo"]?["hasPreviousPage"] == .bool(cursor != nil))
                symbols += edges.map { $0["node"]?["symbol"] }
                cursor = page["pageInfo"]?["endCursor"]?.string
                pages += 1
                #expect(page["pageInfo"]?["hasNextPage"] == .bool(symbols.count < all.count))
            } while symbols.count < all.count && pages < 10
            #expect(symbols == all)
            for (arguments, argument) in [
                ("first: 0", "first"), ("first: 201", "first"), ("after: \"x\"", "after"),
            ] {
                let answer = try await gateway.ask(
                    "{ portfolio { currency holdings(\(arguments)) { nodes { symbol } } } }", as: alice,
                    backends)
                #expect(answer.failures.map(\.code) == ["BAD_USER_INPUT"], "\(arguments): \(answer)")
                #expect(answer["errors"]?[0]?["extensions"]?["argument"]?.string == argument)
            }
        }
    }

    @Test("and all other income of the last twelve months add up to that of the portfolio")
    func income() async throws {
        try await withGateway { gateway in
            let backends = try gateway.backends([gateway.connection("demo", of: alice)])
            let data = try await gateway.data(
                """
                { portfolio { income { gross taxes net undetermined { reason } }
                    holdings { nodes { profit { income { gross } } } } }
                  activities(kinds: [DIVIDEND, INTEREST, TAX], from: "2025-11-21", first: 500) {
                    nodes { kind amount } } }
                """, backends)
            let activities = try #require(data["activities"]?["nodes"]?.elements)
            func sum(_ kinds: Set<String>) throws -> Brokerage.Decimal {
                try activities.filter { kinds.contains($0["kind"]?.string ?? "") }
                    .compactMap { $0["amount"]?.decimal }.filter { !$0.isNegative || kinds.contains("TAX") }
                    .reduce(.zero) { try $0 + $1 }
            }
            let income = try #require(data["portfolio"]?["income"], "\(data)")
            #expect(income["gross"]?.decimal == (try sum(["DIVIDEND", "INTEREST"])))
            #expect(income["taxes"]?.decimal == (try sum(["TAX"])))
            let net = try #require(income["gross"]?.decimal) + #require(income["taxes"]?.decimal)
            #expect(income["net"]?.decimal == net)
            let holdings = try #require(data["portfolio"]?["holdings"]?["nodes"]?.elements)
            let gross = try holdings.map {
                try #require($0["profit"]?["income"]?["gross"]?.decimal)
            }
            #expect(try gross.reduce(.zero) { try $0 + $1 } == (try sum(["DIVIDEND"])))
        }
    }

    @Test("have the first announced ex-date from today on, which is null for what pays no dividends")
    func nextDividend() async throws {
        try await withGateway { gateway in
            let backends = try gateway.backends([
                gateway.connection("demo", of: alice), gateway.saxo(of: alice),
            ])
            let data = try await gateway.data(
                "{ portfolio { holdings(first: 20) { nodes { symbol nextDividendDate } } } }", backends)
            let holdings = try #require(data["portfolio"]?["holdings"]?["nodes"]?.elements)
            let calls = try #require(gateway.calls["GET /v1/corporate-actions"], "\(gateway.calls)")
            let instruments = try await gateway.data(
                """
                { portfolio { holdings(first: 20) { nodes {
                  instrument { dividends(from: "2026-11-15", first: 20) { nodes { exDate } } } } } } }
                """, backends)["portfolio"]?["holdings"]?["nodes"]?.elements
            // They are the same dividends.
            #expect(gateway.calls["GET /v1/corporate-actions"] == calls)
            for (holding, other) in try zip(holdings, #require(instruments)) {
                let dividends = other["instrument"]?["dividends"]?["nodes"]?.elements ?? []
                let days = dividends.compactMap { $0["exDate"]?.string }.filter { $0 >= "2026-11-20" }
                #expect(holding["nextDividendDate"]?.string == days.min(), "\(holding)")
            }
            func day(of symbol: String) -> JSONValue? {
                holdings.first { $0["symbol"]?.string == symbol }?["nextDividendDate"]
            }
            #expect(day(of: "KO") != .null && day(of: "TSLA") == .null && day(of: "EUR/USD") == .null)
        }
    }

    @Test("whose dividends cannot be read have an error, and keep their other fields")
    func unreadDividends() async throws {
        try await withGateway { gateway in
            let backends = try gateway.backends([gateway.connection("demo", of: alice)])
            #expect(
                gateway.sandbox.faults.add(Fault(.status(500), endpoint: "GET /v1/corporate-actions")))
            let answer = try await gateway.ask(
                "{ portfolio { holdings(first: 1) { nodes { symbol nextDividendDate } } } }", as: alice,
                backends)
            let holding = answer["data"]?["portfolio"]?["holdings"]?["nodes"]?[0]
            #expect(holding?["symbol"]?.string != nil && holding?["nextDividendDate"] == .null, "\(answer)")
            #expect(
                answer.failures == [
                    FieldFailure("portfolio.holdings.nodes.0.nextDividendDate", "PROVIDER_UNAVAILABLE")
                ], "\(answer)")
        }
    }

    @Test("are allocated by sector and country; instruments of which no provider knows them are UNKNOWN")
    func allocation() async throws {
        try await withGateway { gateway in
            let connection = try gateway.connection("demo", of: alice)
            let query = """
                { portfolio { totalValue sector: allocation(by: SECTOR) { key value percentage }
                  country: allocation(by: COUNTRY) { key value } currency: allocation(by: CURRENCY) { key value } } }
                """
            let without = try await gateway.data(query, gateway.backends([connection]))
            let keys = without["portfolio"]?["sector"]?.elements?.map { $0["key"] }
            #expect(Set(keys ?? []) == ["UNKNOWN", "CASH"])
            let market = gateway.market(
                [try gateway.alpaca(), try gateway.alphaVantage()], connections: [connection])
            let data = try await gateway.data(query, market)
            for allocation in ["sector", "country", "currency"] {
                let slices = try #require(data["portfolio"]?[allocation]?.elements)
                let sum = try slices.reduce(Brokerage.Decimal.zero) {
                    try $0 + #require($1["value"]?.decimal)
                }
                let total = try #require(data["portfolio"]?["totalValue"]?.decimal)
                #expect(abs((try sum - total).doubleValue) < 0.01, "\(slices)")
            }
            let sectors = Set(
                data["portfolio"]?["sector"]?.elements?.compactMap { $0["key"]?.string } ?? [])
            // Funds have no sector.
            #expect(sectors.isSuperset(of: ["CASH", "UNKNOWN"]) && sectors.count > 4, "\(sectors)")
            #expect(data["portfolio"]?["currency"]?.elements?.map { $0["key"] } == ["USD"])
        }
    }

    @Test("are allocated to the account, also at a broker whose positions do not name it")
    func allocationByAccount() async throws {
        try await withGateway { gateway in
            let backends = try gateway.backends([gateway.connection("demo", of: alice)])
            let data = try await gateway.data(
                """
                { account { id allocation(by: ACCOUNT) { key percentage } }
                  portfolio { allocation(by: ACCOUNT) { key percentage } } }
                """, backends)
            let id = try #require(data["account"]?["id"]?.string)
            for owner in ["account", "portfolio"] {
                let slices = try #require(data[owner]?["allocation"]?.elements)
                #expect(slices.map { $0["key"] } == [.string(id)], "\(owner): \(slices)")
                let share = try #require(slices.first?["percentage"]?.decimal)
                #expect(share == Brokerage.Decimal("100"), "\(owner): \(slices)")
            }
        }
    }

    /// A market with the identity of Apple from Alpha Vantage, whose only call it is, and of the others from Yahoo.
    private static func marketOfTwoForms(
        _ gateway: TestGateway, _ field: String, ofApple value: String
    ) async throws -> GatewayServices {
        let market = gateway.market(
            [try gateway.alpaca(), try gateway.alphaVantage(perMinute: 1), try gateway.yahoo()],
            connections: [try gateway.connection("demo", of: alice)])
        let apple = try await gateway.data(
            "{ instrument(symbol: \"AAPL\") { identity { \(field) } } }", market)
        #expect(apple["instrument"]?["identity"]?[field]?.string == value)
        return market
    }

    @Test("are in one slice of a sector, whose name has one form, whatever case the sources write")
    func sectorsInCapitals() async throws {
        try await withGateway { gateway in
            let market = try await Self.marketOfTwoForms(gateway, "sector", ofApple: "TECHNOLOGY")
            let data = try await gateway.data(
                """
                { portfolio { allocation(by: SECTOR) { key value }
                  holdings(first: 15) { nodes { symbol value } } } }
                """, market)
            let slices = try #require(data["portfolio"]?["allocation"]?.elements)
            let keys = slices.compactMap { $0["key"]?.string }
            #expect(!keys.contains("TECHNOLOGY") && keys.contains("Financial Services"), "\(keys)")
            let technology = try #require(slices.first { $0["key"] == "Technology" }, "\(keys)")
            let holdings = try #require(data["portfolio"]?["holdings"]?["nodes"]?.elements)
            let value = try holdings.filter { ["AAPL", "MSFT", "NVDA"].contains($0["symbol"]?.string) }
                .reduce(Brokerage.Decimal.zero) { try $0 + #require($1["value"]?.decimal) }
            #expect(technology["value"]?.decimal == value, "\(slices)")
        }
    }

    @Test("are in one slice of a country, whether a provider writes its code or its name")
    func countriesOfSeveralProviders() async throws {
        try await withGateway { gateway in
            let market = try await Self.marketOfTwoForms(gateway, "country", ofApple: "USA")
            let data = try await gateway.data("{ portfolio { allocation(by: COUNTRY) { key } } }", market)
            let keys = data["portfolio"]?["allocation"]?.elements?.compactMap { $0["key"]?.string } ?? []
            #expect(keys.filter { !["CASH", "UNKNOWN"].contains($0) } == ["United States"], "\(keys)")
        }
    }
}
