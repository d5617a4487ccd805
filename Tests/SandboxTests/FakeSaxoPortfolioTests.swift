import Brokerage
import Sandbox
import TestSupport
import Testing

import struct Sandbox.FakeInstrument

@Suite("Saxo's portfolio")
struct FakeSaxoPortfolioTests {
    static let clients = [FakeSaxoClient.demo, .second]
    static let groups = "FieldGroups=NetPositionBase,NetPositionView,DisplayAndFormat"

    private func headers(_ client: FakeSaxoClient) -> [String: String] {
        ["Authorization": "Bearer \(client.credentials.accessToken)"]
    }

    private func sum(_ values: [Decimal]) throws -> Decimal {
        try values.reduce(Decimal.zero) { try $0 + $1 }
    }

    @Test("a client's texts are what they say", arguments: clients)
    func constants(client: FakeSaxoClient) throws {
        for account in client.accounts {
            #expect(account.funded > (try instant("2024-01-01T00:00:00Z")))
            #expect(account.opened > (try instant("2021-01-01T00:00:00Z")))
            for trade in account.trades + (account.earlier?.trades ?? []) {
                #expect(trade.date > (try date("2021-01-01")) && !trade.quantity.isZero)
            }
            for trade in account.trades {
                #expect(FakeInstrument.all.contains { $0.symbol == trade.symbol })
            }
            #expect(account.limitOrders.allSatisfy { $0.price > .zero && $0.placed > account.opened })
        }
    }

    @Test("a balance adds up to the positions, in the client's currency", arguments: clients, Moment.all)
    func balance(client: FakeSaxoClient, moment: String) async throws {
        try await withSandbox(at: moment) { fixture in
            let balance = try await fixture.saxoDocument("/port/v1/balances/me", headers(client))
            let page = try await fixture.saxoDocument("/port/v1/netpositions/me", headers(client))
            let positions = try #require(page["Data"]?.elements)
            let values = try positions.map {
                try decimal($0["NetPositionView"]?["MarketValueInBaseCurrency"])
            }
            #expect(try decimal(balance["UnrealizedPositionsValue"]) == sum(values))
            let cash = try decimal(balance["CashBalance"])
            #expect(try decimal(balance["TotalValue"]) == cash + sum(values))
            #expect(balance["Currency"]?.string == client.currency)
            #expect(balance["NetPositionsCount"]?.digits == String(positions.count))
            #expect(try decimal(balance["MarginUsedByCurrentPositions"]).isNegative)
        }
    }

    @Test("with an account's key, figures are that account's, in its currency")
    func account() async throws {
        let account = FakeSaxoClient.demo.accounts[1]
        let query =
            "ClientKey=\(FakeSaxoClient.demo.escapedKey)&AccountKey=\(FakeSaxoClient.escaped(account.key))"
        try await withSandbox { fixture in
            let balance = try await fixture.saxoDocument("/port/v1/balances?\(query)")
            #expect(balance["Currency"] == "DKK")
            let page = try await fixture.saxoDocument("/port/v1/netpositions?\(query)&\(Self.groups)")
            let positions = try #require(page["Data"]?.elements)
            let symbols = positions.map { $0["DisplayAndFormat"]?["Symbol"]?.string }
            #expect(symbols == ["AAPL:xnas", "NVDA:xnas", "EURDKK"])
            for position in positions {
                #expect(position["NetPositionBase"]?["AccountId"]?.string == account.id)
            }
            let whole = try await fixture.saxoDocument("/port/v1/netpositions/me")
            #expect(whole["Data"]?[0]?["NetPositionBase"]?["AccountId"] == nil)
            // 40 in one account, 10 in the other.
            #expect(whole["Data"]?[0]?["NetPositionBase"]?["Amount"]?.digits == "50")
        }
    }

    @Test(
        "a position's numbers agree with each other, and with the rate that converts them", arguments: clients
    )
    func position(client: FakeSaxoClient) async throws {
        try await withSandbox { fixture in
            let page = try await fixture.saxoDocument(
                "/port/v1/netpositions/me?\(Self.groups)", headers(client))
            for position in try #require(page["Data"]?.elements) {
                let view = try #require(position["NetPositionView"])
                let amount = try decimal(position["NetPositionBase"]?["Amount"])
                let price = try decimal(view["CurrentPrice"])
                let open = try decimal(view["AverageOpenPrice"])
                let profit = try decimal(view["ProfitLossOnTrade"])
                let error = try (amount * (price - open) - profit).magnitude
                // The average price is rounded to hundredths of a tick.
                #expect(try error <= amount.magnitude * #require(Decimal("0.0001")) + 1)
                let rate = try decimal(view["ConversionRateCurrent"])
                let base = try decimal(view["ProfitLossOnTradeInBaseCurrency"])
                #expect(try (profit * rate - base).magnitude < 1)
                let isCurrency = position["NetPositionBase"]?["AssetType"] == "FxSpot"
                #expect(view["ExposureCurrency"] == position["DisplayAndFormat"]?["Currency"] || isCurrency)
                if isCurrency { #expect(try decimal(view["Exposure"]) == amount) }
                if amount.isNegative { #expect(view["CurrentPriceType"] == "Ask") }
            }
        }
    }

    @Test("without access to an exchange, numbers that need its price are absent")
    func noAccess() async throws {
        try await withSandbox({ $0.saxo.includesExchangePrices = false }) { fixture in
            let page = try await fixture.saxoDocument("/port/v1/netpositions/me")
            let apple = try #require(page["Data"]?[0])
            let view = try #require(apple["NetPositionView"]?.members)
            #expect(view["CalculationReliability"] == "NoMarketAccess" && view["CurrentPriceType"] == "None")
            #expect(view["CurrentPrice"] == nil && view["MarketValue"] == nil && view["Exposure"] == nil)
            let price = try await fixture.saxoDocument("/trade/v1/infoprices?Uic=211&AssetType=Stock")
            let quote = try #require(price["Quote"]?.members)
            #expect(quote["PriceTypeBid"] == "NoAccess" && quote["Bid"] == nil && quote["Mid"] == nil)
            #expect(price["LastUpdated"] == "0001-01-01T00:00:00Z")
            #expect(
                try await fixture.saxo("/chart/v3/charts?AssetType=Stock&Uic=211&Horizon=60").status == 403)
        }
    }

    @Test("the share's price is the one that Alpaca tells")
    func oneStory() async throws {
        try await withSandbox({ $0.saxo.delaysPricesWithoutTradeLevel = false }) { fixture in
            let saxo = try await fixture.saxoDocument(
                "/trade/v1/infoprices?Uic=211&AssetType=Stock&FieldGroups=Quote,PriceInfoDetails")
            let alpaca = try JSONValue(
                parsing: await fixture.data("/v2/stocks/snapshots?symbols=AAPL").body)["AAPL"]
            #expect(saxo["PriceInfoDetails"]?["LastTraded"] == alpaca?["latestTrade"]?["p"])
            #expect(saxo["Quote"]?["Ask"] == alpaca?["latestQuote"]?["ap"])
        }
    }

    @Test("pages follow each other by their links, to the end")
    func pages() async throws {
        try await withSandbox { fixture in
            let all = try await fixture.saxoDocument("/port/v1/netpositions/me?\(Self.groups)")
            var next: String? =
                "/port/v1/netpositions?ClientKey=\(FakeSaxoClient.demo.escapedKey)&$top=2&\(Self.groups)"
            var found: [JSONValue] = []
            var count = 0
            while let path = next, count < 20 {
                count += 1
                let page = try await fixture.saxoDocument(path)
                #expect(page["__count"] == all["__count"])
                found += try #require(page["Data"]?.elements)
                let link = page["__next"]?.string
                #expect(link?.hasPrefix(fixture.sandbox.saxo.gatewayURL + "/port/v1/netpositions?") ?? true)
                next = link.map { String($0.dropFirst(fixture.sandbox.saxo.gatewayURL.count)) }
            }
            #expect(found == all["Data"]?.elements)
            #expect(count == (found.count + 1) / 2)
        }
    }

    @Test("an empty portfolio is an empty page, or no content at all", arguments: [false, true])
    func empty(hasNoContent: Bool) async throws {
        try await withSandbox({ $0.saxo.emptyPortfolioHasNoContent = hasNoContent }) { fixture in
            let reply = try await fixture.saxo("/port/v1/netpositions/me?Uic=31&AssetType=FxSpot")
            #expect(reply.status == (hasNoContent ? 204 : 200))
            #expect(reply.body == (hasNoContent ? "" : #"{"__count":0,"Data":[]}"#))
        }
    }

    @Test(
        "small numbers have exponents, unless they must not",
        arguments: [(true, "1E-05"), (false, "0.00001")])
    func exponents(writesExponents: Bool, text: String) async throws {
        try await withSandbox({ $0.saxo.writesExponents = writesExponents }) { fixture in
            let reply = try await fixture.saxo("/ref/v1/instruments/details/21/FxSpot")
            #expect(reply.body.contains("\"TickSize\":\(text),"))
        }
    }

    @Test("of the instruments of several Uics, those that Saxo does not have are left out")
    func details() async throws {
        try await withSandbox { fixture in
            let details = try await fixture.saxoDocument(
                "/ref/v1/instruments/details?Uics=211,999999,21&AssetTypes=Stock,FxSpot")
            let found = try #require(details["Data"]?.elements)
            #expect(
                try Set(found.map { "\(try decimal($0["Uic"])) \($0["CurrencyCode"]?.string ?? "")" })
                    == ["211 USD", "21 USD"])
        }
    }

    @Test("a share of London has prices in pence and amounts in pounds, and only its details name pence")
    func pence() async throws {
        try await withSandbox(at: "2026-11-20T15:00:00Z") { fixture in
            let found = try await fixture.saxoDocument("/ref/v1/instruments?Keywords=tesco&AssetTypes=Stock")
            #expect(found["Data"]?[0]?["Identifier"]?.digits == "30901")
            #expect(found["Data"]?[0]?["CurrencyCode"] == "GBP")
            let details = try await fixture.saxoDocument("/ref/v1/instruments/details/30901/Stock")
            #expect(details["Symbol"] == "TSCO:xlon" && details["CurrencyCode"] == "GBP")
            #expect(details["PriceCurrency"] == "GBX")
            #expect(try decimal(details["PriceToContractFactor"]) == #require(Decimal("0.01")))
            let apple = try await fixture.saxoDocument("/ref/v1/instruments/details/211/Stock")
            #expect(apple["PriceCurrency"] == "USD")
            #expect(try decimal(apple["PriceToContractFactor"]) == 1)
            let order = FakeSaxoOrderTests.order(["Uic": "30901", "Amount": "100"])
            #expect(try await fixture.saxo("POST", "/trade/v2/orders", order).status == 200)
            let page = try await fixture.saxoDocument(
                "/port/v1/netpositions/me?Uic=30901&AssetType=Stock&\(Self.groups)")
            let view = try #require(page["Data"]?[0]?["NetPositionView"])
            #expect(page["Data"]?[0]?["DisplayAndFormat"]?["Currency"] == "GBP")
            #expect(view["ExposureCurrency"] == "GBP")
            let price = try decimal(view["CurrentPrice"])
            #expect(price > 200)
            #expect(try (decimal(view["AverageOpenPrice"]) - price).magnitude < 50)
            // A hundred shares at a hundredth of the price.
            #expect(try decimal(view["MarketValue"]) == price)
        }
    }

    @Test(
        "a position that was sold today is closed with its profit and its commissions, by first in, first out"
    )
    func closed() async throws {
        let account = FakeSaxoClient.demo.accounts[0]
        let query =
            "ClientKey=\(FakeSaxoClient.demo.escapedKey)&AccountKey=\(FakeSaxoClient.escaped(account.key))"
        try await withSandbox({ $0.saxo.ordersPerSecond = nil }) { fixture in
            let path = "/port/v1/closedpositions?\(query)&FieldGroups=ClosedPosition,DisplayAndFormat"
            let none = try await fixture.saxoDocument(path)
            #expect(none["Data"] == .array([]))
            var requests = 0
            for side in ["Buy", "Sell", "Sell"] {
                let order = FakeSaxoOrderTests.order([
                    "Uic": "211", "AssetType": "\"Stock\"", "BuySell": "\"\(side)\"", "Amount": "2",
                    "ExternalReference": "\"\(side)\"",
                ])
                let reply = try await fixture.saxo(
                    "POST", "/trade/v2/orders", order,
                    RunningSandbox.saxoDemo.merging(["X-Request-ID": "\(requests)"]) { first, _ in first })
                requests += 1
                #expect(reply.status == 200, "\(reply.body)")
            }
            let page = try await fixture.saxoDocument(path)
            let schema = try Golden.schema(of: "saxo").definition("ClosedPositionPage")
            #expect(schema.violations(in: page) == [])
            let closed = try #require(page["Data"]?.elements).map { $0["ClosedPosition"] }
            let amounts = try closed.map { try decimal($0?["Amount"]) }
            #expect(try sum(amounts) == 4)
            for position in closed {
                let (amount, open) = (try decimal(position?["Amount"]), try decimal(position?["OpenPrice"]))
                let profit = try (decimal(position?["ClosingPrice"]) - open) * amount
                #expect(try decimal(position?["ClosedProfitLoss"]) == profit.rounded(to: 2, .halfEven))
                #expect(try decimal(position?["CostClosing"]).isNegative)
            }
            let positions = try await fixture.saxoDocument("/port/v1/netpositions?\(query)")
            let base = positions["Data"]?.elements?.first { $0["NetPositionBase"]?["Uic"]?.digits == "211" }?[
                "NetPositionBase"]
            #expect(base?["ValueDate"]?.string?.hasSuffix("T00:00:00.000000Z") == true)
        }
    }

    @Test("an exchange has an order book with a subscription, currencies have none")
    func depth() async throws {
        for isSubscribed in [true, false] {
            try await withSandbox({ $0.saxo.includesMarketDepth = isSubscribed }) { fixture in
                let groups = "FieldGroups=Quote,MarketDepth"
                let share = try await fixture.saxoDocument(
                    "/trade/v1/infoprices?Uic=211&AssetType=Stock&\(groups)")
                let pair = try await fixture.saxoDocument(
                    "/trade/v1/infoprices?Uic=21&AssetType=FxSpot&\(groups)")
                #expect(pair["MarketDepth"] == nil && (share["MarketDepth"] != nil) == isSubscribed)
                guard isSubscribed else { return }
                let depth = try #require(share["MarketDepth"])
                let schema = try Golden.schema(of: "saxo")
                #expect(try schema.definition("Price").violations(in: share) == [])
                #expect(try schema.definition("MarketDepth").violations(in: depth) == [])
                let bids = try #require(depth["Bid"]?.elements).map { try decimal($0) }
                let asks = try #require(depth["Ask"]?.elements).map { try decimal($0) }
                #expect(bids == bids.sorted(by: >) && asks == asks.sorted() && bids[0] < asks[0])
                #expect(try decimal(share["Quote"]?["Bid"]) == bids[0])
            }
        }
    }
}
