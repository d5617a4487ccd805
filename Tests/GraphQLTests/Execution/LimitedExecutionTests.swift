import GraphQL
import Testing

@Suite("Limits in execution")
struct LimitedExecutionTests {
    private func schema(_ options: ExecutionOptions = ExecutionOptions()) throws -> ExecutableSchema<Ledger> {
        try ExecutableSchema(
            Schema.build(ledgerSDL), query: LedgerQuery(), mutation: LedgerMutation(),
            subscription: LedgerSubscription(), context: Ledger.self, options: options)
    }

    private func respond(_ request: GraphQLRequest, _ schema: ExecutableSchema<Ledger>) async throws -> String
    {
        let response = try await schema.respond(to: request, context: Ledger()).value()
        return String(decoding: response.body, as: UTF8.self)
    }

    @Test("an operation past a limit is refused, each time that it is asked")
    func refuses() async throws {
        let aliases = (0...30).map { "a\($0): total" }.joined(separator: " ")
        let schema = try schema()
        for _ in 0..<3 {
            let answer = try await respond(GraphQLRequest("{ \(aliases) }"), schema)
            #expect(answer.contains("_LIMIT_EXCEEDED"), "\(answer)")
            #expect(!answer.contains("\"data\""))
        }
    }

    @Test("limits are settings")
    func areSettings() async throws {
        var options = ExecutionOptions()
        options.limits = .unlimited
        let aliases = (0...30).map { "a\($0): total" }.joined(separator: " ")
        #expect(
            try await respond(GraphQLRequest("{ \(aliases) }"), schema(options)).hasPrefix(
                #"{"data":{"a0":0,"#))
    }

    @Test("the cost is told to who asks for it, and to nobody else, whoever asks first")
    func tellsCost() async throws {
        let schema = try schema()
        for _ in 0..<2 {
            #expect(try await respond(GraphQLRequest("{ total }"), schema) == #"{"data":{"total":0}}"#)
            let asked = try await respond(
                GraphQLRequest("{ total }", extensions: ["cost": .boolean(true)]), schema)
            #expect(asked.hasPrefix(#"{"data":{"total":0},"extensions":{"cost":{"#), "\(asked)")
        }
    }
}
