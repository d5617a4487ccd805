import Brokerage
import Gateway
import Sandbox
import TestSupport
import Testing
import Upstream

@Suite("The preview of an order")
struct OrderPreviewTests {
    private static let fields = """
        calculatedBy price quantity value currency costs { commission exchangeFee stampDuty total }
        accountCosts { commission total } accountCurrency cashRequired conversionRate
        margin { currency initial maintenance availableBefore availableAfter }
        rejections { code reason argument message } source stale account { id } instrument { symbol }
        """

    private static func preview(
        _ order: TestOrder, _ gateway: TestGateway, _ backends: GatewayServices
    ) async throws -> JSONValue {
        let query = order.preview(fields)
        let answer = try await gateway.ask(query, as: alice, backends)
        return try #require(answer["data"]?["previewOrder"], "\(answer)")
    }

    private static func number(_ value: JSONValue?) throws -> Brokerage.Decimal {
        try #require(value?.string.flatMap { Brokerage.Decimal($0) })
    }

    private static func atAlpaca(
        _ body: (TestGateway, GatewayServices, TestOrder) async throws -> Void
    ) async throws {
        try await withGateway { gateway in
            let backends = try gateway.backends([gateway.connection("demo", of: alice)])
            try await body(gateway, backends, TestOrder(account: try await gateway.account(backends)))
        }
    }

    @Test("at Alpaca is Portico's estimate by the quote: what is unknown is null, and nothing is placed")
    func alpaca() async throws {
        try await Self.atAlpaca { gateway, backends, order in
            var order = order
            order.size = "{ quantity: \"3\" }"
            let quote = try await gateway.ask(
                "{ quote(symbol: \"AMD\") { ask bid } account { buyingPower } }", as: alice, backends)
            let ask = try Self.number(quote["data"]?["quote"]?["ask"])
            let power = try Self.number(quote["data"]?["account"]?["buyingPower"])
            let preview = try await Self.preview(order, gateway, backends)
            #expect(preview["calculatedBy"] == "PORTICO" && preview["source"] == "alpaca", "\(preview)")
            #expect(try Self.number(preview["price"]) == ask && preview["quantity"] == "3")
            #expect(try Self.number(preview["value"]) == ask * 3)
            #expect(preview["currency"] == "USD" && preview["accountCurrency"] == "USD")
            #expect(preview["conversionRate"] == "1" && preview["cashRequired"] == preview["value"])
            #expect(preview["costs"]?["commission"] == "0")
            // Regulatory fees are not part of the API.
            #expect(preview["costs"]?["total"] == .null && preview["costs"]?["exchangeFee"] == .null)
            #expect(preview["margin"]?["initial"] == .null && preview["margin"]?["maintenance"] == .null)
            #expect(try Self.number(preview["margin"]?["availableAfter"]) == power - ask * 3)
            #expect(
                preview["rejections"]?.elements == [] && preview["account"]?["id"]?.string == order.account)
            #expect(gateway.placings == 0)
            // A limit is taken as it is, and a sale of shares that are held needs no money.
            (order.symbol, order.side, order.price) = ("KO", "SELL", "{ limit: \"900\" }")
            let sale = try await Self.preview(order, gateway, backends)
            #expect(
                sale["price"] == "900" && sale["value"] == "2700" && sale["cashRequired"] == "0", "\(sale)")
            #expect(sale["margin"]?["availableAfter"] == .null && sale["rejections"]?.elements == [])
        }
    }

    @Test(
        "counts a sale with the market price if its limit or its stop is lower, and a purchase with its limit"
    )
    func marketPrice() async throws {
        try await Self.atAlpaca { gateway, backends, order in
            var order = order
            let quote = try await gateway.ask(
                "{ quote(symbol: \"AMZN\") { ask bid price } account { buyingPower } }", as: alice, backends)
            func market(_ field: String) throws -> Brokerage.Decimal {
                try Self.number(quote["data"]?["quote"]?[field])
            }
            let power = try Self.number(quote["data"]?["account"]?["buyingPower"])
            let sale = try max(market("bid"), market("price"))
            let cent: Brokerage.Decimal? = .init("0.01")
            (order.symbol, order.size) = ("AMZN", "{ quantity: \"3\" }")
            for (side, price, expected) in [
                ("SELL", "{ limit: \"0.01\" }", sale),
                ("SELL", "{ stop: \"0.01\" }", sale),
                ("SELL", "{ stopLimit: { stop: \"0.02\" limit: \"0.01\" } }", sale),
                ("BUY", "{ stop: \"0.01\" }", try max(market("ask"), market("price"))),
                ("BUY", "{ limit: \"0.01\" }", try #require(cent)),
                ("BUY", "{ stopLimit: { stop: \"900\" limit: \"950\" } }", 950),
            ] {
                (order.side, order.price) = (side, price)
                let preview = try await Self.preview(order, gateway, backends)
                #expect(try Self.number(preview["price"]) == expected, "\(side) \(price)")
                #expect(try Self.number(preview["value"]) == expected * 3)
                #expect(try Self.number(preview["margin"]?["availableAfter"]) == power - expected * 3)
            }
        }
    }

    /// An order that is not placed, and the code or the reason for it.
    struct Rejection: CustomTestStringConvertible, Sendable {
        let testDescription: String
        let argument: String
        var code: String?
        var symbol = "AMD"
        var side = "BUY"
        var size = "{ quantity: \"2\" }"
        var price = "null"
        var rest = ""

        init(
            _ reason: String, _ argument: String, code: String? = nil,
            _ change: (inout Rejection) -> Void
        ) {
            testDescription = reason
            self.argument = argument
            self.code = code
            change(&self)
        }
    }

    @Test(
        "has the rejections of placeOrder, with the same code or reason",
        arguments: [
            Rejection("INSUFFICIENT_FUNDS", "input.size") { $0.size = "{ quantity: \"1000000\" }" },
            Rejection("INSUFFICIENT_FUNDS", "input.size") {
                ($0.symbol, $0.side, $0.size) = ("AMZN", "SELL", "{ quantity: \"100000\" }")
                $0.price = "{ limit: \"0.01\" }"
            },
            Rejection("INSUFFICIENT_FUNDS", "input.size") {
                ($0.size, $0.price) = ("{ quantity: \"100000\" }", "{ stop: \"0.01\" }")
            },
            Rejection("INSUFFICIENT_QUANTITY", "input.size") {
                ($0.symbol, $0.side, $0.size) = ("KO", "SELL", "{ quantity: \"121\" }")
            },
            Rejection("PRICE", "input.price") { $0.price = "{ limit: \"2.505\" }" },
            Rejection("PRICE", "input.price") {
                ($0.symbol, $0.side, $0.price) = ("KO", "SELL", "{ trail: { percentage: \"100\" } }")
            },
            Rejection("PRICE", "input.price") { $0.price = "{ trail: { amount: \"1.005\" } }" },
            Rejection("OTHER", "input.timeInForce") {
                ($0.price, $0.rest) = ("{ trail: { percentage: \"5\" } }", "timeInForce: OPENING")
            },
            Rejection("QUANTITY", "input.size") {
                ($0.size, $0.rest) = ("{ quantity: \"1.5\" }", "timeInForce: GTC")
            },
            Rejection("QUANTITY", "input.size") {
                ($0.size, $0.price) = ("{ quantity: \"1.5\" }", "{ trail: { percentage: \"5\" } }")
            },
            Rejection("OTHER", "input.extendedHours") { $0.rest = "extendedHours: true" },
            Rejection("PRICE", "input.exits.takeProfit") {
                $0.rest = "exits: { takeProfit: { limit: \"2\" } }"
            },
            Rejection("PRICE", "input.exits.stopLoss") {
                $0.rest = "exits: { stopLoss: { stop: \"9000\" } }"
            },
            Rejection("BAD_USER_INPUT", "input.exits", code: "BAD_USER_INPUT") { $0.rest = "exits: {}" },
            Rejection("UNSUPPORTED", "input.timeInForce", code: "UNSUPPORTED") {
                $0.rest = "timeInForce: GTD expiresOn: \"2028-06-30\""
            },
            Rejection("NOT_FOUND", "input.instrument.symbol", code: "NOT_FOUND") { $0.symbol = "NOSUCH" },
        ])
    func rejected(_ rejection: Rejection) async throws {
        try await Self.atAlpaca { gateway, backends, order in
            var order = order
            (order.symbol, order.side, order.size) = (rejection.symbol, rejection.side, rejection.size)
            (order.price, order.rest) = (rejection.price, rejection.rest)
            let preview = try await Self.preview(order, gateway, backends)
            let found = try #require(preview["rejections"]?[0], "\(preview)")
            #expect(preview["rejections"]?.elements?.count == 1, "\(preview)")
            #expect(found["argument"]?.string == rejection.argument && found["message"]?.string != nil)
            #expect(found["code"]?.string == rejection.code)
            #expect(preview["price"]?.string?.hasPrefix("-") != true, "\(preview)")
            #expect(found["reason"]?.string == (rejection.code == nil ? rejection.testDescription : nil))
            #expect(gateway.placings == 0)
            let placed = try await gateway.place(order, backends)
            if let code = rejection.code {
                #expect(placed["errors"]?[0]?["extensions"]?["code"]?.string == code, "\(placed)")
                #expect(placed["errors"]?[0]?["extensions"]?["argument"]?.string == rejection.argument)
            } else {
                let reason = placed["data"]?["placeOrder"]?["order"]?["rejection"]?["reason"]
                #expect(reason?.string == rejection.testDescription, "\(placed)")
            }
        }
    }

    @Test(
        "has no rejection of fractions in a DAY order of these types, which Alpaca takes",
        arguments: [
            "{ limit: \"2.50\" }", "{ stop: \"900\" }", "{ stopLimit: { stop: \"900\" limit: \"901\" } }",
        ])
    func fractions(price: String) async throws {
        try await Self.atAlpaca { gateway, backends, order in
            var order = order
            (order.size, order.price) = ("{ quantity: \"1.5\" }", price)
            let preview = try await Self.preview(order, gateway, backends)
            #expect(preview["rejections"]?.elements == [], "\(preview)")
            let placed = try await gateway.place(order, backends)
            #expect(placed["data"]?["placeOrder"]?["order"]?["rejection"] == .null, "\(placed)")
        }
    }

    @Test("fails for an account that does not exist, with the argument")
    func noAccount() async throws {
        try await Self.atAlpaca { gateway, backends, order in
            var order = order
            order.account = "Account:nobody:1"
            let query = order.preview("value")
            let answer = try await gateway.ask(query, as: alice, backends)
            #expect(answer.failures == [FieldFailure("previewOrder", "NOT_FOUND", nil)])
            #expect(answer["errors"]?[0]?["extensions"]?["argument"] == "input.accountId")
        }
    }

    @Test("at Saxo is Saxo's own, with costs in both currencies, and costs no order of the limit")
    func saxo() async throws {
        try await withGateway { gateway in
            let fresh = { try gateway.backends([try gateway.saxo(of: alice)]) }
            var order = TestOrder(account: try await gateway.account(with: .saxo, fresh()))
            (order.symbol, order.size, order.price) = ("AAPL", "{ quantity: \"10\" }", "{ limit: \"200\" }")
            let preview = try await Self.preview(order, gateway, fresh())
            #expect(preview["calculatedBy"] == "BROKER" && preview["source"] == "saxo", "\(preview)")
            #expect(preview["price"] == "200" && preview["value"] == "2000" && preview["currency"] == "USD")
            // 0.08 % of 2000.
            #expect(try Self.number(preview["costs"]?["commission"]) == Brokerage.Decimal("1.6"))
            #expect(preview["costs"]?["total"] == preview["costs"]?["commission"])
            #expect(preview["costs"]?["exchangeFee"] == "0" && preview["accountCurrency"] == "EUR")
            let rate = try Self.number(preview["conversionRate"])
            #expect(rate > .zero && rate < 1)
            let cash = try Self.number(preview["cashRequired"])
            #expect(cash > .zero && cash < 2000)
            #expect(preview["margin"]?["currency"] == "EUR")
            #expect(
                try Self.number(preview["margin"]?["availableAfter"])
                    == Self.number(preview["margin"]?["availableBefore"]) - cash)
            #expect(preview["rejections"]?.elements == [])
            // More than the account can pay: a valid order that cannot be placed, with its amounts.
            order.size = "{ quantity: \"900000\" }"
            let poor = try await Self.preview(order, gateway, fresh())
            #expect(poor["rejections"]?.elements?.map { $0["reason"] } == ["INSUFFICIENT_FUNDS"], "\(poor)")
            #expect(poor["rejections"]?[0]?["argument"] == "input.size" && poor["value"] == "180000000")
            // An exit that Saxo would refuse.
            order.size = "{ quantity: \"10\" }"
            order.rest =
                "exits: { takeProfit: { limit: \"900\" } stopLoss: { stop: \"190\" } } timeInForce: GTC"
            let exits = try await Self.preview(order, gateway, fresh())
            #expect(exits["rejections"]?.elements?.map { $0["reason"] } == ["PRICE"], "\(exits)")
            #expect(exits["rejections"]?[0]?["argument"] == "input.exits.takeProfit")
            // What Portico refuses is not sent.
            let asked = gateway.calls(of: .saxo)["POST /trade/v2/orders/precheck"]
            for (rest, code, argument) in [
                ("timeInForce: GTD expiresOn: \"2026-11-18\"", "BAD_USER_INPUT", "input.expiresOn")
            ] {
                order.rest = rest
                let refused = try await Self.preview(order, gateway, fresh())
                #expect(refused["rejections"]?.elements?.map { $0["code"]?.string } == [code], "\(refused)")
                #expect(refused["rejections"]?[0]?["argument"]?.string == argument)
                #expect(refused["value"] == .null && refused["costs"]?["commission"] == .null)
            }
            #expect(gateway.calls(of: .saxo)["POST /trade/v2/orders/precheck"] == asked)
            #expect(asked == 3 && gateway.calls(of: .saxo)["POST /trade/v2/orders"] == nil)
        }
    }
}
