import Brokerage
import Gateway
import Sandbox
import TestSupport
import Testing
import Upstream

@Suite("The figures that Saxo does not report")
struct DayChangeTests {
    private typealias Number = Brokerage.Decimal

    private static let fields = """
        symbol side assetClass quantity currency averageEntryPrice costBasis unrealizedProfitLoss
        unrealizedProfitLossPercentage dayProfitLoss dayProfitLossPercentage conversionRate
        quote(provider: "saxo") { change changePercentage currency }
        """

    @Test("are calculated: cost and profit in per cent from the position, the day's profit from Saxo's quote")
    func positions() async throws {
        try await withGateway { gateway in
            let backends = try gateway.backends([gateway.saxo(of: alice)])
            var order = TestOrder(account: try await gateway.account(with: .saxo, backends))
            (order.symbol, order.side, order.size) = ("AAPL:XNAS:CfdOnStock", "SELL", "{ quantity: \"10\" }")
            _ = try await gateway.placed(order, backends)
            let data = try await gateway.data("{ positions { \(Self.fields) } }", backends)
            let positions = try #require(data["positions"]?.elements)
            let classes = Set(positions.compactMap { $0["assetClass"]?.string })
            let sides = Set(positions.compactMap { $0["side"]?.string })
            #expect(classes.isSuperset(of: ["EQUITY", "FX", "CFD"]) && sides.count == 2)
            for position in positions {
                let isShort = position["side"] == "SHORT"
                let quantity = try #require(position["quantity"]?.decimal)
                let signed = isShort ? try quantity.negated : quantity
                let price = try #require(position["averageEntryPrice"]?.decimal)
                #expect(position["costBasis"]?.decimal == (try signed * price), "\(position)")
                let cost = try (signed * price).magnitude
                let profit = try #require(position["unrealizedProfitLoss"]?.decimal)
                #expect(position["unrealizedProfitLossPercentage"]?.decimal == profit.percent(of: cost))
                let change = try #require(position["quote"]?["change"]?.decimal)
                #expect(position["quote"]?["currency"] == position["currency"])
                #expect(position["dayProfitLoss"]?.decimal == (try signed * change), "\(position)")
                let percent = try #require(position["quote"]?["changePercentage"]?.decimal)
                let day = isShort ? try percent.negated : percent
                #expect(position["dayProfitLossPercentage"]?.decimal == day)
            }
        }
    }

    @Test(
        "are added up in the currency of the account with the rate of the broker, and in that of the portfolio"
    )
    func accounts() async throws {
        try await withGateway { gateway in
            let backends = try gateway.backends([
                gateway.saxo(of: alice), gateway.connection("demo", of: alice),
            ])
            let data = try await gateway.data(
                """
                { accounts { provider currency equity lastEquity dayChange dayChangePercentage
                    positions { \(Self.fields) } }
                  portfolio(currency: "EUR") { dayChange dayChangePercentage
                    parts { account { id dayChange } value rate { rate } }
                    holdings(first: 50) { nodes { symbol dayProfitLoss dayContributionPercentage } } } }
                """, backends)
            let accounts = try #require(data["accounts"]?.elements)
            var hasForeign = false
            for account in accounts {
                let change = try #require(account["dayChange"]?.decimal, "\(account)")
                let equity = try #require(account["equity"]?.decimal)
                guard account["provider"] == "saxo" else {
                    let difference = try equity - #require(account["lastEquity"]?.decimal)
                    #expect(change == difference.rounded(to: 4, .halfEven))
                    continue
                }
                // Saxo does not report it, and a deposit would change it.
                #expect(account["lastEquity"] == .null)
                var sum = Number.zero
                for position in try #require(account["positions"]?.elements) {
                    let profit = try #require(position["dayProfitLoss"]?.decimal)
                    guard position["currency"] != account["currency"] else {
                        sum = try sum + profit
                        continue
                    }
                    hasForeign = true
                    let rate = try #require(position["conversionRate"]?.decimal, "\(position)")
                    sum = try sum + (profit * rate).rounded(to: 4, .halfEven)
                }
                #expect(change == sum, "\(account)")
                #expect(account["dayChangePercentage"]?.decimal == change.percent(of: try equity - change))
            }
            #expect(hasForeign)
            let portfolio = try #require(data["portfolio"])
            let change = try #require(portfolio["dayChange"]?.decimal).doubleValue
            let parts = try #require(portfolio["parts"]?.elements)
            let sum = try parts.reduce(0.0) { sum, part in
                let own = try #require(part["account"]?["dayChange"]?.decimal).doubleValue
                return sum + own * (part["rate"]?["rate"]?.decimal?.doubleValue ?? 1)
            }
            #expect(abs(change - sum) < 0.05, "\(portfolio)")
            #expect(portfolio["dayChangePercentage"]?.decimal?.isNegative == (change < 0))
            for holding in try #require(portfolio["holdings"]?["nodes"]?.elements) {
                let profit = try #require(holding["dayProfitLoss"]?.decimal, "\(holding)")
                let share = try #require(holding["dayContributionPercentage"]?.decimal, "\(holding)")
                #expect(share.isZero || share.isNegative == profit.isNegative)
            }
        }
    }

    @Test("are an error if the quotes cannot be read, and null if Saxo has none; the others are known")
    func unavailable() async throws {
        try await withGateway { gateway in
            let backends = try gateway.backends([gateway.saxo(of: alice)])
            let endpoint = "GET /trade/v1/infoprices/list"
            #expect(gateway.sandbox.faults.add(Fault(.status(503), provider: .saxo, endpoint: endpoint)))
            let answer = try await gateway.ask(
                "{ positions { costBasis dayProfitLoss } account { equity dayChange } }", as: alice, backends)
            let positions = try #require(answer["data"]?["positions"]?.elements, "\(answer)")
            #expect(!positions.isEmpty)
            for (index, position) in positions.enumerated() {
                #expect(position["costBasis"]?.decimal != nil && position["dayProfitLoss"] == .null)
                #expect(
                    answer.failures.contains(
                        FieldFailure("positions.\(index).dayProfitLoss", "PROVIDER_UNAVAILABLE", "saxo")),
                    "\(answer)"
                )
            }
            #expect(answer["data"]?["account"]?["equity"]?.decimal != nil)
            #expect(answer["data"]?["account"]?["dayChange"] == .null)
            #expect(
                answer.failures.contains(FieldFailure("account.dayChange", "PROVIDER_UNAVAILABLE", "saxo")))
        }
        try await withGateway {
            $0.saxo.includesExchangePrices = false
        } _: { gateway in
            let backends = try gateway.backends([gateway.saxo(of: alice)])
            let data = try await gateway.data(
                "{ positions { assetClass currentPrice dayProfitLoss } portfolio { dayChange } }", backends)
            for position in try #require(data["positions"]?.elements) {
                #expect((position["dayProfitLoss"] == .null) == (position["currentPrice"] == .null))
                #expect(
                    (position["dayProfitLoss"] == .null) == (position["assetClass"] != "FX"), "\(position)")
            }
            #expect(data["portfolio"]?["dayChange"] == .null)
        }
    }
}
