import Brokerage
import Gateway
import GraphQL
import Sandbox
import Storage
import TestSupport
import Testing
import Upstream

@Suite("An order of a tool")
struct ToolOrderTests {
    /// A gateway with limits, in which alice's orders are those of tools.
    struct Tools {
        let gateway: TestGateway
        let backends: GatewayServices
        let order: TestOrder

        static func with(
            _ limits: [String: Brokerage.Decimal] = ["USD": 10_000], _ test: (Tools) async throws -> Void
        ) async throws {
            try await withGateway { gateway in
                let backends = try gateway.backends(
                    [gateway.connection("demo", of: alice)], toolOrderLimits: limits)
                var order = TestOrder(account: try await gateway.account(backends))
                // A limit above the market is the value of each share.
                (order.size, order.price) = ("{ quantity: \"4\" }", "{ limit: \"1000\" }")
                try await test(Tools(gateway: gateway, backends: backends, order: order))
            }
        }

        func ask(_ text: String) async throws -> JSONValue {
            let session = Session(owner: alice, scopes: [.read, .trade])
            let response = gateway.respond(to: text, in: session, backends, isToolCall: true)
            return try JSONValue(parsing: try await response.value().body)
        }

        func preview(_ order: TestOrder) async throws {
            let query = order.preview("value rejections { code }")
            let answer = try await ask(query)
            #expect(answer["data"]?["previewOrder"]?["value"]?.string != nil, "\(answer)")
        }

        /// Calls the tool that places an order; the key of the order is the id of the call.
        func place(_ order: TestOrder, call: String) async throws -> JSONValue {
            var order = order
            order.key = call
            return try await ask(order.mutation)
        }

        func placed(_ order: TestOrder, call: String) async throws -> JSONValue {
            let answer = try await place(order, call: call)
            return try #require(answer["data"]?["placeOrder"]?["order"], "\(answer)")
        }

        func expectRefusal(
            _ answer: JSONValue, _ code: String, _ message: String, argument: String? = nil,
            provider: String? = nil, retryAt: String? = nil,
            sourceLocation: Testing.SourceLocation = #_sourceLocation
        ) {
            #expect(
                answer.failures == [FieldFailure("placeOrder", code, provider)], "\(answer)",
                sourceLocation: sourceLocation)
            let error = answer["errors"]?[0]
            #expect(error?["message"]?.string == message, sourceLocation: sourceLocation)
            #expect(error?["extensions"]?["argument"]?.string == argument, sourceLocation: sourceLocation)
            #expect(error?["extensions"]?["retryAt"]?.string == retryAt, sourceLocation: sourceLocation)
        }

        static let noPreview = """
            This order has no preview that is valid. Call a tool with `previewOrder` with the same order in this \
            session, then this tool within 5 minutes. If an earlier call had no result, read the orders first, because \
            it may have placed the order.
            """
    }

    @Test("is placed after its preview, once for each call, with a key of the server")
    func placed() async throws {
        try await Tools.with { tools in
            try await tools.preview(tools.order)
            let order = try await tools.placed(tools.order, call: "7")
            let key = try #require(order["clientOrderId"]?.string)
            #expect(key.hasPrefix("mcp-2026-11-20-") && key.contains("-USD-4000-"), "\(key)")
            // The same call again returns the same order.
            let same = try await tools.placed(tools.order, call: "7")
            #expect(same["id"] == order["id"])
            #expect(tools.gateway.placings == 1)
            tools.expectRefusal(
                try await tools.place(tools.order, call: "8"), "CONFLICT",
                """
                The preview of this order was used by another call. Read the orders, because that call may have placed \
                it. Call a tool with `previewOrder` with the same order in this session, then this tool within 5 minutes.
                """)
            // After another preview, another call places another order.
            try await tools.preview(tools.order)
            let other = try await tools.placed(tools.order, call: "8")
            #expect(other["id"] != order["id"] && other["clientOrderId"]?.string != key)
            #expect(tools.gateway.placings == 2)
        }
    }

    @Test("is the same one if its call is repeated within five minutes, also after another preview of it")
    func repeated() async throws {
        try await Tools.with(["USD": 100_000]) { tools in
            try await tools.preview(tools.order)
            // Shortly before the end of the preview.
            tools.gateway.clock.advance(by: .seconds(299))
            let order = try await tools.placed(tools.order, call: "7")
            tools.gateway.clock.advance(by: .seconds(2))
            try await tools.preview(tools.order)
            #expect(try await tools.placed(tools.order, call: "7")["id"] == order["id"])
            // The unused preview is that of one more order.
            let other = try await tools.placed(tools.order, call: "8")
            #expect(other["id"] != order["id"])
            for (call, first) in [("7", order), ("8", other)] {
                #expect(try await tools.placed(tools.order, call: call)["id"] == first["id"])
            }
            #expect(tools.gateway.placings == 2)
            // Later it is a call of another connection, which begins to count again.
            tools.gateway.clock.advance(by: .seconds(300))
            tools.expectRefusal(
                try await tools.place(tools.order, call: "7"), "CONFLICT", Tools.noPreview)
            try await tools.preview(tools.order)
            let third = try await tools.placed(tools.order, call: "7")
            #expect(third["id"] != order["id"] && third["id"] != other["id"])
            #expect(tools.gateway.placings == 3)
        }
    }

    @Test("is the same one if its call is repeated after as many other previews as a session has")
    func manyPreviews() async throws {
        try await Tools.with { tools in
            try await tools.preview(tools.order)
            let order = try await tools.placed(tools.order, call: "7")
            for price in 901...921 {
                var other = tools.order
                other.price = "{ limit: \"\(price)\" }"
                try await tools.preview(other)
            }
            try await tools.preview(tools.order)
            #expect(try await tools.placed(tools.order, call: "7")["id"] == order["id"])
            #expect(tools.gateway.placings == 1)
        }
    }

    @Test("is placed once if its call is repeated after midnight, and counts for the day before")
    func midnight() async throws {
        try await Tools.with(["USD": 4_000]) { tools in
            tools.gateway.clock.advanceWallClock(by: .seconds(7 * 3_600 + 3_540))
            try await tools.preview(tools.order)
            let order = try await tools.placed(tools.order, call: "7")
            tools.gateway.clock.advanceWallClock(by: .seconds(120))
            let same = try await tools.placed(tools.order, call: "7")
            #expect(same["id"] == order["id"])
            #expect(same["clientOrderId"]?.string?.hasPrefix("mcp-2026-11-20-") == true, "\(same)")
            #expect(tools.gateway.placings == 1)
            // The next day has its own limit.
            try await tools.preview(tools.order)
            let next = try await tools.placed(tools.order, call: "8")
            #expect(next["clientOrderId"]?.string?.hasPrefix("mcp-2026-11-21-") == true, "\(next)")
        }
    }

    @Test("is refused without a preview: of the same values, in the same session, of the last five minutes")
    func withoutPreview() async throws {
        try await Tools.with { tools in
            tools.expectRefusal(
                try await tools.place(tools.order, call: "1"), "CONFLICT", Tools.noPreview)
            // A preview that is no call of a tool has no effect.
            let query = tools.order.preview("value")
            _ = try await tools.gateway.ask(query, as: alice, tools.backends)
            tools.expectRefusal(
                try await tools.place(tools.order, call: "1"), "CONFLICT", Tools.noPreview)

            try await tools.preview(tools.order)
            var changes: [TestOrder] = []
            for change: (inout TestOrder) -> Void in [
                { $0.size = "{ quantity: \"5\" }" }, { $0.price = "{ limit: \"99\" }" },
                { $0.price = "null" }, { $0.symbol = "KO" }, { $0.rest = "timeInForce: GTC" },
            ] {
                var order = tools.order
                change(&order)
                changes.append(order)
            }
            for order in changes {
                tools.expectRefusal(try await tools.place(order, call: "1"), "CONFLICT", Tools.noPreview)
            }
            tools.gateway.clock.advance(by: .seconds(300))
            tools.expectRefusal(
                try await tools.place(tools.order, call: "1"), "CONFLICT", Tools.noPreview)
            #expect(tools.gateway.placings == 0)
        }
    }

    @Test("is refused after a preview with expected rejections")
    func rejected() async throws {
        try await Tools.with(["USD": 1_000_000_000_000]) { tools in
            var order = tools.order
            order.size = "{ quantity: \"1000000\" }"
            try await tools.preview(order)
            tools.expectRefusal(try await tools.place(order, call: "1"), "CONFLICT", Tools.noPreview)
        }
    }

    @Test("is refused above the limit of its session and day, whose sum a restart does not reset")
    func limit() async throws {
        try await Tools.with { tools in
            var large = tools.order
            large.size = "{ quantity: \"11\" }"
            try await tools.preview(large)
            tools.expectRefusal(
                try await tools.place(large, call: "1"), "BAD_USER_INPUT",
                """
                Argument "input.size": The value of the order is 11000 USD, and the orders of a session may have a value \
                of 10000 USD in a day. Place a smaller order.
                """, argument: "input.size")

            for call in ["2", "3"] {
                try await tools.preview(tools.order)
                _ = try await tools.placed(tools.order, call: call)
            }
            // The journal has the sum.
            let restarted = Tools(
                gateway: tools.gateway,
                backends: try tools.gateway.backends(
                    [tools.gateway.connection("demo", of: alice)], toolOrderLimits: ["USD": 10_000]),
                order: tools.order)
            try await restarted.preview(tools.order)
            tools.expectRefusal(
                try await restarted.place(tools.order, call: "4"), "RATE_LIMITED",
                """
                The value of the order is 4000 USD, and the orders of this session have a value of 8000 USD today. The \
                limit is 10000 USD in a day (UTC). Place a smaller order, or wait until the next day.
                """, retryAt: "2026-11-21T00:00:00.000Z")
            // Exactly the limit is permitted.
            var small = tools.order
            small.size = "{ quantity: \"2\" }"
            try await restarted.preview(small)
            _ = try await restarted.placed(small, call: "5")
            // Orders that are not placed by tools do not count, and have no limit.
            var own = tools.order
            own.key = "own"
            _ = try await tools.gateway.placed(own, tools.backends)
        }
    }

    @Test("is refused in a currency without a limit")
    func currency() async throws {
        try await Tools.with(["DKK": 1_000, "EUR": 1_000]) { tools in
            try await tools.preview(tools.order)
            tools.expectRefusal(
                try await tools.place(tools.order, call: "1"), "BAD_USER_INPUT",
                """
                Argument "input": The preview has no value of this order in a currency with a limit (DKK, EUR). Use \
                an instrument that is traded in such a currency.
                """, argument: "input")
            #expect(tools.gateway.placings == 0)
        }
    }
}
