import Contract
import GraphQL
import Sandbox
import TestSupport
import Testing

@Suite("The contract, field by field")
struct ContractTests {
    /// Types that describe failures, and what a broker requires before an order; a healthy gateway has no object of them.
    private static let failureTypes = ["Disclaimer", "Failure", "OrderRejection"]

    /// Types of options and futures, which the sandbox does not have.
    private static let contractTypes = ["FutureContract", "Greeks", "OptionContract", "OptionQuote"]

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
                !(Self.failureTypes + Self.contractTypes).contains { type.hasPrefix($0 + " ") }
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
        try await tradeAtSaxo(gateway)
    }

    /// Sells a part of one position and increases another one, so that the account has a position that was closed today, and
    /// units without a known cost: Saxo reports the trades of a day on the next one.
    private func tradeAtSaxo(_ gateway: TestGateway) async throws {
        let accounts = try await gateway.ask("{ account(provider: \"saxo\") { id } }")
        let id = try #require(accounts["data"]?["account"]?["id"]?.string, "\(accounts)")
        for (side, quantity, symbol) in [("SELL", "1000", "EUR/USD"), ("BUY", "1", "AAPL")] {
            let answer = try await gateway.ask(
                """
                mutation { placeOrder(input: { idempotencyKey: "\(side)" accountId: "\(id)" side: \(side)
                    instrument: { symbol: "\(symbol)" } size: { quantity: "\(quantity)" }
                    timeInForce: DAY }) { order { state } } }
                """)
            #expect(answer.failures.isEmpty, "\(answer)")
        }
        // The orders are filled a moment later.
        try await waitUntil {
            let answer = try await gateway.ask(
                """
                { node(id: "\(id)") { ... on Account { closedPositions(symbols: ["EUR/USD"]) { nodes { symbol } } } }
                    portfolio { holdings(first: 5) { nodes { symbol profit { fifo { missing { quantity } } } } } } }
                """)
            let holdings = answer["data"]?["portfolio"]?["holdings"]?["nodes"]?.elements ?? []
            return answer["data"]?["node"]?["closedPositions"]?["nodes"]?.elements?.isEmpty == false
                && holdings.first { $0["symbol"] == "AAPL" }?["profit"]?["fifo"]?["missing"]?.elements?
                    .isEmpty == false
        }
    }
}
