import GraphQL
import Testing

@Suite("Limits in execution")
struct LimitedExecutionTests {
    private func respond(_ request: Request, _ options: ExecutionOptions = ExecutionOptions()) async throws
        -> String
    {
        let schema = try ExecutableSchema(
            Schema.build(ledgerSDL), query: LedgerQuery(), mutation: LedgerMutation(),
            subscription: LedgerSubscription(), context: Ledger.self, options: options)
        let response = try await schema.respond(to: request, context: Ledger()).value()
        return String(decoding: response.body, as: UTF8.self)
    }

    @Test("an operation past a limit is refused, each time that it is asked")
    func refuses() async throws {
        let aliases = (0...30).map { "a\($0): total" }.joined(separator: " ")
        for _ in 0..<2 {
            let answer = try await respond(Request("{ \(aliases) }"))
            #expect(answer.contains("_LIMIT_EXCEEDED"), "\(answer)")
            #expect(!answer.contains("\"data\""))
        }
    }

    @Test("limits are settings")
    func areSettings() async throws {
        var options = ExecutionOptions()
        options.limits = .unlimited
        let aliases = (0...30).map { "a\($0): total" }.joined(separator: " ")
        #expect(try await respond(Request("{ \(aliases) }"), options).hasPrefix(#"{"data":{"a0":0,"#))
    }

    @Test("the cost is told to who asks for it, and to nobody else")
    func tellsCost() async throws {
        let asked = try await respond(Request("{ total }", extensions: ["cost": .boolean(true)]))
        #expect(asked.hasPrefix(#"{"data":{"total":0},"extensions":{"cost":{"#), "\(asked)")
        #expect(try await respond(Request("{ total }")) == #"{"data":{"total":0}}"#)
    }
}
