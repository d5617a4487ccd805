import Contract
import GraphQL
import Sandbox
import TestSupport
import Testing

@Suite("The contract, field by field")
struct ContractTests {
    /// Types that describe failures, or figures for which a broker's data have gaps.
    ///
    /// A healthy gateway has no object of them, because the sandbox's brokers report all activities and prices.
    private static let failureTypes = ["Failure", "MissingCost", "OrderRejection", "Undetermined"]

    @Test("the sandbox returns every type that queries reach, with every field, as the schema states")
    func everyField() async throws {
        // The descriptions of all holdings require more calls than Polygon's free plan allows in a minute.
        try await withTestGateway(settings: ["PORTICO_POLYGON_PER_MINUTE": "100000"]) { configuration in
            configuration.polygon.requestsPerMinute = 100_000
            configuration.hours = .always
        } _: { gateway in
            let schema = try Schema.build(Contract.schemaText)
            try await createUserData(gateway)
            var run = ContractRun(schema) { query in
                try await gateway.ask(query)
            }
            try await run.run()
            #expect(run.violations.isEmpty)
            let missing = run.unanswered.filter { type in
                !Self.failureTypes.contains { type.hasPrefix($0 + " ") }
            }
            #expect(missing.isEmpty)
        }
    }

    /// Runs the mutations of real screens with their examples, so that there is something of what users make.
    private func createUserData(_ gateway: TestGateway) async throws {
        for document in OperationDocument.mutations {
            let answer = try await document.ask(gateway)
            #expect(answer["errors"] == nil, "\(document.name)")
        }
        try await gateway.makeFiringAndWebhook()
        try await closePosition(gateway)
    }

    /// Sells a part of a position at Saxo, so that the account has a position that was closed today, in the instrument with
    /// which the variant of this account is requested.
    private func closePosition(_ gateway: TestGateway) async throws {
        let accounts = try await gateway.ask("{ account(provider: SAXO) { id } }")
        let id = try #require(accounts["data"]?["account"]?["id"]?.string, "\(accounts)")
        let answer = try await gateway.ask(
            """
            mutation { placeOrder(input: { idempotencyKey: "close" accountId: "\(id)" instrument: { symbol: "EUR/USD" }
                side: SELL size: { quantity: "1000" } price: { market: true } timeInForce: DAY }) {
                order { state } } }
            """)
        #expect(answer.failures.isEmpty, "\(answer)")
        // The order is filled a moment later.
        try await waitUntil {
            let answer = try await gateway.ask(
                "{ node(id: \"\(id)\") { ... on Account { closedPositions(symbols: [\"EUR/USD\"]) { nodes { symbol } } } } }"
            )
            return answer["data"]?["node"]?["closedPositions"]?["nodes"]?.elements?.isEmpty == false
        }
    }
}
