import Brokerage
import Gateway
import GraphQL
import Storage
import TestSupport
import Testing
import Upstream

@Suite("Alerts")
struct AlertTests {
    static let fields =
        "id kind symbol price percentage label state rearmAfter firedCount lastFiring { id value }"

    private static func backends(_ gateway: TestGateway) throws -> GatewayServices {
        try gateway.backends([gateway.connection("demo", of: alice)])
    }

    private static func creation(_ condition: String, _ more: String = "") -> String {
        "mutation { createAlert(input: { condition: { \(condition) } \(more) }) { alert { \(fields) } alertEdge { cursor } } }"
    }

    /// Creates an alert as Alice; returns it.
    static func create(
        _ gateway: TestGateway, _ backends: GatewayServices, _ condition: String, _ more: String = ""
    ) async throws -> JSONValue {
        let answer = try await gateway.ask(creation(condition, more), as: alice, backends)
        return try #require(answer["data"]?["createAlert"]?["alert"], "\(answer)")
    }

    @Test("are created, listed page by page, changed and deleted by their user only")
    func management() async throws {
        try await withGateway { gateway in
            let backends = try Self.backends(gateway)
            let first = try await Self.create(
                gateway, backends, #"priceAbove: { symbol: "AAPL", price: "250.50" }"#,
                #"label: "up", rearmAfter: 3600"#)
            #expect(first["kind"] == "PRICE_ABOVE" && first["price"] == "250.50" && first["label"] == "up")
            #expect(first["state"] == "ACTIVE" && first["firedCount"] == 0 && first["lastFiring"] == .null)
            let second = try await Self.create(
                gateway, backends, #"dayFall: { symbol: "KO", percentage: "3" }"#)
            #expect(second["kind"] == "DAY_FALL" && second["percentage"] == "3" && second["price"] == .null)
            let page = "nodes { id symbol instrument { name } order { id } goal { id } connection { id } }"
            let list = try await gateway.ask(
                "{ alerts(first: 1) { \(page) edges { cursor } pageInfo { hasNextPage endCursor } } }",
                as: alice, backends)["data"]?["alerts"]
            #expect(list?["nodes"]?[0]?["id"] == first["id"])
            #expect(list?["nodes"]?[0]?["instrument"]?["name"]?.string?.contains("Apple") == true)
            #expect(list?["pageInfo"]?["hasNextPage"] == .bool(true))
            let cursor = try #require(list?["pageInfo"]?["endCursor"]?.string)
            let rest = try await gateway.ask(
                "{ alerts(after: \"\(cursor)\") { \(page) pageInfo { hasNextPage hasPreviousPage } } }",
                as: alice, backends)["data"]?["alerts"]
            #expect(rest?["nodes"]?.elements?.map { $0["id"] } == [second["id"]])
            #expect(
                rest?["pageInfo"]?["hasNextPage"] == .bool(false)
                    && rest?["pageInfo"]?["hasPreviousPage"] == .bool(true))

            let id = try #require(first["id"]?.string)
            let change =
                "mutation { updateAlert(id: \"\(id)\", input: { paused: true, label: null, rearmAfter: null }) { alert { \(Self.fields) } } }"
            let changed = try await gateway.ask(change, as: alice, backends)["data"]?["updateAlert"]?["alert"]
            #expect(changed?["state"] == "PAUSED" && changed?["label"] == .null)
            #expect(changed?["rearmAfter"] == .null && changed?["price"] == "250.50")

            let node = "{ node(id: \"\(id)\") { id __typename } }"
            #expect(try await gateway.ask(node, as: bob, backends)["data"]?["node"] == .null)
            #expect(
                try await gateway.ask(node, as: alice, backends)["data"]?["node"]?["__typename"] == "Alert")
            let removal = "mutation { deleteAlert(id: \"\(id)\") { deletedId } }"
            for mutation in [change, removal] {
                let refused = try await gateway.ask(mutation, as: bob, backends)
                #expect(refused.failures.first?.code == "NOT_FOUND", "\(refused)")
            }
            #expect(
                try await gateway.ask("{ alerts { nodes { id } } }", as: bob, backends)["data"]?["alerts"]?[
                    "nodes"]?.elements == [])
            #expect(
                try await gateway.ask(removal, as: alice, backends)["data"]?["deleteAlert"]?["deletedId"]?
                    .string == id)
            #expect(try await gateway.ask(removal, as: alice, backends).failures.first?.code == "NOT_FOUND")
        }
    }

    /// A refused condition, its code, and the argument that the error names.
    struct Refusal: CustomTestStringConvertible, Sendable {
        let condition: String
        var more = ""
        let code: String
        let argument: String
        /// The end of the message, if it is compared.
        var reason = ""

        var testDescription: String { "\(condition) \(more)" }

        static let all = [
            Refusal(
                condition: #"priceAbove: { symbol: "NOSUCH", price: "1" }"#, code: "NOT_FOUND",
                argument: "input.condition.priceAbove.symbol"),
            Refusal(
                condition: #"priceBelow: { symbol: "NOSUCH", price: "1" }"#, code: "NOT_FOUND",
                argument: "input.condition.priceBelow.symbol"),
            Refusal(
                condition: #"dayRise: { symbol: "NOSUCH", percentage: "1" }"#, code: "NOT_FOUND",
                argument: "input.condition.dayRise.symbol"),
            Refusal(
                condition: #"dayFall: { symbol: "NOSUCH", percentage: "1" }"#, code: "NOT_FOUND",
                argument: "input.condition.dayFall.symbol"),
            Refusal(
                condition: #"dayFall: { symbol: "AAPL", percentage: "100" }"#, code: "BAD_USER_INPUT",
                argument: "input.condition.dayFall.percentage",
                reason: "It is 100; it must be above 0 and below 100, because a price does not fall to 0."),
            Refusal(
                condition: #"dayFall: { symbol: "AAPL", percentage: "150.5" }"#, code: "BAD_USER_INPUT",
                argument: "input.condition.dayFall.percentage",
                reason: "It is 150.5; it must be above 0 and below 100, because a price does not fall to 0."),
            Refusal(
                condition: #"orderState: { orderId: "Order:demo:none", states: [FILLED] }"#,
                code: "NOT_FOUND",
                argument: "input.condition.orderState.orderId"),
            Refusal(
                condition: #"orderState: { orderId: "Order:demo:none", states: [] }"#,
                code: "BAD_USER_INPUT", argument: "input.condition.orderState.states"),
            Refusal(
                condition: #"orderState: { orderId: "Order:demo:none", states: [FILLED] }"#,
                more: "rearmAfter: 60", code: "BAD_USER_INPUT", argument: "input.rearmAfter"),
            Refusal(
                condition: #"goalReached: "Goal:none""#, code: "NOT_FOUND",
                argument: "input.condition.goalReached"),
            Refusal(
                condition: #"connectionNeedsRenewal: "Connection:none""#, code: "NOT_FOUND",
                argument: "input.condition.connectionNeedsRenewal"),
            Refusal(
                condition: #"priceAbove: { symbol: "AAPL", price: "1" }"#, more: "rearmAfter: 59",
                code: "BAD_USER_INPUT", argument: "input.rearmAfter"),
            Refusal(
                condition: #"priceAbove: { symbol: "AAPL", price: "1" }"#, more: "rearmAfter: 31536001",
                code: "BAD_USER_INPUT", argument: "input.rearmAfter"),
        ]
    }

    @Test("of a condition that cannot be watched are refused, with the argument", arguments: Refusal.all)
    func refusals(_ refusal: Refusal) async throws {
        try await withGateway { gateway in
            let backends = try Self.backends(gateway)
            let answer = try await gateway.ask(
                Self.creation(refusal.condition, refusal.more), as: alice, backends)
            let error = answer["errors"]?[0]
            #expect(error?["extensions"]?["code"]?.string == refusal.code, "\(answer)")
            #expect(error?["extensions"]?["argument"]?.string == refusal.argument, "\(answer)")
            #expect(error?["message"]?.string?.contains("\"\(refusal.argument)\"") == true, "\(answer)")
            #expect(error?["message"]?.string?.hasSuffix(refusal.reason) == true, "\(answer)")
            #expect(error?["path"] == .array(["createAlert"]))
            #expect(try await gateway.userData.alerts.alerts(of: alice, after: nil, limit: 9).isEmpty)
        }
    }

    @Test("need a session, a name and room, and valid cursors")
    func limits() async throws {
        try await withGateway { gateway in
            let backends = try Self.backends(gateway)
            let creation = Self.creation(#"priceAbove: { symbol: "AAPL", price: "1" }"#)
            #expect(
                try await gateway.ask(creation, as: nil, backends).failures.first?.code == "UNAUTHENTICATED")
            var guest = try TestClient(gateway)
            try await guest.enter("startGuestSession")
            for mutation in [
                creation, #"mutation { registerWebhook(input: { url: "https://example.com" }) { secret } }"#,
            ] {
                #expect(try await guest.ask(mutation).failures.first?.code == "FORBIDDEN")
            }
            for query in [
                "{ alerts(first: 0) { nodes { id } } }", "{ alerts(first: 201) { nodes { id } } }",
                "{ alerts(after: \"x\") { nodes { id } } }",
                "{ alertFirings(after: \"x\") { nodes { id } } }",
            ] {
                let answer = try await gateway.ask(query, as: alice, backends)
                #expect(answer.failures.first?.code == "BAD_USER_INPUT", "\(query): \(answer)")
            }
            for _ in 0..<AlertStore.Limits().alerts {
                _ = try await gateway.userData.alerts.create(
                    .priceAbove(.example, 1), label: nil, rearmAfter: nil, for: alice)
            }
            let page = try await gateway.ask(
                "{ alerts(first: 1) { pageInfo { endCursor } } }", as: alice, backends)
            let cursor = try #require(page["data"]?["alerts"]?["pageInfo"]?["endCursor"]?.string, "\(page)")
            let other = try await gateway.ask(
                "{ alertFirings(after: \"\(cursor)\") { nodes { id } } }", as: alice, backends)
            #expect(other.failures.first?.code == "BAD_USER_INPUT", "\(other)")
            let full = try await gateway.ask(creation, as: alice, backends)
            #expect(full.failures.first?.code == "BAD_USER_INPUT", "\(full)")
            #expect(full["errors"]?[0]?["message"]?.string?.contains("There are 200 alerts") == true)
        }
    }
}
