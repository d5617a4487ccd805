import Brokerage
import Gateway
import Sandbox
import Storage
import TestSupport
import Testing
import Upstream

@Suite("An order with a lost response")
struct OrderLossTests {
    /// What happens on the way, and whether the broker has the order all the same.
    struct Loss: Sendable {
        let effect: Fault.Effect
        let arrives: Bool
    }

    static let losses = [
        Loss(effect: .malformedBody, arrives: true), Loss(effect: .truncatedBody, arrives: true),
        Loss(effect: .lostResponse, arrives: true),
        // The status of a refusal, which is not Alpaca's: a proxy before Alpaca responds.
        Loss(effect: .proxyResponse(400), arrives: true), Loss(effect: .proxyResponse(422), arrives: true),
        Loss(effect: .closedConnection, arrives: false), Loss(effect: .status(500), arrives: false),
        Loss(effect: .status(504), arrives: false),
    ]

    @Test("is UNCONFIRMED, queried, and never sent again", arguments: losses)
    func lost(_ loss: Loss) async throws {
        try await withGateway { gateway in
            let backends = try gateway.backends([gateway.connection("demo", of: alice)])
            var order = TestOrder(account: try await gateway.account(backends))
            order.price = "{ limit: \"2.55\" }"
            #expect(gateway.sandbox.faults.add(Fault(loss.effect, endpoint: "POST /v2/orders", remaining: 1)))
            let placed = try await gateway.placed(order, backends)
            #expect(placed["state"] == "UNCONFIRMED" && placed["providerOrderId"] == .null, "\(placed)")
            #expect(placed["reconciliation"] == "IN_PROGRESS")
            let id = try #require(placed["id"]?.string)
            // Asked again, it is not sent again; and nothing can be done with it yet.
            #expect(try await gateway.placed(order, backends)["id"]?.string == id)
            #expect(
                try await gateway.cancel(id, backends).failures == [FieldFailure("cancelOrder", "CONFLICT")])
            #expect(try await !gateway.reconcile(backends))
            let found = try await gateway.placed(order, backends)
            #expect(found["id"]?.string == id)
            #expect(found["state"] == (loss.arrives ? "OPEN" : "REJECTED"), "\(found)")
            #expect((found["providerOrderId"] == .null) == !loss.arrives)
            #expect(found["reconciliation"] == .null)
            #expect(gateway.placings == 1)
            let list = try await gateway.ask("{ orders { nodes { id } } }", as: alice, backends)
            #expect(list["data"]?["orders"]?["nodes"]?.elements?.compactMap { $0["id"]?.string } == [id])
        }
    }

    @Test("at a broker that does not respond stays open while the broker cannot be queried")
    func hangs() async throws {
        try await withGateway { gateway in
            let backends = try gateway.backends([gateway.connection("demo", of: alice)])
            let order = TestOrder(account: try await gateway.account(backends))
            // What must be known before is read without a deadline that matters.
            _ = try await gateway.ask("{ instrument(symbol: \"AMD\") { name } }", as: alice, backends)
            #expect(gateway.sandbox.faults.add(Fault(.hang, endpoint: "POST /v2/orders", remaining: 1)))
            let answer = try await gateway.ask(order.mutation, as: alice, backends, within: .seconds(20))
            // Else the fault still waits for the next order, which would hang.
            try #require(answer["data"]?["placeOrder"]?["order"]?["state"] == "UNCONFIRMED", "\(answer)")
            let asking = "GET /v2/orders:by_client_order_id"
            #expect(gateway.sandbox.faults.add(Fault(.status(503), endpoint: asking, remaining: 1)))
            #expect(try await gateway.reconcile(backends))
            #expect(try await gateway.placed(order, backends)["state"] == "UNCONFIRMED")
            #expect(try await !gateway.reconcile(backends))
            #expect(try await gateway.placed(order, backends)["state"] == "REJECTED")
            #expect(gateway.placings == 1)
        }
    }

    @Test("stays open while the request may still arrive")
    func early() async throws {
        try await withGateway { gateway in
            let backends = try gateway.backends([gateway.connection("demo", of: alice)])
            let order = TestOrder(account: try await gateway.account(backends))
            #expect(
                gateway.sandbox.faults.add(
                    Fault(.closedConnection, endpoint: "POST /v2/orders", remaining: 1)))
            _ = try await gateway.placed(order, backends)
            #expect(try await OrderReconciliation(backends).round())
            #expect(try await gateway.placed(order, backends)["state"] == "UNCONFIRMED")
        }
    }

    @Test(
        "does not exist if the broker refused the request unprocessed: the same key places it later",
        arguments: [
            (Fault.Effect.status(429), "QUOTA_EXHAUSTED"), (.expiredToken, "RECONNECT_REQUIRED"),
        ])
    func turnedAway(_ effect: Fault.Effect, _ code: String) async throws {
        try await withGateway { gateway in
            let backends = try gateway.backends([gateway.connection("demo", of: alice)])
            var order = TestOrder(account: try await gateway.account(backends))
            order.price = "{ limit: \"2.55\" }"
            #expect(gateway.sandbox.faults.add(Fault(effect, endpoint: "POST /v2/orders", remaining: 1)))
            #expect(try await gateway.place(order, backends).failures == [FieldFailure("placeOrder", code)])
            // Even another order: the key is free.
            order.price = "{ limit: \"2.75\" }"
            #expect(try await gateway.placed(order, backends)["state"] == "OPEN")
            #expect(try await !gateway.reconcile(backends))
        }
    }

    @Test("does not exist if the broker could not be reached")
    func unreachable() async throws {
        try await withGateway { gateway in
            let good = try gateway.backends([gateway.connection("demo", of: alice)])
            let order = TestOrder(account: try await gateway.account(good))
            // The same connection, whose desk has moved to a port where nobody listens.
            let connection = BrokerConnection(
                id: "demo", owner: alice, provider: .alpaca, environment: .sandbox,
                accounts: try gateway.client(.demo), orders: try gateway.client(.demo, isReachable: false))
            let answer = try await gateway.place(order, try gateway.backends([connection]))
            #expect(answer.failures == [FieldFailure("placeOrder", "PROVIDER_UNAVAILABLE")])
            #expect(try await gateway.placed(order, good)["providerOrderId"]?.string != nil)
            #expect(gateway.placings == 1)
        }
    }

    @Test("is queried after a cancellation too", arguments: losses)
    func cancelling(_ loss: Loss) async throws {
        try await withGateway { gateway in
            let backends = try gateway.backends([gateway.connection("demo", of: alice)])
            var order = TestOrder(account: try await gateway.account(backends))
            order.price = "{ limit: \"2.55\" }"
            let id = try #require(try await gateway.placed(order, backends)["id"]?.string)
            let endpoint = "DELETE /v2/orders/{order_id}"
            let script = Fault(loss.effect, endpoint: endpoint, remaining: 1)
            try #require(gateway.sandbox.faults.add(script))
            let answer = try await gateway.cancel(id, backends)
            // A cancellation is answered without a body, so that nothing of it can be damaged.
            let isWhole = answer["data"]?["cancelOrder"]?["order"]?["state"] == "PENDING_CANCEL"
            #expect(isWhole, "\(answer)")
            #expect(try await !gateway.reconcile(backends))
            let state = try await gateway.order(id, backends)["data"]?["order"]?["state"]?.string
            #expect(state == (loss.arrives ? "CANCELED" : "OPEN"))
            #expect(gateway.calls[endpoint] == 1)
        }
    }

    @Test("keeps its id after a replacement, whichever order exists", arguments: losses)
    func replacing(_ loss: Loss) async throws {
        try await withGateway { gateway in
            let backends = try gateway.backends([gateway.connection("demo", of: alice)])
            var order = TestOrder(account: try await gateway.account(backends))
            order.price = "{ limit: \"2.55\" }"
            let placed = try await gateway.placed(order, backends)
            let id = try #require(placed["id"]?.string)
            let endpoint = "PATCH /v2/orders/{order_id}"
            try #require(gateway.sandbox.faults.add(Fault(loss.effect, endpoint: endpoint, remaining: 1)))
            let replace = """
                mutation { replaceOrder(id: "\(id)", input: { price: { limit: "2.65" } }) {
                    order { id state limitPrice } } }
                """
            let answer = try await gateway.ask(replace, as: alice, backends)
            #expect(answer["data"]?["replaceOrder"]?["order"]?["state"] == "PENDING_REPLACE", "\(answer)")
            // One change at a time.
            #expect(
                try await gateway.ask(replace, as: alice, backends).failures.map(\.code) == ["CONFLICT"])
            #expect(try await !gateway.reconcile(backends))
            let now = try await gateway.order(id, backends)["data"]?["order"]
            #expect(now?["id"]?.string == id && now?["state"] == "OPEN", "\(String(describing: now))")
            #expect(now?["limitPrice"]?.string == (loss.arrives ? "2.65" : "2.55"))
            #expect((now?["providerOrderId"] == placed["providerOrderId"]) == !loss.arrives)
            #expect(gateway.calls[endpoint] == 1)
        }
    }
}
