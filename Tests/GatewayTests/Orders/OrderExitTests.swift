import Brokerage
import Gateway
import Sandbox
import TestSupport
import Testing
import Upstream

@Suite("An order with a take profit and a stop loss")
struct OrderExitTests {
    private static let fields = """
        id state side type quantity limitPrice stopPrice providerOrderId parent { id }
        legs { id state side type quantity limitPrice stopPrice providerOrderId rejection { reason } parent { id }
            legs { id } }
        """

    private static let bracket =
        "exits: { takeProfit: { limit: \"3\" } stopLoss: { stop: \"2\" limit: \"1.90\" } } timeInForce: GTC"

    private static func order(
        _ order: TestOrder, _ gateway: TestGateway, _ backends: GatewayServices
    ) async throws -> JSONValue {
        let mutation = order.mutation.replacing(TestOrder.fields, with: fields)
        let answer = try await gateway.ask(mutation, as: alice, backends)
        return try #require(answer["data"]?["placeOrder"]?["order"], "\(answer)")
    }

    private static func read(
        _ id: String?, _ gateway: TestGateway, _ backends: GatewayServices
    ) async throws -> JSONValue {
        let answer = try await gateway.ask(
            "{ order(id: \"\(id ?? "")\") { \(fields) } }", as: alice, backends)
        return try #require(answer["data"]?["order"], "\(answer)")
    }

    /// A bracket that buys AMD far below the market, so that it stays open.
    private static func atAlpaca(
        _ body: (TestGateway, GatewayServices, TestOrder) async throws -> Void
    ) async throws {
        try await withGateway { gateway in
            let backends = try gateway.backends([gateway.connection("demo", of: alice)])
            var order = TestOrder(account: try await gateway.account(backends))
            (order.price, order.rest) = ("{ limit: \"2.50\" }", bracket)
            try await body(gateway, backends, order)
        }
    }

    @Test(
        "is placed once, and its legs have ids of their own under which they are read, changed and cancelled")
    func life() async throws {
        try await Self.atAlpaca { gateway, backends, order in
            let placed = try await Self.order(order, gateway, backends)
            let id = try #require(placed["id"]?.string)
            #expect(placed["state"] == "OPEN" && placed["parent"] == .null, "\(placed)")
            let legs = try #require(placed["legs"]?.elements)
            #expect(legs.map { $0["type"] } == ["LIMIT", "STOP_LIMIT"])
            #expect(
                legs.map { $0["side"] } == ["SELL", "SELL"] && legs.map { $0["quantity"] } == ["2", "2"])
            #expect(legs.map { $0["limitPrice"] } == ["3", "1.9"] && legs[1]["stopPrice"] == "2")
            #expect(legs.map { $0["state"] } == ["ACCEPTED", "ACCEPTED"])
            #expect(legs.allSatisfy { $0["parent"]?["id"]?.string == id && $0["legs"]?.elements == [] })
            // The same request again returns the same order with the same legs.
            let ids = legs.map { $0["id"]?.string }
            let again = try await Self.order(order, gateway, backends)
            #expect(again["legs"]?.elements?.map { $0["id"]?.string } == ids)
            #expect(gateway.placings == 1)
            let list = try await gateway.ask(
                "{ orders { nodes { id legs { id } } } }", as: alice, backends)
            let nodes = list["data"]?["orders"]?["nodes"]?.elements
            #expect(nodes?.map { $0["id"]?.string } == [id], "\(list)")
            #expect(nodes?.first?["legs"]?.elements?.map { $0["id"]?.string } == ids)

            let loss = try #require(ids[1])
            let replaced = try await gateway.ask(
                """
                mutation { replaceOrder(id: "\(loss)", input: { price: { stopLimit: { stop: "1.80" limit: "1.70" } } }) {
                    order { \(Self.fields) } } }
                """, as: alice, backends)
            let changed = try #require(replaced["data"]?["replaceOrder"]?["order"], "\(replaced)")
            #expect(changed["id"]?.string == loss && changed["parent"]?["id"]?.string == id)
            let now = try await Self.read(id, gateway, backends)
            #expect(now["legs"]?.elements?.map { $0["id"]?.string } == ids, "\(now)")
            #expect(now["legs"]?[1]?["stopPrice"] == "1.8")

            _ = try await gateway.cancel(id, backends)
            let ended = try await Self.read(id, gateway, backends)
            #expect(ended["state"] == "CANCELED")
            #expect(ended["legs"]?.elements?.map { $0["state"] } == ["CANCELED", "CANCELED"], "\(ended)")
        }
    }

    @Test(
        "has both exits among the open orders after its entry is filled; one is changed, and all are cancelled",
        arguments: [false, true])
    func exits(openListHasAllExits: Bool) async throws {
        try await withGateway({ $0.alpaca.openListHasAllExits = openListHasAllExits }) { gateway in
            let backends = try gateway.backends([gateway.connection("demo", of: alice)])
            var order = TestOrder(account: try await gateway.account(backends))
            (order.price, order.rest) = (
                "null",
                "exits: { takeProfit: { limit: \"900\" } stopLoss: { stop: \"2\" } } timeInForce: GTC"
            )
            let placed = try await Self.order(order, gateway, backends)
            let id = try #require(placed["id"]?.string)
            let ids = try #require(placed["legs"]?.elements?.map { $0["id"]?.string })
            var lists = 0
            func open() async throws -> [JSONValue] {
                // Each list has a size of its own, so that no earlier one is used.
                lists += 1
                let answer = try await gateway.ask(
                    "{ orders(open: true, first: \(lists + 20)) { nodes { \(Self.fields) } } }", as: alice,
                    backends)
                #expect(answer.failures.isEmpty, "\(answer)")
                return try #require(answer["data"]?["orders"]?["nodes"]?.elements, "\(answer)")
            }
            let entry = try await Self.read(id, gateway, backends)
            #expect(entry["state"] == "FILLED")
            let exits = try await open()
            #expect(Set(exits.map { $0["id"]?.string }) == Set(ids), "\(exits)")
            #expect(Set(exits.map { $0["state"]?.string }) == ["OPEN", "ACCEPTED"])
            #expect(exits.allSatisfy { $0["parent"]?["id"]?.string == id })

            let loss = try #require(ids[1])
            let replaced = try await gateway.ask(
                """
                mutation { replaceOrder(id: "\(loss)", input: { price: { stop: "3" } }) { order { id stopPrice } } }
                """, as: alice, backends)
            #expect(replaced["data"]?["replaceOrder"]?["order"]?["stopPrice"] == "3", "\(replaced)")
            let changed = try await open()
            #expect(changed.first { $0["id"]?.string == loss }?["stopPrice"] == "3", "\(changed)")

            _ = try await gateway.cancel(try #require(ids[0]), backends)
            let rest = try await open()
            #expect(rest.isEmpty, "\(rest)")
        }
    }

    @Test("changes its price only: another size or duration of one part would leave the others behind")
    func changes() async throws {
        try await Self.atAlpaca { gateway, backends, order in
            let placed = try await Self.order(order, gateway, backends)
            for id in [placed["id"]?.string, placed["legs"]?[0]?["id"]?.string] {
                for (change, argument) in [
                    ("quantity: \"3\"", "input.quantity"), ("timeInForce: DAY", "input.timeInForce"),
                    ("expiresOn: \"2026-12-01\"", "input.expiresOn"),
                ] {
                    let answer = try await gateway.ask(
                        "mutation { replaceOrder(id: \"\(id ?? "")\", input: { \(change) }) { order { id } } }",
                        as: alice, backends)
                    #expect(answer.failures == [FieldFailure("replaceOrder", "UNSUPPORTED", "alpaca")])
                    let error = answer["errors"]?[0]
                    #expect(error?["extensions"]?["argument"]?.string == argument)
                    #expect(
                        error?["message"]?.string
                            == "Argument \"\(argument)\": It cannot change in an order with a take profit or a stop loss: cancel the order and place another."
                    )
                }
            }
            #expect(gateway.calls["PATCH /v2/orders/{order_id}"] == nil)
        }
    }

    @Test(
        "with a lost response is not sent again, and its legs are known once the broker was queried",
        arguments: [Fault.Effect.truncatedBody, .lostResponse])
    func lost(_ effect: Fault.Effect) async throws {
        try await Self.atAlpaca { gateway, backends, order in
            #expect(gateway.sandbox.faults.add(Fault(effect, endpoint: "POST /v2/orders", remaining: 1)))
            let placed = try await Self.order(order, gateway, backends)
            #expect(placed["state"] == "UNCONFIRMED" && placed["legs"]?.elements == [], "\(placed)")
            #expect(try await !gateway.reconcile(backends))
            let found = try await Self.order(order, gateway, backends)
            #expect(found["id"] == placed["id"] && found["state"] == "OPEN", "\(found)")
            #expect(found["legs"]?.elements?.map { $0["type"] } == ["LIMIT", "STOP_LIMIT"])
            #expect(found["legs"]?.elements?.allSatisfy { $0["parent"]?["id"] == found["id"] } == true)
            #expect(gateway.placings == 1)
        }
    }

    @Test("has one leg if it has one exit, and belongs to its key with its exits")
    func oneExit() async throws {
        try await Self.atAlpaca { gateway, backends, order in
            var order = order
            order.rest = "exits: { stopLoss: { stop: \"2\" } }"
            let placed = try await Self.order(order, gateway, backends)
            #expect(placed["legs"]?.elements?.map { $0["type"] } == ["STOP"], "\(placed)")
            order.rest = "exits: { stopLoss: { stop: \"1.95\" } }"
            let other = try await gateway.place(order, backends)
            #expect(other.failures == [FieldFailure("placeOrder", "CONFLICT", nil)])
            order.rest = ""
            #expect(
                try await gateway.place(order, backends).failures == [
                    FieldFailure("placeOrder", "CONFLICT", nil)
                ])
            #expect(gateway.placings == 1)
        }
    }

    @Test("closes an existing position with `closesPosition`: the take profit with the stop loss as its leg")
    func oneCancelsOther() async throws {
        try await Self.atAlpaca { gateway, backends, order in
            var order = order
            (order.symbol, order.side, order.size) = ("KO", "SELL", "{ quantity: \"5\" }")
            (order.price, order.rest) = (
                "null",
                "exits: { closesPosition: true takeProfit: { limit: \"900\" } stopLoss: { stop: \"1\" } } timeInForce: GTC"
            )
            let placed = try await Self.order(order, gateway, backends)
            #expect(placed["type"] == "LIMIT" && placed["limitPrice"] == "900", "\(placed)")
            #expect(placed["side"] == "SELL" && placed["legs"]?.elements?.map { $0["stopPrice"] } == ["1"])
            let leg = try #require(placed["legs"]?[0]?["id"]?.string)
            // At Alpaca the cancellation of one cancels the other.
            _ = try await gateway.cancel(leg, backends)
            let ended = try await Self.read(placed["id"]?.string, gateway, backends)
            #expect(ended["state"] == "CANCELED", "\(ended)")
            #expect(gateway.placings == 1)
        }
    }

    /// An input that is refused before anything is sent.
    struct Refusal: CustomTestStringConvertible, Sendable {
        let testDescription: String
        let argument: String
        var code = "BAD_USER_INPUT"
        var provider: String?
        var price = "{ limit: \"2.50\" }"
        var size = "{ quantity: \"2\" }"
        var rest = ""
    }

    @Test(
        "is refused with the argument if its prices are in the wrong order, or if the broker has no such order",
        arguments: [
            Refusal(
                testDescription: "It is 2; it must be above the price of the entry, 2.50.",
                argument: "input.exits.takeProfit.limit", rest: "exits: { takeProfit: { limit: \"2\" } }"),
            Refusal(
                testDescription: "It is 3; it must be below the price of the entry, 2.50.",
                argument: "input.exits.stopLoss.stop", rest: "exits: { stopLoss: { stop: \"3\" } }"),
            Refusal(
                testDescription: "It is 4; it must be below the limit of the take profit, 3.",
                argument: "input.exits.stopLoss.stop", price: "null",
                rest: "exits: { takeProfit: { limit: \"3\" } stopLoss: { stop: \"4\" } }"),
            Refusal(
                testDescription: "It is 2.20; it must be below the stop of the stop loss, 2.",
                argument: "input.exits.stopLoss.limit",
                rest: "exits: { stopLoss: { stop: \"2\" limit: \"2.20\" } }"),
            Refusal(
                testDescription: "It has neither a take profit nor a stop loss.", argument: "input.exits",
                rest: "exits: {}"),
            Refusal(
                testDescription:
                    "Exits that close a position need both a take profit and a stop loss, of which one cancels the other.",
                argument: "input.exits", price: "null",
                rest: "exits: { closesPosition: true stopLoss: { stop: \"2\" } }"),
            Refusal(
                testDescription: "Exits that close a position have the prices of the order: omit `price`.",
                argument: "input.price",
                rest: "exits: { closesPosition: true takeProfit: { limit: \"3\" } stopLoss: { stop: \"2\" } }"
            ),
            Refusal(
                testDescription: "An order with exits needs a quantity.", argument: "input.size.notional",
                code: "UNSUPPORTED", provider: "alpaca", size: "{ notional: \"100\" }", rest: bracket),
            Refusal(
                testDescription: "alpaca takes whole pieces only in an order with exits.",
                argument: "input.size.quantity", code: "UNSUPPORTED", provider: "alpaca",
                size: "{ quantity: \"1.5\" }", rest: bracket),
            Refusal(
                testDescription: "alpaca takes no order with exits that is FOK.",
                argument: "input.timeInForce",
                code: "UNSUPPORTED", provider: "alpaca",
                rest: "exits: { stopLoss: { stop: \"2\" } } timeInForce: FOK"),
            Refusal(
                testDescription: "An order with exits is for the regular hours only.",
                argument: "input.extendedHours", code: "UNSUPPORTED", provider: "alpaca",
                rest: "exits: { stopLoss: { stop: \"2\" } } extendedHours: true"),
            Refusal(
                testDescription: "A trailing stop cannot have exits.", argument: "input.price.trail",
                code: "UNSUPPORTED", provider: "alpaca", price: "{ trail: { amount: \"1\" } }",
                rest: "exits: { stopLoss: { stop: \"2\" } }"),
        ])
    func refused(_ refusal: Refusal) async throws {
        try await Self.atAlpaca { gateway, backends, order in
            var order = order
            (order.price, order.size, order.rest) = (refusal.price, refusal.size, refusal.rest)
            let answer = try await gateway.place(order, backends)
            #expect(
                answer.failures == [FieldFailure("placeOrder", refusal.code, refusal.provider)], "\(answer)")
            let error = try #require(answer["errors"]?[0])
            #expect(error["extensions"]?["argument"]?.string == refusal.argument)
            #expect(
                error["message"]?.string == "Argument \"\(refusal.argument)\": \(refusal.testDescription)")
            #expect(gateway.placings == 0)
        }
    }

    @Test("is refused by a broker that has none, as is the percentage of a trailing stop")
    func unsupported() throws {
        var ticket = OrderTicket(
            clientOrderID: "1", accountID: "1", symbol: .example, side: .buy, size: .quantity(1),
            price: .limit(2))
        ticket.exits = OrderExits(takeProfit: 3, stopLoss: nil)
        let abilities = OrderCapabilities(
            types: [.limit, .trailingStop], timesInForce: [.day], acceptsFractions: false,
            acceptsNotional: false,
            acceptsExtendedHours: false, replaces: true, endedOrders: .none)
        let exits = #expect(throws: FieldError.self) { try abilities.check(ticket, at: .saxo) }
        #expect(exits?.argument == "input.exits" && exits?.code == .unsupported)
        (ticket.exits, ticket.price) = (nil, .trailingStop(.percent(1)))
        let trail = #expect(throws: FieldError.self) { try abilities.check(ticket, at: .saxo) }
        let trailError =
            "Argument \"input.price.trail.percentage\": saxo takes the distance of a trailing stop as an amount only: use `amount`."
        #expect(trail?.argument == "input.price.trail.percentage" && trail?.code == .unsupported)
        #expect(trail?.message == trailError)
        let change = #expect(throws: FieldError.self) {
            try abilities.check(
                OrderReplacement(price: .trailingStop(.percent(1))), inGroup: false, at: .saxo)
        }
        #expect(change?.argument == "input.price.trail.percentage" && change?.message == trailError)
        ticket.price = .trailingStop(.amount(1))
        #expect(throws: Never.self) { try abilities.check(ticket, at: .saxo) }
    }

    // MARK: Saxo

    /// An order for Apple's shares at Saxo.
    ///
    /// The services are created again for each write, because Saxo accepts one write a second and each instance counts
    /// its own.
    private static func atSaxo(
        _ body: (TestGateway, _ fresh: () throws -> GatewayServices, TestOrder) async throws -> Void
    ) async throws {
        try await withGateway { gateway in
            let fresh = { try gateway.backends([try gateway.saxo(of: alice)]) }
            var order = TestOrder(account: try await gateway.account(with: .saxo, fresh()))
            (order.symbol, order.size, order.price) = ("AAPL", "{ quantity: \"1\" }", "{ limit: \"150\" }")
            order.rest =
                "exits: { takeProfit: { limit: \"180\" } stopLoss: { stop: \"140\" } } timeInForce: GTC"
            try await body(gateway, fresh, order)
        }
    }

    @Test("is a group of related orders at Saxo, which is cancelled together")
    func saxo() async throws {
        try await Self.atSaxo { gateway, fresh, order in
            let placed = try await Self.order(order, gateway, fresh())
            let id = try #require(placed["id"]?.string)
            let legs = try #require(placed["legs"]?.elements)
            #expect(legs.map { $0["type"] } == ["LIMIT", "STOP"], "\(placed)")
            #expect(legs.allSatisfy { $0["providerOrderId"]?.string != nil && $0["side"] == "SELL" })
            let read = try await Self.read(id, gateway, fresh())
            #expect(read["legs"]?.elements?.map { $0["id"] } == legs.map { $0["id"] }, "\(read)")
            #expect(read["legs"]?.elements?.map { $0["state"] } == ["ACCEPTED", "ACCEPTED"])
            let leg = try await Self.read(legs[1]["id"]?.string, gateway, fresh())
            #expect(leg["parent"]?["id"]?.string == id && leg["legs"]?.elements == [], "\(leg)")
            let list = try await gateway.ask("{ orders(open: true) { nodes { id } } }", as: alice, fresh())
            let ids = list["data"]?["orders"]?["nodes"]?.elements?.compactMap { $0["id"]?.string } ?? []
            #expect(ids.contains(id) && !ids.contains { id in legs.contains { $0["id"]?.string == id } })

            let replaced = try await gateway.ask(
                """
                mutation { replaceOrder(id: "\(legs[0]["id"]?.string ?? "")", input: { price: { limit: "185" } }) {
                    order { id limitPrice } } }
                """, as: alice, fresh())
            #expect(replaced["data"]?["replaceOrder"]?["order"]?["id"] == legs[0]["id"], "\(replaced)")
            let loss = try #require(legs[1]["id"]?.string)
            let refused = try await gateway.ask(
                "mutation { replaceOrder(id: \"\(loss)\", input: { price: { limit: \"141\" } }) { order { id } } }",
                as: alice, fresh())
            #expect(refused.failures == [FieldFailure("replaceOrder", "UNSUPPORTED", "saxo")])
            #expect(
                refused["errors"]?[0]?["message"]?.string
                    == "Argument \"input.price\": It is LIMIT, and the order is STOP, which cannot change: cancel the order and place another."
            )
            _ = try await gateway.cancel(id, fresh())
            let ended = try await Self.read(id, gateway, fresh())
            #expect(ended["state"] == "CANCELED")
            #expect(ended["legs"]?.elements?.map { $0["state"] } == ["CANCELED", "CANCELED"], "\(ended)")
            #expect(gateway.calls(of: .saxo)["POST /trade/v2/orders"] == 1)
            #expect(gateway.calls(of: .saxo)["DELETE /trade/v2/orders/{order_ids}"] == 1)
        }
    }

    @Test("keeps its legs at Saxo after it was filled, also if its response was lost")
    func filled() async throws {
        try await Self.atSaxo { gateway, fresh, order in
            var order = order
            order.price = "null"
            order.rest =
                "exits: { takeProfit: { limit: \"300\" } stopLoss: { stop: \"150\" } } timeInForce: GTC"
            let fault = Fault(
                .truncatedBody, provider: .saxo, endpoint: "POST /trade/v2/orders", remaining: 1)
            try #require(gateway.sandbox.faults.add(fault))
            let placed = try await Self.order(order, gateway, fresh())
            #expect(placed["state"] == "UNCONFIRMED" && placed["legs"]?.elements == [], "\(placed)")
            // Saxo no longer lists the entry, but its exits, which have its reference.
            #expect(try await !gateway.reconcile(fresh()))
            let found = try await Self.read(placed["id"]?.string, gateway, fresh())
            #expect(found["state"] == "FILLED", "\(found)")
            #expect(found["legs"]?.elements?.map { $0["type"] } == ["LIMIT", "STOP"])
            // A market order with exits is for the day at Saxo, whatever was requested.
            let times = try await gateway.ask(
                "{ order(id: \"\(found["id"]?.string ?? "")\") { timeInForce requestedTimeInForce } }",
                as: alice, fresh())
            let stated = times["data"]?["order"]
            #expect(
                stated?["timeInForce"] == "DAY" && stated?["requestedTimeInForce"] == "GTC", "\(times)")
            #expect(found["legs"]?.elements?.map { $0["state"] } == ["OPEN", "OPEN"])
            #expect(found["legs"]?.elements?.allSatisfy { $0["parent"]?["id"] == found["id"] } == true)
            #expect(gateway.calls(of: .saxo)["POST /trade/v2/orders"] == 1)
        }
    }

    @Test("stands at Saxo without the leg that Saxo refuses, which is shown with its reason")
    func refusedLeg() async throws {
        try await Self.atSaxo { gateway, fresh, order in
            var order = order
            // Further from the entry than the sandbox takes.
            order.rest =
                "exits: { takeProfit: { limit: \"900\" } stopLoss: { stop: \"140\" } } timeInForce: GTC"
            let placed = try await Self.order(order, gateway, fresh())
            let legs = try #require(placed["legs"]?.elements)
            #expect(
                placed["state"] == "ACCEPTED" && legs.map { $0["state"] } == ["REJECTED", "ACCEPTED"],
                "\(placed)")
            #expect(legs[0]["rejection"]?["reason"] == "PRICE" && legs[0]["providerOrderId"] == .null)
            let read = try await Self.read(placed["id"]?.string, gateway, fresh())
            #expect(read["legs"]?.elements?.map { $0["id"] } == legs.map { $0["id"] }, "\(read)")
            let list = try await gateway.ask("{ orders { nodes { id } } }", as: alice, fresh())
            let ids = list["data"]?["orders"]?["nodes"]?.elements?.map { $0["id"] } ?? []
            #expect(!ids.contains(legs[0]["id"]), "\(list)")
        }
    }

    @Test("closes an existing position at Saxo with a pair of orders, which is cancelled together")
    func saxoPair() async throws {
        try await Self.atSaxo { gateway, fresh, order in
            var order = order
            (order.side, order.price) = ("SELL", "null")
            order.rest =
                "exits: { closesPosition: true takeProfit: { limit: \"300\" } stopLoss: { stop: \"150\" } } timeInForce: GTC"
            let placed = try await Self.order(order, gateway, fresh())
            #expect(placed["type"] == "LIMIT" && placed["side"] == "SELL", "\(placed)")
            #expect(placed["legs"]?.elements?.map { $0["type"] } == ["STOP"])
            let read = try await Self.read(placed["id"]?.string, gateway, fresh())
            #expect(
                read["state"] == "OPEN" && read["legs"]?[0]?["id"] == placed["legs"]?[0]?["id"], "\(read)")
            _ = try await gateway.cancel(try #require(placed["id"]?.string), fresh())
            let ended = try await Self.read(placed["id"]?.string, gateway, fresh())
            #expect(ended["legs"]?.elements?.map { $0["state"] } == ["CANCELED"], "\(ended)")
        }
    }
}
