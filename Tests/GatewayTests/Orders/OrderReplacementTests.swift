import Alpaca
import Brokerage
import Gateway
import Sandbox
import TestSupport
import Testing
import Upstream

@Suite("Changing an order")
struct OrderReplacementTests {
    @Test("keeps its id although Alpaca replaces the order, with the history of replacements")
    func replaced() async throws {
        try await withGateway { gateway in
            let backends = try gateway.backends([gateway.connection("demo", of: alice)])
            var order = TestOrder(account: try await gateway.account(backends))
            order.price = "{ limit: \"2.55\" }"
            let placed = try await gateway.placed(order, backends)
            let id = try #require(placed["id"]?.string)
            var last = placed["providerOrderId"]?.string
            for price in ["2.65", "2.75"] {
                let answer = try await gateway.ask(
                    """
                    mutation { replaceOrder(id: "\(id)", input: { quantity: "3" price: { limit: "\(price)" } }) {
                        order { id providerOrderId clientOrderId quantity limitPrice state
                            replaces { id providerOrderId state replacedBy { id } } replacedBy { id } } } }
                    """, as: alice, backends)
                let now = try #require(answer["data"]?["replaceOrder"]?["order"], "\(answer)")
                #expect(now["id"]?.string == id && now["clientOrderId"] == "key-1", "\(now)")
                #expect(
                    now["limitPrice"]?.string == price && now["quantity"] == "3" && now["replacedBy"] == .null
                )
                let old = now["replaces"]
                #expect(old?["providerOrderId"]?.string == last && old?["state"] == "REPLACED")
                #expect(old?["replacedBy"]?["id"]?.string == id && old?["id"]?.string != id)
                // The old one is found by the id that it has now, and cannot be changed any more.
                let oldID = try #require(old?["id"]?.string)
                #expect(try await gateway.order(oldID, backends)["data"]?["order"]?["id"]?.string == oldID)
                #expect(
                    try await gateway.cancel(oldID, backends)["errors"]?[0]?["extensions"]?["rejection"]
                        == "TOO_LATE")
                last = now["providerOrderId"]?.string
            }
            let list = try await gateway.ask(
                "{ open: orders(open: true) { nodes { id } } orders { nodes { id state } } }", as: alice,
                backends)
            #expect(list["data"]?["open"]?["nodes"]?.elements?.map { $0["id"]?.string } == [id])
            let all = try #require(list["data"]?["orders"]?["nodes"]?.elements)
            #expect(all.count == 3 && Set(all.map { $0["id"] }).count == 3, "\(all)")
            #expect(gateway.placings == 1)
        }
    }

    @Test("cancels it once, and reports if it is too late")
    func cancelled() async throws {
        try await withGateway { gateway in
            let backends = try gateway.backends([gateway.connection("demo", of: alice)])
            var order = TestOrder(account: try await gateway.account(backends))
            order.price = "{ limit: \"2.55\" }"
            let id = try #require(try await gateway.placed(order, backends)["id"]?.string)
            let answer = try await gateway.cancel(id, backends)
            #expect(answer["data"]?["cancelOrder"]?["order"]?["state"] == "PENDING_CANCEL", "\(answer)")
            #expect(try await gateway.order(id, backends)["data"]?["order"]?["state"] == "CANCELED")
            let again = try await gateway.cancel(id, backends)
            #expect(again.failures == [FieldFailure("cancelOrder", "CONFLICT")])
            #expect(again["errors"]?[0]?["extensions"]?["rejection"] == "TOO_LATE")
            // Also a change that an open order cannot have, whose remedy is another order.
            for change in ["quantity: \"2\"", "price: { stop: \"9\" }"] {
                let late = try await gateway.ask(
                    "mutation { replaceOrder(id: \"\(id)\", input: { \(change) }) { order { id } } }",
                    as: alice,
                    backends)
                #expect(late.failures == [FieldFailure("replaceOrder", "CONFLICT")], "\(late)")
                #expect(late["errors"]?[0]?["extensions"]?["rejection"] == "TOO_LATE")
            }
            #expect(gateway.calls["DELETE /v2/orders/{order_id}"] == 1)
        }
    }

    @Test("adds an order that was placed elsewhere, with its id")
    func elsewhere() async throws {
        try await withGateway { gateway in
            let backends = try gateway.backends([gateway.connection("demo", of: alice)])
            let symbol = try #require(Symbol("AMD"))
            let ticket = OrderTicket(
                clientOrderID: "by-hand", accountID: "any", symbol: symbol, side: .buy, size: .quantity(1),
                price: .limit(2))
            let call = CallContext(deadline: .now + .seconds(3_600))
            guard case .accepted = try await gateway.client(.demo).place(ticket, in: call) else {
                Issue.record("not taken")
                return
            }
            let list = try await gateway.ask("{ orders { nodes { id clientOrderId } } }", as: alice, backends)
            let found = try #require(list["data"]?["orders"]?["nodes"]?[0], "\(list)")
            #expect(found["clientOrderId"] == "by-hand")
            let id = try #require(found["id"]?.string)
            let answer = try await gateway.ask(
                "mutation { replaceOrder(id: \"\(id)\", input: { quantity: \"2\" }) { order { id quantity } } }",
                as: alice, backends)
            #expect(answer["data"]?["replaceOrder"]?["order"]?["id"]?.string == id, "\(answer)")
            let now = try await gateway.order(id, backends)["data"]?["order"]
            #expect(now?["id"]?.string == id && now?["quantity"] == "2" && now?["state"] == "OPEN")
        }
    }

    @Test("without a change, or of an unknown order, is rejected with the argument's path")
    func arguments() async throws {
        try await withGateway { gateway in
            let backends = try gateway.backends([gateway.connection("demo", of: alice)])
            var order = TestOrder(account: try await gateway.account(backends))
            order.price = "{ limit: \"2.55\" }"
            let id = try #require(try await gateway.placed(order, backends)["id"]?.string)
            for (input, argument, code) in [
                ("{}", "input", "BAD_USER_INPUT"),
                ("{ quantity: \"0\" }", "input.quantity", "BAD_USER_INPUT"),
                ("{ timeInForce: GTD expiresOn: \"2026-12-01\" }", "input.timeInForce", "UNSUPPORTED"),
                ("{ timeInForce: DAY expiresOn: \"2026-12-01\" }", "input.expiresOn", "BAD_USER_INPUT"),
            ] {
                let answer = try await gateway.ask(
                    "mutation { replaceOrder(id: \"\(id)\", input: \(input)) { order { id } } }", as: alice,
                    backends)
                let extensions = answer["errors"]?[0]?["extensions"]
                #expect(
                    extensions?["code"]?.string == code && extensions?["argument"]?.string == argument,
                    "\(answer)")
            }
            let none = try await gateway.cancel("Order:demo:nothing", backends)
            #expect(none.failures == [FieldFailure("cancelOrder", "NOT_FOUND", nil)])
            #expect(gateway.calls["PATCH /v2/orders/{order_id}"] == nil)
        }
    }

    @Test("to another type, or another unit of the distance, is refused with the remedy if Alpaca keeps them")
    func types() async throws {
        try await withGateway { gateway in
            let backends = try gateway.backends([gateway.connection("demo", of: alice)])
            var order = TestOrder(account: try await gateway.account(backends))
            let cases = [
                (
                    "{ limit: \"2.55\" }", "{ stop: \"9000\" }", "input.price",
                    "It is STOP, and the order is LIMIT, which cannot change: cancel the order and place another."
                ),
                (
                    "{ trail: { percentage: \"5\" } }", "{ trail: { amount: \"1\" } }", "input.price.trail",
                    "alpaca keeps the unit of the distance: use `percentage`."
                ),
            ]
            for (index, (price, change, argument, reason)) in cases.enumerated() {
                (order.key, order.price) = ("type-\(index)", price)
                let id = try #require(try await gateway.placed(order, backends)["id"]?.string)
                let answer = try await gateway.ask(
                    "mutation { replaceOrder(id: \"\(id)\", input: { price: \(change) }) { order { id } } }",
                    as: alice, backends)
                #expect(answer.failures == [FieldFailure("replaceOrder", "UNSUPPORTED", "alpaca")])
                let error = answer["errors"]?[0]
                #expect(error?["extensions"]?["argument"]?.string == argument, "\(answer)")
                #expect(error?["message"]?.string == "Argument \"\(argument)\": \(reason)")
            }
            #expect(gateway.calls["PATCH /v2/orders/{order_id}"] == nil)
        }
    }

    @Test(
        "is refused with the remedy after a part is filled, because the new order begins with nothing filled",
        arguments: ["price: { limit: \"310\" }", "quantity: \"2\"", "timeInForce: GTC"])
    func partlyFilled(change: String) async throws {
        try await withGateway({ $0.alpaca.sharesPerSecond = 1 }) { gateway in
            let backends = try gateway.backends([gateway.connection("demo", of: alice)])
            var order = TestOrder(account: try await gateway.account(backends))
            order.price = "{ limit: \"300\" }"
            let id = try #require(try await gateway.placed(order, backends)["id"]?.string)
            let filled = try await gateway.order(id, backends)["data"]?["order"]?["filledQuantity"]
            try #require(filled == "1")
            let answer = try await gateway.ask(
                "mutation { replaceOrder(id: \"\(id)\", input: { \(change) }) { order { id } } }", as: alice,
                backends)
            #expect(answer.failures == [FieldFailure("replaceOrder", "CONFLICT")], "\(answer)")
            let message = answer["errors"]?[0]?["message"]?.string
            #expect(message?.hasSuffix("begins with nothing filled: cancel it and place the rest.") == true)
            #expect(gateway.calls["PATCH /v2/orders/{order_id}"] == nil)
            let canceled = try await gateway.cancel(id, backends)
            #expect(canceled["data"]?["cancelOrder"]?["order"]?["state"] == "PENDING_CANCEL", "\(canceled)")
        }
    }

    @Test("changes the account and the positions at once")
    func seen() async throws {
        try await withGateway { gateway in
            let backends = try gateway.backends([gateway.connection("demo", of: alice)])
            let order = TestOrder(account: try await gateway.account(backends))
            let question = "{ account { cash } positions(symbols: [\"AMD\"]) { quantity } }"
            let before = try await gateway.ask(question, as: alice, backends)
            #expect(before["data"]?["positions"] == .array([]))
            _ = try await gateway.placed(order, backends)
            // The time of what is kept in memory stands still: only that it was forgotten brings something new.
            let after = try await gateway.ask(question, as: alice, backends)
            #expect(after["data"]?["positions"]?[0]?["quantity"] == "2", "\(after)")
            #expect(after["data"]?["account"]?["cash"] != before["data"]?["account"]?["cash"])
        }
    }
}
