import Contract
import GraphQL
import GraphQLTools
import TestSupport
import Testing

/// The run itself, over a mock: a harness that finds nothing must be known to find something.
@Suite("The contract test harness")
struct ContractRunTests {
    private func run(_ sdl: String, answers: InputObject = InputObject()) async throws -> ContractRun {
        let schema = try Schema.build(sdl)
        let mock = try MockSchema(schema, responses: answers)
        var run = ContractRun(schema) { query in
            try JSONValue(parsing: mock.respond(to: GraphQLRequest(query)).body)
        }
        try await run.run()
        return run
    }

    /// Values for what a mock, which makes up each field by itself, does not keep together.
    private static func pages(of schema: Schema) -> InputObject {
        var answers: InputObject = ["PageInfo.endCursor": .string("c")]
        for type in schema.types {
            if type.field(named: "cursor") != nil { answers["\(type.name).cursor"] = .string("c") }
            guard type.field(named: "pageInfo") != nil else { continue }
            for list in ["edges", "nodes"] {
                answers["\(type.name).\(list)"] = .list([.object(InputObject())])
            }
        }
        return answers
    }

    @Test("requests every field that queries reach, and finds no error in a mock of the contract")
    func contract() async throws {
        let schema = try Schema.build(Contract.schemaText)
        let run = try await run(Contract.schemaText, answers: Self.pages(of: schema))
        #expect(run.violations.isEmpty)
        #expect(run.unanswered.isEmpty)
        let fields = schema.types.filter { $0.isComposite && !$0.name.hasPrefix("__") }
            .flatMap { type in type.fields.map { "\(type.name).\($0.name)" } }
            .filter { !$0.hasPrefix("Mutation.") && !$0.hasPrefix("Subscription.") }
        let reachable = fields.filter { field in run.paths.keys.contains { field.hasPrefix($0 + ".") } }
        #expect(Set(reachable).subtracting(run.asked).isEmpty)
        #expect(run.asked.count >= reachable.count)
    }

    @Test("names an error in a response and its location")
    func findings() async throws {
        let run = try await run(
            """
            type Query { account: Account items: ItemConnection! }
            type Account { id: ID! equity: Decimal since: DateTime kind: Kind strange: Odd parent: Account }
            type ItemConnection { edges: [ItemEdge!]! nodes: [Item!]! pageInfo: PageInfo! }
            type ItemEdge { cursor: String! node: Item! }
            type Item { name: String! }
            type PageInfo { hasNextPage: Boolean! endCursor: String }
            enum Kind { A B }
            scalar Decimal scalar DateTime scalar Odd
            """,
            answers: [
                "Account.equity": .string("1e5"), "Account.since": .string("yesterday"),
                "Item.name": .object(["__error": .string("No name.")]),
                "ItemConnection.nodes": .list([]),
                "ItemConnection.pageInfo": .object(["hasNextPage": .boolean(true), "endCursor": .null]),
                "ItemEdge.cursor": .string("c"),
                "ItemConnection.edges": .list([.object(InputObject()), .object(InputObject())]),
            ])
        let wrong = run.violations.joined(separator: "\n")
        #expect(wrong.contains(#"Query.account: data.account.equity: string("1e5") is no Decimal"#))
        #expect(wrong.contains(#"data.account.since: string("yesterday") is no DateTime"#))
        #expect(wrong.contains("data.account.strange: nobody has said what a Odd looks like"))
        #expect(wrong.contains("ItemConnection: data.items: 2 edges, but 0 nodes"))
        #expect(wrong.contains("ItemConnection: data.items: a cursor comes twice"))
        #expect(
            wrong.contains(
                "ItemConnection: data.items: there is a next page, but no endCursor to ask for it with"))
        #expect(run.unanswered.contains { $0.hasPrefix("ItemEdge ") && $0.contains("No name.") })
    }

    @Test("accepts UNSUPPORTED only at a field whose description states it")
    func unsupported() async throws {
        let sdl = """
            type Query {
                "UNSUPPORTED if the broker has none."
                first: Item
                second: Item
            }
            type Item { name: String }
            """
        var run = ContractRun(try Schema.build(sdl)) { query in
            let field = query.contains("first") ? "first" : "second"
            return try JSONValue(
                parsing: """
                    {"data": {"\(field)": null}, "errors": [{"message": "None.", "path": ["\(field)"],
                        "extensions": {"code": "UNSUPPORTED"}}]}
                    """)
        }
        try await run.run()
        #expect(run.violations == ["Query.second: second: None."])
    }

    @Test("names fields that it cannot request, and types that no field returns")
    func gaps() async throws {
        let run = try await run(
            """
            type Query { odd(what: Whatever!): Odd gone: Gone node(id: ID!): Odd }
            scalar Whatever
            type Odd { name: String }
            type Gone { name: String }
            """, answers: ["Query.gone": .null])
        #expect(
            run.violations == [
                "Query.odd: there is no example for its arguments",
                "Query.node: there is no example for its arguments",
            ])
        #expect(
            run.unanswered == ["Gone (tried: gone #0, gone #1, gone #2, gone #3)", "Odd (tried: no way)"])
    }
}
