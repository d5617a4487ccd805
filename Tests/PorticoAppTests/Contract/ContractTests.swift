import Contract
import GraphQL
import TestSupport
import Testing

@Suite("The contract, field by field")
struct ContractTests {
    /// Types that describe failures; a healthy gateway has no object of them.
    private static let failureTypes = ["Failure", "OrderRejection"]

    @Test("the sandbox returns every type that queries reach, with every field, as the schema states")
    func everyField() async throws {
        try await withTestGateway { gateway in
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
    }
}
