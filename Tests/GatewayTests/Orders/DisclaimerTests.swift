import Brokerage
import Gateway
import GraphQL
import Sandbox
import Storage
import TestSupport
import Testing
import Upstream

@Suite("An order at Saxo that needs disclaimers")
struct DisclaimerTests {
    private static let fields = "id title body isBlocking confirmations requiredText"

    /// A gateway in front of Saxo that requires disclaimers, and a purchase.
    private static func with(
        _ disclaimers: [FakeSaxoDisclaimer], _ settings: (inout FakeSaxoSettings) -> Void = { _ in },
        _ body: (Disclaimed) async throws -> Void
    ) async throws {
        try await withGateway { configuration in
            configuration.saxo.disclaimers = disclaimers
            settings(&configuration.saxo)
        } _: { gateway in
            let backends = try gateway.backends([try gateway.saxo(of: alice)])
            var order = TestOrder(account: try await gateway.account(with: .saxo, backends))
            (order.symbol, order.size) = ("AAPL", "{ quantity: \"1\" }")
            (order.price, order.rest) = ("{ limit: \"150\" }", "timeInForce: GTC")
            try await body(Disclaimed(gateway: gateway, backends: backends, order: order))
        }
    }

    struct Disclaimed {
        let gateway: TestGateway
        let backends: GatewayServices
        let order: TestOrder

        func place() async throws -> JSONValue {
            let text = order.mutation.replacing(
                "rejection { reason message }",
                with: "rejection { reason message disclaimers { \(DisclaimerTests.fields) } }")
            let answer = try await gateway.ask(text, as: alice, backends)
            return try #require(answer["data"]?["placeOrder"]?["order"], "\(answer)")
        }

        func preview() async throws -> JSONValue {
            let text = order.preview("rejections { reason } disclaimers { \(DisclaimerTests.fields) }")
            let answer = try await gateway.ask(text, as: alice, backends)
            return try #require(answer["data"]?["previewOrder"], "\(answer)")
        }

        func accept(_ ids: [String], typing text: String? = nil, as owner: OwnerID = alice) async throws
            -> JSONValue
        {
            let list = ids.map { "\"\($0)\"" }.joined(separator: ", ")
            let typed = text.map { ", typedText: \"\($0)\"" } ?? ""
            return try await gateway.ask(
                "mutation { acceptDisclaimers(ids: [\(list)]\(typed)) { acceptedIds } }", as: owner, backends)
        }

        /// The ids of the disclaimers of a preview or a rejection.
        func ids(_ object: JSONValue?) throws -> [String] {
            try #require(object?["disclaimers"]?.elements, "\(String(describing: object))").compactMap {
                $0["id"]?.string
            }
        }

        var openOrders: Int {
            get async throws {
                let answer = try await gateway.ask(
                    "{ orders(open: true, symbols: [\"AAPL\"]) { nodes { id } } }", as: alice, backends)
                return try #require(answer["data"]?["orders"]?["nodes"]?.elements, "\(answer)").count
            }
        }

        func calls(_ endpoint: String) -> Int { gateway.calls(of: .saxo)[endpoint] ?? 0 }
    }

    @Test(
        "is rejected with their texts, and placed once with the same key after they were accepted",
        arguments: [false, true], [false, true])
    func place(rejectsWithOK: Bool, wrapsErrors: Bool) async throws {
        try await Self.with([.normal, .recurring]) { settings in
            (settings.rejectsOrdersWithOK, settings.wrapsOrderErrors) = (rejectsWithOK, wrapsErrors)
        } _: { test in
            let rejected = try await test.place()
            #expect(rejected["state"] == "REJECTED" && rejected["providerOrderId"] == .null, "\(rejected)")
            let rejection = try #require(rejected["rejection"])
            #expect(rejection["reason"] == "DISCLAIMERS")
            let disclaimers = try #require(rejection["disclaimers"]?.elements)
            #expect(
                disclaimers.map { $0["title"]?.string } == [
                    "Sandbox: normal disclaimer", "Sandbox: recurring disclaimer",
                ])
            #expect(disclaimers[0]["body"] == "<p>You can lose money. This is the normal disclaimer.</p>")
            #expect(disclaimers.allSatisfy { $0["isBlocking"] == .bool(false) })
            #expect(disclaimers[1]["confirmations"]?.elements == ["I have read the risk warning"])
            #expect(try await test.openOrders == 0)

            let ids = try test.ids(rejection)
            let accepted = try await test.accept(ids)
            #expect(
                accepted["data"]?["acceptDisclaimers"]?["acceptedIds"]?.elements?.compactMap(\.string) == ids,
                "\(accepted)")
            let placed = try await test.place()
            #expect(placed["state"] == "OPEN" || placed["state"] == "ACCEPTED", "\(placed)")
            #expect(placed["clientOrderId"] == "key-1")
            // The key has its order now.
            let again = try await test.place()
            #expect(again["id"] == placed["id"] && again["id"] != rejected["id"])
            #expect(try await test.openOrders == 1)
            #expect(test.calls("POST /trade/v2/orders") == 2)

            // The rejected order stays as it was; the disclaimers of its check are not kept.
            let old = try await test.gateway.ask(
                "{ order(id: \"\(rejected["id"]?.string ?? "")\") { state clientOrderId rejection { reason disclaimers { id } } } }",
                as: alice, test.backends)
            let kept = old["data"]?["order"]
            #expect(kept?["state"] == "REJECTED" && kept?["clientOrderId"] == .null, "\(old)")
            #expect(kept?["rejection"]?["reason"] == "DISCLAIMERS")
            #expect(kept?["rejection"]?["disclaimers"] == .null)
        }
    }

    @Test("is placed again before they were accepted: it is rejected again, and never placed twice")
    func early() async throws {
        try await Self.with([.normal]) { test in
            for _ in 0..<3 { #expect(try await test.place()["state"] == "REJECTED") }
            #expect(try await test.openOrders == 0)
            _ = try await test.accept(test.ids(test.place()["rejection"]))
            let ids = try await withThrowingTaskGroup(of: String?.self) { group in
                for _ in 0..<4 { group.addTask { try await test.place()["id"]?.string } }
                return try await group.reduce(into: Set<String?>()) { $0.insert($1) }
            }
            #expect(ids.count == 1)
            #expect(try await test.openOrders == 1)
        }
    }

    @Test("keeps its key for an order with other values")
    func otherOrder() async throws {
        try await Self.with([.normal]) { test in
            #expect(try await test.place()["state"] == "REJECTED")
            var other = test.order
            other.size = "{ quantity: \"2\" }"
            let answer = try await test.gateway.place(other, test.backends)
            #expect(answer.failures == [FieldFailure("placeOrder", "CONFLICT", nil)], "\(answer)")
            #expect(answer["errors"]?[0]?["extensions"]?["argument"] == "input.idempotencyKey")
        }
    }

    @Test("previews them; one that recurs is required for the next order again")
    func preview() async throws {
        try await Self.with([.normal, .recurring]) { test in
            let preview = try await test.preview()
            #expect(
                preview["rejections"]?.elements?.map { $0["reason"]?.string } == ["DISCLAIMERS"], "\(preview)"
            )
            _ = try await test.accept(test.ids(preview))
            let second = try await test.preview()
            #expect(
                second["disclaimers"]?.elements == [] && second["rejections"]?.elements == [], "\(second)")
            #expect(test.calls("GET /dm/v2/disclaimers") == 3)
            #expect(try await test.place()["providerOrderId"]?.string != nil)
            let next = try await test.preview()
            #expect(
                next["disclaimers"]?.elements?.map { $0["title"]?.string } == [
                    "Sandbox: recurring disclaimer"
                ])
            #expect(try await test.openOrders == 1)
        }
    }

    @Test("cannot be placed with one that blocks: it cannot be accepted, and neither are the others")
    func blocking() async throws {
        try await Self.with([.normal, .blocking]) { test in
            let rejection = try await test.place()["rejection"]
            let ids = try test.ids(rejection)
            let answer = try await test.accept(ids)
            #expect(answer.failures == [FieldFailure("acceptDisclaimers", "CONFLICT", "saxo")], "\(answer)")
            #expect(
                answer["errors"]?[0]?["message"]
                    == "Argument \"ids[1]\": saxo blocks the order with this disclaimer, which cannot be accepted. Do not place the order."
            )
            #expect(answer["errors"]?[0]?["extensions"]?["argument"] == "ids[1]")
            #expect(test.calls("POST /dm/v2/disclaimers") == 0)
            #expect(try await test.place()["state"] == "REJECTED")
        }
    }

    @Test("requires the text that the user must type")
    func typed() async throws {
        try await Self.with([.typed]) { test in
            let preview = try await test.preview()
            #expect(preview["disclaimers"]?[0]?["requiredText"] == "I understand the risk", "\(preview)")
            let ids = try test.ids(preview)
            for text in [nil, "I understand"] {
                let answer = try await test.accept(ids, typing: text)
                #expect(
                    answer.failures == [FieldFailure("acceptDisclaimers", "BAD_USER_INPUT", "saxo")],
                    "\(answer)")
                #expect(answer["errors"]?[0]?["extensions"]?["argument"] == "typedText")
            }
            let answer = try await test.accept(ids, typing: "I understand the risk")
            #expect(answer.failures.isEmpty, "\(answer)")
            #expect(try await test.place()["providerOrderId"]?.string != nil)
        }
    }

    @Test("has ids for its own user only, and an unknown one accepts nothing")
    func ids() async throws {
        try await Self.with([.normal]) { test in
            let ids = try test.ids(try await test.preview())
            let stranger = try await test.accept(ids, as: bob)
            #expect(
                stranger.failures == [FieldFailure("acceptDisclaimers", "NOT_FOUND", nil)], "\(stranger)")
            for id in [
                "Disclaimer:saxo:Zm9v", "Disclaimer:saxo:b3RoZXIgRE0tb3RoZXI", "Order:saxo:1", "",
            ] {
                let answer = try await test.accept([ids[0], id])
                #expect(answer["data"]?["acceptDisclaimers"] == .null)
                #expect(answer["errors"]?[0]?["extensions"]?["code"] == "NOT_FOUND", "\(id): \(answer)")
                #expect(answer["errors"]?[0]?["extensions"]?["argument"] == "ids[1]")
            }
            let many = try await test.accept(Array(repeating: ids[0], count: 21))
            #expect(many["errors"]?[0]?["extensions"]?["code"] == "BAD_USER_INPUT", "\(many)")
            #expect(test.calls("POST /dm/v2/disclaimers") == 0)
        }
    }

    @Test("needs the scope TRADE for their acceptance, and a tool cannot accept them")
    func scopes() async throws {
        try await Self.with([.normal]) { test in
            let id = try #require(try test.ids(try await test.preview()).first)
            let text = "mutation { acceptDisclaimers(ids: [\"\(id)\"]) { acceptedIds } }"
            func ask(_ scopes: Set<Scope>, isToolCall: Bool) async throws -> JSONValue {
                let response = test.gateway.respond(
                    to: text, in: Session(owner: alice, scopes: scopes), test.backends, isToolCall: isToolCall
                )
                return try JSONValue(parsing: try await response.value().body)
            }
            let reader = try await ask([.read, .write], isToolCall: false)
            #expect(reader["errors"]?[0]?["extensions"]?["code"] == "FORBIDDEN", "\(reader)")
            let tool = try await ask([.read, .write, .trade], isToolCall: true)
            #expect(tool.failures == [FieldFailure("acceptDisclaimers", "UNSUPPORTED", nil)], "\(tool)")
            #expect(test.calls("POST /dm/v2/disclaimers") == 0)
        }
    }

    @Test("whose texts cannot be read has an error in their place")
    func unreadable() async throws {
        try await Self.with([.normal]) { test in
            _ = test.gateway.sandbox.faults.add(
                Fault(.status(503, retryAfter: nil), provider: .saxo, endpoint: "GET /dm/v2/disclaimers"))
            let text = test.order.mutation.replacing(
                "rejection { reason message }", with: "rejection { reason disclaimers { id } }")
            let answer = try await test.gateway.ask(text, as: alice, test.backends)
            let rejection = answer["data"]?["placeOrder"]?["order"]?["rejection"]
            #expect(rejection?["reason"] == "DISCLAIMERS" && rejection?["disclaimers"] == .null, "\(answer)")
            #expect(answer["errors"]?[0]?["extensions"]?["code"] == "PROVIDER_UNAVAILABLE")
        }
    }
}
