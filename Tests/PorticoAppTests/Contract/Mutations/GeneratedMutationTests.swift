import Contract
import GraphQL
import IssuerSupport
import TestSupport
import Testing

@Suite("The contract, mutation by mutation")
struct GeneratedMutationTests {
    @Test(
        "the sandbox responds to every mutation as the schema states, with arguments generated from their types"
    )
    func everyMutation() async throws {
        let schema = try Schema.build(Contract.schemaText)
        let environment = [
            "PORTICO_PASSWORD_COST": "4", "PORTICO_SANDBOX_TIME": "2026-11-20T16:00:00Z",
            "PORTICO_WEBHOOK_TEST_RECEIVERS": "true",
        ]
        try await withIssuerServer(environment) { test in
            let server = test.server
            var run = MutationRun(schema) { query, token in
                let answer = try await server.ask(query, token: token)
                return try #require(answer.json, "\(answer.body)")
            }
            var approved: Set<String> = []
            var back: [String: String] = [:]
            try await run.run { told in
                // What nothing in a schema tells: the code of a consent comes with the user's browser. One broker is
                // enough; Saxo takes an order a second.
                if let url = told["url"], url.contains("/alpaca"), approved.insert(url).inserted {
                    back = try await Browser.approve(url, as: "demo")
                } else if let url = told["url"], url.hasPrefix(test.issuer.url), approved.insert(url).inserted
                {
                    back = try test.issuer.approve(url)
                }
                return back
            }
            #expect(run.undone.isEmpty)
            #expect(run.untaken.isEmpty)
            #expect(run.violations.isEmpty)
            let payloads = try #require(schema.mutationType.map { schema[$0].fields.map(\.type.type) })
            for type in Set(payloads).map({ schema[$0] }) + [schema[try #require(schema.mutationType)]] {
                for field in type.fields {
                    #expect(run.asked.contains("\(type.name).\(field.name)"))
                }
            }
        }
    }

    @Test("a mutation that fails, or whose arguments cannot be generated, is named")
    func gaps() async throws {
        let text = """
            type Query { a: Int }
            type Mutation { make(by: Whatever!): Payload change(id: ID!): Payload drop(size: Size!): Payload }
            type Payload { id: ID }
            input Size @oneOf { small: Boolean large: Boolean }
            scalar Whatever
            """
        let schema = try Schema.build(text)
        var run = MutationRun(schema) { query, _ in
            try JSONValue(
                parsing: query.contains("small")
                    ? #"{"data":{"drop":{"__typename":"Payload","id":"1"}}}"#
                    : #"{"data":{"change":null,"drop":null},"errors":[{"message":"No."}]}"#)
        }
        try await run.run { _ in [:] }
        #expect(run.undone == ["make: its arguments cannot be made", "change: No."])
        #expect(run.untaken == ["Size.large"])
    }
}
