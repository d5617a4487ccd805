import Brokerage
import Gateway
import Sandbox
import TestSupport
import Testing
import Upstream

@Suite("An order at Saxo")
struct SaxoOrderTests {
    /// A gateway in front of Saxo.
    ///
    /// What stands behind the schema is made anew for each write: Saxo takes one a second, which each line counts.
    private static func with(
        _ body: (TestGateway, _ fresh: () throws -> GatewayServices, _ order: TestOrder) async throws -> Void
    ) async throws {
        try await withGateway { gateway in
            let fresh = { try gateway.backends([try gateway.saxo(of: alice)]) }
            var order = TestOrder(account: try await gateway.account(with: .saxo, fresh()))
            (order.symbol, order.size) = ("AAPL", "{ quantity: \"1\" }")
            try await body(gateway, fresh, order)
        }
    }

    @Test("changes its limit with the same id, and is cancelled")
    func life() async throws {
        try await Self.with { gateway, fresh, order in
            var order = order
            (order.price, order.rest) = ("{ limit: \"150\" }", "timeInForce: GTC")
            let placed = try await gateway.placed(order, fresh())
            let id = try #require(placed["id"]?.string)
            let number = try #require(placed["providerOrderId"]?.string)
            let replaced = try await gateway.ask(
                """
                mutation { replaceOrder(id: "\(id)", input: { price: { limit: "151.50" } }) {
                    order { id providerOrderId limitPrice replaces { id } } } }
                """, as: alice, fresh())
            let now = try #require(replaced["data"]?["replaceOrder"]?["order"], "\(replaced)")
            #expect(now["id"]?.string == id && now["providerOrderId"]?.string == number)
            #expect(
                now["limitPrice"]?.string.flatMap { Brokerage.Decimal($0) } == Brokerage.Decimal("151.50"))
            #expect(now["replaces"] == .null)
            let open = try await gateway.ask(
                "{ orders(open: true) { nodes { id clientOrderId } } }", as: alice, fresh())
            let nodes = try #require(open["data"]?["orders"]?["nodes"]?.elements)
            #expect(nodes.contains { $0["id"]?.string == id && $0["clientOrderId"] == "key-1" })
            _ = try await gateway.cancel(id, fresh())
            let ended = try await gateway.order(id, fresh())["data"]?["order"]
            #expect(
                ended?["state"] == "CANCELED" && ended?["stale"] == .bool(false),
                "\(String(describing: ended))")
            let list = try await gateway.ask("{ orders(open: false) { nodes { id } } }", as: alice, fresh())
            #expect(list["data"]?["orders"]?["nodes"]?.elements?.map { $0["id"]?.string } == [id])
        }
    }

    @Test("that is filled at once is FILLED in every list, without a subscription, with its own duration")
    func ended() async throws {
        try await Self.with { gateway, fresh, order in
            var order = order
            order.rest = "timeInForce: IOC"
            let placed = try await gateway.placed(order, fresh())
            let id = try #require(placed["id"]?.string)
            #expect(placed["timeInForce"] == "IOC", "\(placed)")
            let list = try await gateway.ask(
                """
                { open: orders(open: true) { nodes { id } }
                  orders(open: false) { nodes { id state stale timeInForce filledQuantity averageFillPrice submittedAt } } }
                """, as: alice, fresh())
            let open = list["data"]?["open"]?["nodes"]?.elements?.compactMap { $0["id"]?.string } ?? []
            #expect(!open.contains(id), "a market order is filled at once: \(list)")
            let ended = list["data"]?["orders"]?["nodes"]?.elements
            #expect(ended?.map { $0["id"]?.string } == [id])
            #expect(ended?.first?["state"] == "FILLED" && ended?.first?["stale"] == .bool(false), "\(list)")
            #expect(ended?.first?["timeInForce"] == "IOC" && ended?.first?["filledQuantity"] == "1")
            #expect(ended?.first?["averageFillPrice"]?.string != nil)
            let again = try await gateway.placed(order, fresh())
            #expect(again["id"]?.string == id)
            #expect(gateway.calls(of: .saxo)["POST /trade/v2/orders"] == 1)
        }
    }

    @Test("that was filled cannot be cancelled: the error says that it has ended, and its state is FILLED")
    func lateCancellation() async throws {
        try await Self.with { gateway, fresh, order in
            let id = try #require(try await gateway.placed(order, fresh())["id"]?.string)
            let refused = try await gateway.cancel(id, fresh())
            #expect(refused.failures == [FieldFailure("cancelOrder", "CONFLICT", "saxo")], "\(refused)")
            #expect(
                refused["errors"]?[0]?["message"]
                    == "saxo does not change the order: The order has ended: its state is FILLED.")
            #expect(refused["errors"]?[0]?["extensions"]?["rejection"] == "TOO_LATE")
            let state = try await gateway.order(id, fresh())["data"]?["order"]?["state"]
            #expect(state == "FILLED")
            #expect(gateway.calls(of: .saxo)["DELETE /trade/v2/orders/{order_ids}"] == nil)
        }
    }

    @Test("that ends while it is being cancelled is refused with its end")
    func endDuringCancellation() async throws {
        try await Self.with { gateway, fresh, order in
            var order = order
            (order.price, order.rest) = ("{ limit: \"150\" }", "timeInForce: GTC")
            let placed = try await gateway.placed(order, fresh())
            let id = try #require(placed["id"]?.string)
            let number = try #require(placed["providerOrderId"]?.string)
            // The list of open orders is in memory, and still has the order.
            let services = try fresh()
            _ = try await gateway.ask("{ orders(open: true) { nodes { id } } }", as: alice, services)
            _ = try await gateway.order(id, services)
            let client = try #require(try gateway.saxo(of: alice).orders)
            let call = CallContext(deadline: .now + .seconds(60))
            _ = try await client.cancel(try await client.order(number, of: nil, in: call), in: call)
            let refused = try await gateway.cancel(id, services)
            #expect(
                refused["errors"]?[0]?["message"]
                    == "saxo does not change the order: The order has ended: its state is CANCELED.",
                "\(refused)")
            #expect(try await gateway.order(id, fresh())["data"]?["order"]?["state"] == "CANCELED")
        }
    }

    @Test("that was filled although its response was lost is found in the log")
    func lostFill() async throws {
        try await Self.with { gateway, fresh, order in
            let fault = Fault(
                .truncatedBody, provider: .saxo, endpoint: "POST /trade/v2/orders", remaining: 1)
            try #require(gateway.sandbox.faults.add(fault))
            let placed = try await gateway.placed(order, fresh())
            #expect(placed["state"] == "UNCONFIRMED", "\(placed)")
            #expect(try await !gateway.reconcile(fresh()))
            let found = try await gateway.order(try #require(placed["id"]?.string), fresh())["data"]?["order"]
            #expect(found?["state"] == "FILLED" && found?["reconciliation"] == .null, "\(found ?? .null)")
            #expect(gateway.calls(of: .saxo)["POST /trade/v2/orders"] == 1)
        }
    }

    @Test("whose response is lost is found among the open ones, otherwise its outcome is undetermined")
    func lost() async throws {
        try await Self.with { gateway, fresh, order in
            for (effect, key, isFound) in [
                (Fault.Effect.truncatedBody, "one", true), (.closedConnection, "two", false),
            ] {
                var order = order
                (order.key, order.price, order.rest) = (key, "{ limit: \"150\" }", "timeInForce: GTC")
                let fault = Fault(effect, provider: .saxo, endpoint: "POST /trade/v2/orders", remaining: 1)
                try #require(gateway.sandbox.faults.add(fault))
                let placed = try await gateway.placed(order, fresh())
                #expect(placed["state"] == "UNCONFIRMED", "\(placed)")
                #expect(placed["reconciliation"] == "IN_PROGRESS")
                // While the request may still arrive, the order is still checked.
                #expect(try await OrderReconciliation(fresh()).round() == !isFound)
                // The broker does not report an order that is not open. So it is neither placed nor refused,
                // and the broker is no longer queried for it.
                #expect(try await !gateway.reconcile(fresh()))
                let asked = gateway.calls(of: .saxo)["GET /port/v1/orders/me"]
                #expect(try await !gateway.reconcile(fresh()))
                #expect(gateway.calls(of: .saxo)["GET /port/v1/orders/me"] == asked)
                let found = try await gateway.placed(order, fresh())
                #expect(found["id"] == placed["id"])
                #expect(found["reconciliation"] == (isFound ? .null : "UNDETERMINED"), "\(found)")
                #expect((found["providerOrderId"]?.string != nil) == isFound, "\(found)")
                #expect((found["state"] == "UNCONFIRMED") == !isFound)
            }
            #expect(gateway.calls(of: .saxo)["POST /trade/v2/orders"] == 2)
        }
    }

    @Test("whose cancellation gets no response is CANCELED by the log")
    func lostCancellation() async throws {
        try await Self.with { gateway, fresh, order in
            var order = order
            (order.price, order.rest) = ("{ limit: \"150\" }", "timeInForce: GTC")
            let id = try #require(try await gateway.placed(order, fresh())["id"]?.string)
            let endpoint = "DELETE /trade/v2/orders/{order_ids}"
            let fault = Fault(.truncatedBody, provider: .saxo, endpoint: endpoint, remaining: 1)
            try #require(gateway.sandbox.faults.add(fault))
            _ = try await gateway.cancel(id, fresh())
            func reconciliation() async throws -> [JSONValue?] {
                let one = try await gateway.order(id, fresh())["data"]?["order"]
                let list = try await gateway.ask(
                    "{ orders { nodes { id reconciliation } } }", as: alice, fresh())
                let listed = list["data"]?["orders"]?["nodes"]?.elements?.first { $0["id"]?.string == id }
                return [one?["reconciliation"], listed?["reconciliation"]]
            }
            #expect(try await !gateway.reconcile(fresh()))
            #expect(try await reconciliation() == [.null, .null])
            #expect(try await gateway.order(id, fresh())["data"]?["order"]?["state"] == "CANCELED")
        }
    }

    @Test("needs a last day that has not passed, after which its key still returns it")
    func lastDay() async throws {
        try await Self.with { gateway, fresh, order in
            func refusal(of order: TestOrder) async throws -> JSONValue? {
                let answer = try await gateway.place(order, fresh())
                #expect(answer.failures == [FieldFailure("placeOrder", "BAD_USER_INPUT", nil)], "\(answer)")
                #expect(answer["errors"]?[0]?["extensions"]?["argument"] == "input.expiresOn")
                return answer["errors"]?[0]?["message"]
            }
            var order = order
            (order.price, order.rest) = ("{ limit: \"150\" }", "timeInForce: GTD expiresOn: \"2026-11-18\"")
            #expect(
                try await refusal(of: order)
                    == "Argument \"input.expiresOn\": It is 2026-11-18, which has passed; use 2026-11-20 or a later day."
            )
            #expect(gateway.calls(of: .saxo)["POST /trade/v2/orders"] == nil)
            // Yesterday in UTC is today in some time zones. The key is still free.
            order.rest = "timeInForce: GTD expiresOn: \"2026-11-19\""
            let placed = try await gateway.placed(order, fresh())
            #expect(placed["timeInForce"] == "GTD", "\(placed)")
            var open = order
            (open.key, open.rest) = ("key-3", "timeInForce: GTD expiresOn: \"2026-11-27\"")
            let id = try #require(try await gateway.placed(open, fresh())["id"]?.string)
            let change = "{ timeInForce: GTD expiresOn: \"2026-11-18\" }"
            let replaced = try await gateway.ask(
                "mutation { replaceOrder(id: \"\(id)\", input: \(change)) { order { id } } }", as: alice,
                fresh())
            #expect(replaced.failures == [FieldFailure("replaceOrder", "BAD_USER_INPUT", nil)], "\(replaced)")
            #expect(replaced["errors"]?[0]?["extensions"]?["argument"] == "input.expiresOn")
            gateway.clock.advanceWallClock(by: .seconds(86_400))
            #expect(try await gateway.placed(order, fresh())["id"] == placed["id"])
            order.key = "key-2"
            _ = try await refusal(of: order)
            #expect(gateway.calls(of: .saxo)["POST /trade/v2/orders"] == 2)
        }
    }

    @Test("accepts only what Saxo accepts")
    func abilities() async throws {
        try await Self.with { gateway, fresh, order in
            var order = order
            (order.price, order.rest) = ("{ limit: \"150\" }", "timeInForce: GTD")
            let answer = try await gateway.place(order, fresh())
            #expect(answer["errors"]?[0]?["extensions"]?["argument"] == "input.expiresOn", "\(answer)")
            #expect(gateway.calls(of: .saxo)["POST /trade/v2/orders"] == nil)
        }
    }
}
