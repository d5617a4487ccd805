import Brokerage
import Gateway
import Sandbox
import TestSupport
import Testing
import Upstream

@Suite("Placing an order")
struct OrderPlacingTests {
    /// What is asked, and what the broker then tells of it.
    struct Placing: Sendable {
        let size: String
        let price: String
        var rest = ""
        let told: [String: JSONValue]
    }

    @Test(
        "sends the broker all values, to the last digit",
        arguments: [
            Placing(
                size: "{ quantity: \"2\" }", price: "null",
                told: ["type": "MARKET", "quantity": "2"]),
            Placing(
                size: "{ notional: \"150.25\" }", price: "null",
                told: ["type": "MARKET", "notional": "150.25"]),
            Placing(
                size: "{ quantity: \"3\" }", price: "{ limit: \"10.55\" }", rest: "timeInForce: GTC",
                told: ["type": "LIMIT", "limitPrice": "10.55", "timeInForce": "GTC"]),
            Placing(
                size: "{ quantity: \"1\" }", price: "{ limit: \"9.75\" }", rest: "extendedHours: true",
                told: ["type": "LIMIT", "extendedHours": .bool(true)]),
            Placing(
                size: "{ quantity: \"1\" }", price: "{ stop: \"900\" }",
                told: ["type": "STOP", "stopPrice": "900"]),
            Placing(
                size: "{ quantity: \"1\" }", price: "{ stopLimit: { stop: \"900\" limit: \"901.5\" } }",
                told: ["type": "STOP_LIMIT", "stopPrice": "900", "limitPrice": "901.5"]),
        ])
    func types(_ placing: Placing) async throws {
        try await withGateway { gateway in
            let backends = try gateway.backends([gateway.connection("demo", of: alice)])
            var order = TestOrder(account: try await gateway.account(backends))
            (order.size, order.price, order.rest) = (placing.size, placing.price, placing.rest)
            let placed = try await gateway.placed(order, backends)
            for (field, value) in placing.told { #expect(placed[field] == value, "\(field): \(placed)") }
            #expect(
                placed["clientOrderId"] == "key-1" && placed["symbol"] == "AMD" && placed["side"] == "BUY")
            #expect(placed["rejection"] == .null)
            let id = try #require(placed["id"]?.string)
            let later = try await gateway.order(id, backends)
            #expect(later["data"]?["order"]?["id"]?.string == id)
            for (field, value) in placing.told { #expect(later["data"]?["order"]?[field] == value) }
            #expect(gateway.placings == 1)
        }
    }

    @Test(
        "sends the distance of a trailing stop, and returns the stop price that follows the market",
        arguments: [("percentage", "trailPercentage", "1.5"), ("amount", "trailAmount", "2.25")])
    func trailing(_ unit: String, _ field: String, _ distance: String) async throws {
        try await withGateway { gateway in
            let backends = try gateway.backends([gateway.connection("demo", of: alice)])
            var order = TestOrder(account: try await gateway.account(backends))
            order.price = "{ trail: { \(unit): \"\(distance)\" } }"
            let placed = try await gateway.placed(order, backends)
            #expect(placed["type"] == "TRAILING_STOP" && placed[field]?.string == distance)
            #expect(placed["state"] == "OPEN" && placed["rejection"] == .null, "\(placed)")
            #expect(placed["stopPrice"]?.string != nil)
            let later = try await gateway.order(try #require(placed["id"]?.string), backends)
            #expect(later["data"]?["order"]?[field]?.string == distance)
        }
    }

    @Test("happens once for a key, and returns the same order again")
    func sameKey() async throws {
        try await withGateway { gateway in
            let backends = try gateway.backends([gateway.connection("demo", of: alice)])
            var order = TestOrder(account: try await gateway.account(backends))
            order.price = "{ limit: \"2.50\" }"
            let first = try await gateway.placed(order, backends)
            let second = try await gateway.placed(order, backends)
            #expect(first["id"] == second["id"] && first["providerOrderId"] == second["providerOrderId"])
            order.price = "{ limit: \"2.51\" }"
            let other = try await gateway.place(order, backends)
            #expect(other.failures == [FieldFailure("placeOrder", "CONFLICT", nil)])
            #expect(other["errors"]?[0]?["extensions"]?["argument"] == "input.idempotencyKey")
            #expect(gateway.placings == 1)
        }
    }

    @Test("happens once for fifty concurrent requests with a key")
    func concurrent() async throws {
        try await withGateway { gateway in
            let backends = try gateway.backends([gateway.connection("demo", of: alice)])
            let order = TestOrder(account: try await gateway.account(backends))
            let ids = try await withThrowingTaskGroup(of: String?.self) { group in
                for _ in 0..<50 {
                    group.addTask { try await gateway.placed(order, backends)["id"]?.string }
                }
                return try await group.reduce(into: []) { $0.append($1) }
            }
            #expect(ids.count == 50 && Set(ids).count == 1 && ids[0] != nil)
            #expect(gateway.placings == 1)
        }
    }

    @Test("continues if the client disconnects")
    func hangUp() async throws {
        try await withGateway { gateway in
            let backends = try gateway.backends([gateway.connection("demo", of: alice)])
            let order = TestOrder(account: try await gateway.account(backends))
            #expect(
                gateway.sandbox.faults.add(Fault(.latency(.milliseconds(200)), endpoint: "POST /v2/orders")))
            let request = Task { try await gateway.place(order, backends) }
            try await waitUntil { gateway.placings > 0 }
            request.cancel()
            _ = await request.result
            let answer = try await gateway.placed(order, backends)
            #expect(answer["providerOrderId"]?.string != nil, "\(answer)")
            #expect(gateway.placings == 1)
        }
    }

    @Test("that the broker rejects returns a REJECTED order with its reason")
    func rejected() async throws {
        try await withGateway { gateway in
            let backends = try gateway.backends([gateway.connection("demo", of: alice)])
            var order = TestOrder(account: try await gateway.account(backends))
            (order.size, order.price) = ("{ quantity: \"100000000\" }", "{ limit: \"150\" }")
            let rejected = try await gateway.placed(order, backends)
            #expect(rejected["state"] == "REJECTED")
            #expect(rejected["rejection"]?["reason"] == "INSUFFICIENT_FUNDS", "\(rejected)")
            #expect(rejected["rejection"]?["message"]?.string?.isEmpty == false)
            let id = try #require(rejected["id"]?.string)
            #expect(try await gateway.order(id, backends)["data"]?["order"]?["state"] == "REJECTED")
            let list = try await gateway.ask(
                "{ orders(open: false) { nodes { id state } } }", as: alice, backends)
            #expect(list["data"]?["orders"]?["nodes"]?[0]?["id"]?.string == id)
            #expect(try await gateway.placed(order, backends)["id"]?.string == id)
            #expect(gateway.placings == 1)
            // Nothing can be done with it any more, and the broker is not asked.
            #expect(
                try await gateway.cancel(id, backends).failures == [FieldFailure("cancelOrder", "CONFLICT")])
        }
    }

    @Test(
        "with invalid input is rejected with the argument's path, before a call",
        arguments: [
            (
                size: "{ quantity: \"0\" }", price: "null", rest: "", "input.size.quantity",
                "BAD_USER_INPUT"
            ),
            ("{ quantity: \"-1\" }", "null", "", "input.size.quantity", "BAD_USER_INPUT"),
            (
                "{ notional: \"0.0000000001\" }", "null", "", "input.size.notional",
                "BAD_USER_INPUT"
            ),
            ("{ quantity: \"1\" }", "{ limit: \"-5\" }", "", "input.price.limit", "BAD_USER_INPUT"),
            (
                "{ quantity: \"1\" }", "{ stopLimit: { stop: \"1\" limit: \"0\" } }", "",
                "input.price.stopLimit.limit", "BAD_USER_INPUT"
            ),
            (
                "{ quantity: \"1\" }", "null", "timeInForce: GTD expiresOn: \"2026-12-01\"",
                "input.timeInForce", "UNSUPPORTED"
            ),
            (
                "{ quantity: \"1\" }", "null", "expiresOn: \"2026-12-01\"", "input.expiresOn",
                "BAD_USER_INPUT"
            ),
        ])
    func arguments(_ size: String, _ price: String, _ rest: String, _ argument: String, _ code: String)
        async throws
    {
        try await withGateway { gateway in
            let backends = try gateway.backends([gateway.connection("demo", of: alice)])
            var order = TestOrder(account: try await gateway.account(backends))
            (order.size, order.price, order.rest) = (size, price, rest)
            let answer = try await gateway.place(order, backends)
            let extensions = answer["errors"]?[0]?["extensions"]
            #expect(extensions?["code"]?.string == code, "\(answer)")
            #expect(extensions?["argument"]?.string == argument, "\(answer)")
            #expect(answer["errors"]?[0]?["message"]?.string?.contains("\"\(argument)\"") == true)
            #expect(answer["data"]?["placeOrder"] == .null)
            #expect(gateway.placings == 0)
        }
    }

    @Test("needs an account of the user, and an instrument of the broker")
    func strangers() async throws {
        try await withGateway { gateway in
            let backends = try gateway.backends([
                gateway.connection("demo", of: alice), gateway.connection("second", of: bob, .second),
            ])
            let foreign = TestOrder(account: try await gateway.account(of: bob, backends))
            #expect(
                try await gateway.place(foreign, as: alice, backends).failures
                    == [FieldFailure("placeOrder", "NOT_FOUND", nil)])
            var unknown = TestOrder(account: try await gateway.account(backends))
            unknown.symbol = "NOSUCH"
            let answer = try await gateway.place(unknown, backends)
            #expect(answer.failures == [FieldFailure("placeOrder", "NOT_FOUND")])
            #expect(answer["errors"]?[0]?["extensions"]?["argument"] == "input.instrument.symbol")
            #expect(
                try await gateway.ask(foreign.mutation, as: nil, backends).failures
                    == [FieldFailure("placeOrder", "UNAUTHENTICATED", nil)])
            #expect(gateway.placings == 0)
        }
    }

    @Test("separates the orders of two users, and their keys")
    func isolation() async throws {
        try await withGateway { gateway in
            let backends = try gateway.backends([
                gateway.connection("demo", of: alice), gateway.connection("second", of: bob, .second),
            ])
            var order = TestOrder(account: try await gateway.account(backends))
            order.price = "{ limit: \"3\" }"
            let own = try await gateway.placed(order, backends)
            order.account = try await gateway.account(of: bob, backends)
            let other = try await gateway.placed(order, as: bob, backends)
            let (id, otherID) = (try #require(own["id"]?.string), try #require(other["id"]?.string))
            #expect(id != otherID && gateway.placings == 2)
            for action in [
                try await gateway.order(id, as: bob, backends),
                try await gateway.cancel(id, as: bob, backends),
            ] {
                #expect(action.failures.map(\.code) == ["NOT_FOUND"], "\(action)")
            }
            let list = try await gateway.ask("{ orders { nodes { id } } }", as: bob, backends)
            #expect(list["data"]?["orders"]?["nodes"]?.elements?.map { $0["id"]?.string } == [otherID])
        }
    }
}
