import Brokerage
import Gateway
import GraphQL
import Sandbox
import TestSupport
import Testing
import Upstream

@Suite("Changes of goals")
struct GoalChangeTests {
    private static let selection =
        "{ id title description target currency dueOn allocations { symbol quantity percentage } }"
    private static let all =
        "{ goals { id title description target currency dueOn updatedAt allocations { symbol } } }"

    private func made(_ gateway: TestGateway, _ backends: GatewayServices) async throws -> JSONValue {
        let answer = try await gateway.ask(
            """
            mutation { createGoal(input: { title: "House", description: "x", target: "100", currency: "EUR",
                dueOn: "2031-06-30", allocations: [{ symbol: "KO" }] }) { goal \(Self.selection) } }
            """, as: alice, backends)
        return try #require(answer["data"]?["createGoal"]?["goal"], "\(answer)")
    }

    /// An input of an update, and what is different afterwards.
    struct Patch: CustomTestStringConvertible {
        let input: String
        var field: String?
        var value = JSONValue.null
        var testDescription: String { input }

        static let all = [
            Patch(input: "{ }"),
            Patch(input: #"{ title: "Boat" }"#, field: "title", value: "Boat"),
            Patch(input: #"{ description: "" }"#, field: "description", value: ""),
            Patch(input: #"{ target: "0.5" }"#, field: "target", value: "0.5"),
            Patch(input: #"{ currency: "CHF" }"#, field: "currency", value: "CHF"),
            Patch(input: "{ dueOn: null }", field: "dueOn"),
            Patch(input: #"{ dueOn: "2050-12-31" }"#, field: "dueOn", value: "2050-12-31"),
            Patch(input: "{ allocations: [] }", field: "allocations", value: .array([])),
            Patch(
                input: #"{ allocations: [{ symbol: "AAPL", share: { percentage: "12.5" } }] }"#,
                field: "allocations",
                value: .array([.object(["symbol": "AAPL", "quantity": .null, "percentage": "12.5"])])),
        ]
    }

    @Test("change only the fields of the input; null removes a value", arguments: Patch.all)
    func patches(_ patch: Patch) async throws {
        try await withGateway { gateway in
            let backends = try gateway.backends([gateway.connection("demo", of: alice)])
            let before = try await made(gateway, backends)
            let answer = try await gateway.ask(
                """
                mutation M($id: ID!) {
                  updateGoal(id: $id, input: \(patch.input)) { goal \(Self.selection) } }
                """, as: alice, backends, variables: ["id": .string(try #require(before["id"]?.string))])
            var expected = try #require(before.members)
            if let field = patch.field { expected[field] = patch.value }
            #expect(answer["data"]?["updateGoal"]?["goal"] == .object(expected), "\(answer)")
        }
    }

    @Test("with variables change only fields with a value, including null")
    func variables() async throws {
        try await withGateway { gateway in
            let backends = try gateway.backends([gateway.connection("demo", of: alice)])
            let before = try await made(gateway, backends)
            let id = InputValue.string(try #require(before["id"]?.string))
            let fields = """
                mutation M($id: ID!, $title: String, $dueOn: Date) {
                  updateGoal(id: $id, input: { title: $title, dueOn: $dueOn }) { goal \(Self.selection) } }
                """
            let whole = """
                mutation M($id: ID!, $input: GoalPatch!) {
                  updateGoal(id: $id, input: $input) { goal \(Self.selection) } }
                """
            func goal(_ query: String, _ variables: InputObject) async throws -> JSONValue? {
                try await gateway.ask(query, as: alice, backends, variables: variables)["data"]?[
                    "updateGoal"]?[
                        "goal"]
            }
            #expect(try await goal(fields, ["id": id]) == before)
            #expect(try await goal(whole, ["id": id, "input": .object(InputObject())]) == before)
            let dated = try await goal(fields, ["id": id, "dueOn": .string("2040-01-01")])
            #expect(dated?["dueOn"] == "2040-01-01" && dated?["title"] == "House")
            let undated = try await goal(whole, ["id": id, "input": .object(["dueOn": .null])])
            #expect(undated?["dueOn"] == .null && undated?["title"] == "House")
        }
    }

    /// A mutation beside a goal with 60 % of KO, and how it is refused.
    struct Refusal: CustomTestStringConvertible {
        let mutation: String
        let code: String
        let message: String
        var testDescription: String { mutation }

        init(_ mutation: String, code: String = "BAD_USER_INPUT", _ message: String) {
            self.mutation = mutation
            self.code = code
            self.message = message
        }

        static func create(_ fields: String, _ message: String) -> Refusal {
            Refusal("createGoal(input: { \(fields), allocations: [] })", message)
        }

        /// The second allocation of a goal.
        static func allocate(
            _ allocation: String, _ code: String = "BAD_USER_INPUT", at field: String, _ message: String
        ) -> Refusal {
            Refusal(
                """
                createGoal(input: { title: "a", target: 1, allocations: [{ symbol: "AAPL" }, \(allocation)] })
                """, code: code, "Argument \"input.allocations[1].\(field)\": \(message)")
        }

        static let all: [Refusal] = [
            .create(#"title: " ", target: 1"#, #"Argument "input.title": It is empty."#),
            .create(
                "title: \"\(String(repeating: "x", count: 101))\", target: 1",
                #"Argument "input.title": It has 101 characters; at most 100 are allowed."#),
            .create(
                #"title: "a", target: 0"#, #"Argument "input.target": It is 0; it must be above 0."#),
            .create(
                #"title: "a", target: "-1.50""#, #"Argument "input.target": It is -1.50; it must be above 0."#
            ),
            .create(
                #"title: "a", target: "1e3x""#,
                #"Argument "input.target": "1e3x" is not a decimal number of at most 38 digits, like "1234.56"."#
            ),
            .create(
                #"title: "a", target: "0.123456789""#,
                #"Argument "input.target": It is 0.123456789; it may have 8 digits after the point at most."#),
            .create(
                #"title: "a", target: 1, currency: "usd""#,
                #"Argument "input.currency": "usd" is not a currency. Use a code of ISO 4217, such as USD."#),
            .create(
                #"title: "a", target: 1, dueOn: "2031-02-29""#,
                #"Argument "input.dueOn": Expected a day of the calendar, like "2026-11-20"."#),
            .allocate(
                #"{ symbol: "NOSUCH" }"#, "ASSET_NOT_FOUND", at: "symbol",
                "No connected account holds NOSUCH."),
            // It is owed, not held.
            .allocate(
                #"{ symbol: "TSLA" }"#, "ASSET_NOT_FOUND", at: "symbol", "No connected account holds TSLA."),
            .allocate(
                #"{ symbol: "KO", accountId: "Account:demo:nobody" }"#, "NOT_FOUND", at: "accountId",
                #"There is no account "Account:demo:nobody"."#),
            .allocate(
                #"{ symbol: "KO", share: { quantity: 0 } }"#, at: "share.quantity",
                "It is 0; it must be above 0."),
            .allocate(
                #"{ symbol: "KO", share: { percentage: "100.01" } }"#, at: "share.percentage",
                "It is 100.01; it may be 100 at most."),
            .allocate(
                #"{ symbol: "KO", share: { quantity: 121 } }"#, at: "share",
                "Of 120 KO held, 72 are allocated otherwise; 121 more would be too many."),
            .allocate(
                #"{ symbol: "KO", share: { percentage: 41 } }"#, at: "share",
                "Of 120 KO held, 72 are allocated otherwise; 49.2 more would be too many."),
            Refusal(
                "updateGoal(id: $id, input: { title: null })",
                #"Argument "input.title": It cannot be null; leave it out to keep what there is."#),
            Refusal(
                "updateGoal(id: $id, input: { target: -1 })",
                #"Argument "input.target": It is -1; it must be above 0."#),
            Refusal(
                #"updateGoal(id: $id, input: { title: "changed", allocations: [{ symbol: "NOSUCH" }] })"#,
                code: "ASSET_NOT_FOUND",
                #"Argument "input.allocations[0].symbol": No connected account holds NOSUCH."#),
            Refusal(
                #"updateGoal(id: "Goal:x", input: { title: "a" })"#, code: "NOT_FOUND",
                #"There is no goal "Goal:x"."#),
            Refusal(
                #"deleteGoal(id: "Watchlist:x")"#, code: "NOT_FOUND", #"There is no goal "Watchlist:x"."#),
        ]
    }

    @Test("that are rejected name the field, and store nothing", arguments: Refusal.all)
    func refuses(_ refusal: Refusal) async throws {
        try await withGateway { gateway in
            let backends = try gateway.backends([gateway.connection("demo", of: alice)])
            let id = try await GoalTests.create(
                gateway, backends,
                #"{ title: "House", target: 100, allocations: [{ symbol: "KO", share: { percentage: 60 } }] }"#
            )
            let before = try await gateway.ask(Self.all, as: alice, backends)
            let needsID = refusal.mutation.contains("$id")
            let selection = refusal.mutation.hasPrefix("delete") ? "deletedId" : "goal { id }"
            let answer = try await gateway.ask(
                "mutation M\(needsID ? "($id: ID!)" : "") { it: \(refusal.mutation) { \(selection) } }",
                as: alice, backends, variables: needsID ? ["id": .string(id)] : InputObject())
            #expect(answer["data"]?["it"] == .null)
            #expect(answer.failures == [FieldFailure("it", refusal.code, nil)])
            #expect(answer["errors"]?[0]?["message"]?.string == refusal.message)
            #expect(try await gateway.ask(Self.all, as: alice, backends) == before)
        }
    }

    @Test(
        "fail if a broker does not respond: its positions are unknown, not empty",
        arguments: ["GET /v2/positions", "GET /v2/account"])
    func unreadable(endpoint: String) async throws {
        try await withGateway { gateway in
            let backends = try gateway.backends([gateway.connection("demo", of: alice)])
            #expect(gateway.sandbox.faults.add(Fault(.status(500), endpoint: endpoint)))
            let answer = try await gateway.ask(
                """
                mutation { createGoal(input: { title: "a", target: 1, allocations: [{ symbol: "NOSUCH" }] }) {
                  goal { id } } }
                """, as: alice, backends)
            #expect(answer.failures == [FieldFailure("createGoal", "PROVIDER_UNAVAILABLE")])
            gateway.sandbox.faults.reset()
            #expect(try await gateway.ask(Self.all, as: alice, backends)["data"]?["goals"] == .array([]))
        }
    }

    @Test("that are concurrent allocate no share twice")
    func together() async throws {
        try await withGateway { gateway in
            let backends = try gateway.backends([gateway.connection("demo", of: alice)])
            let made = try await withThrowingTaskGroup(of: Bool.self) { group in
                for _ in 0..<30 {
                    group.addTask {
                        let answer = try await gateway.ask(
                            """
                            mutation { createGoal(input: { title: "a", target: 1,
                                allocations: [{ symbol: "KO", share: { quantity: 25 } }] }) { goal { id } } }
                            """, as: alice, backends)
                        let refusal = FieldFailure("createGoal", "BAD_USER_INPUT", nil)
                        #expect(answer.failures == [] || answer.failures == [refusal], "\(answer)")
                        return answer.failures.isEmpty
                    }
                }
                return try await group.reduce(0) { $0 + ($1 ? 1 : 0) }
            }
            // Of 120 pieces.
            #expect(made == 4)
        }
    }
}
