import GraphQL
import Synchronization
import TestSupport
import Testing

/// Operations over fields that are loaded, some of them later than others.
@Suite("Incremental delivery of loads")
struct IncrementalLoadTests {
    private static let types: IncrementalOperations.Types = [
        "Query": (["__typename"], ["root": "Node", "all": "[Node", "lateRoot": "Node"]),
        "Node": (
            ["id", "name", "slow", "late"],
            ["child": "Node", "lateChild": "Node", "children": "[Node", "lateChildren": "[Node"]
        ),
    ]

    private static func schema() throws -> ExecutableSchema<LoadCount> {
        var options = ExecutionOptions()
        // Lists within lists exceed the default.
        options.limits.cost = 1_000_000
        return try ExecutableSchema(
            Schema.build(
                """
                type Query { root: Node all: [Node!] lateRoot: Node }
                type Node {
                  id: Int! name: String slow: Int late: Int child: Node lateChild: Node children: [Node!]
                  lateChildren: [Node!]
                }
                """, incrementalDelivery: true), query: NodeQuery(), context: LoadCount.self, options: options
        )
    }

    @Test(
        "gives the data of the same operation without directives, and no part before the part around it",
        arguments: [IncrementalFormat.pendingAndCompleted, .labelAndPath])
    func generated(format: IncrementalFormat) async throws {
        let schema = try Self.schema()
        var generator = IncrementalOperations(of: Self.types, seed: 11)
        var severalCount = 0
        for _ in 0..<IncrementalOperations.count {
            let document = generator.operation()
            let request = schema.prepare(GraphQLRequest(document))
            let response = try await schema.deliver(request, context: LoadCount(), in: format).value()
            var payloads = [response.first]
            if let rest = response.rest {
                for await payload in rest { payloads.append(payload) }
            }
            if payloads.count > 1 { severalCount += 1 }
            let merged = try MergedPayloads(
                payloads.map { try JSONValue(parsing: $0.body) }, format, of: document)
            let plain = IncrementalOperations.plain(document)
            let expected = try await schema.respond(to: GraphQLRequest(plain), context: LoadCount()).value()
            #expect(merged.data == (try JSONValue(parsing: expected.body))["data"], "\(document)")
            #expect(merged.isEnded, "\(document)")
            // In the current format, the available parts of a fragment are in the first payload, and streams in them can end
            // before the fragment does.
            #expect(merged.isOrdered || format == .pendingAndCompleted, "\(document)")
        }
        #expect(severalCount > IncrementalOperations.count / 4)
    }

    @Test(
        "divides the list of each kind of field, except one whose items are created while they are written",
        arguments: [
            ("plain", true), ("stored", true), ("optional", true), ("failable", true), ("result", true),
            ("counted(to: 3)", true), ("lazy", false),
        ])
    func streamedLists(field: String, isDivided: Bool) async throws {
        let schema = try ExecutableSchema(
            Schema.build(
                """
                type Query {
                  plain: [Node!]! stored: [Node!]! optional: [Node!] failable: [Node!] result: [Node!]
                  counted(to: Int!): [Node!] lazy: [Node!]!
                }
                type Node {
                  id: Int! name: String slow: Int late: Int child: Node lateChild: Node children: [Node!]
                  lateChildren: [Node!]
                }
                """, incrementalDelivery: true), query: ListQuery(), context: LoadCount.self)
        // What is available is in the first payload, so the items have a load that ends later.
        let request = schema.prepare(
            GraphQLRequest("{ list: \(field) @stream(initialCount: 1) { late } }"))
        let response = try await schema.deliver(
            request, context: LoadCount(), in: .pendingAndCompleted
        ).value()
        var payloads = [response.first]
        if let rest = response.rest {
            for await payload in rest { payloads.append(payload) }
        }
        let first = try JSONValue(parsing: response.first.body)["data"]?["list"]?.elements
        #expect(first?.count == (isDivided ? 1 : 3))
        let merged = try MergedPayloads(
            payloads.map { try JSONValue(parsing: $0.body) }, .pendingAndCompleted, of: field)
        let all = try JSONValue(parsing: #"{"list":[{"late":100},{"late":200},{"late":300}]}"#)
        #expect(merged.data == all)
        #expect(merged.isEnded)
    }
}

private struct ListQuery: GraphQLObject {
    typealias Context = LoadCount

    let nodes = (1...3).map(LoadedNode.init)

    static let graphQL = ObjectType<ListQuery>("Query") {
        Field("plain") { $0.nodes }
        Field("stored", \.nodes)
        Field("optional") { Optional($0.nodes) }
        Field("failable", throwing: { Optional($0.nodes) })
        Field("result") { Result<[LoadedNode]?, any Error>.success($0.nodes) }
        Field("counted", CountArguments.self) { query, arguments in
            Optional(Array(query.nodes.prefix(arguments.to)))
        }
        Field("lazy") { LazyMapList($0.nodes) }
    }
}

private struct CountArguments: GraphQLArguments {
    let to: Int

    init(_ arguments: ArgumentReader) throws {
        to = try arguments["to"]
    }
}

/// The number of loads of one operation; each ends after a different number of turns of other tasks.
private final class LoadCount: Sendable {
    private let count = Atomic(0)

    func wait() async {
        let number = count.wrappingAdd(1, ordering: .relaxed).newValue
        for _ in 0..<(number * 7 % 5) { await Task.yield() }
    }
}

private struct NodeQuery: GraphQLObject {
    typealias Context = LoadCount

    static let graphQL = ObjectType<NodeQuery>("Query") {
        Field("root") { _ in Optional(LoadedNode(id: 1)) }
        Field("all") { _ in Optional([LoadedNode(id: 1), LoadedNode(id: 2), LoadedNode(id: 3)]) }
        Field(
            "lateRoot",
            once: { loads -> MaybeAsync<LoadedNode?> in
                .async {
                    await loads.wait()
                    return LoadedNode(id: 4)
                }
            })
    }
}

private struct LoadedNode: GraphQLObject {
    typealias Context = LoadCount

    let id: Int

    /// A load that ends later.
    static func late<Parent: Sendable, Value: Sendable>(
        _ value: @escaping @Sendable (Parent) -> Value
    ) -> @Sendable ([Parent], LoadCount) -> MaybeAsync<[Result<Value?, any Error>]> {
        { parents, loads in
            .async {
                await loads.wait()
                return parents.map { .success(value($0)) }
            }
        }
    }

    static let graphQL = ObjectType<LoadedNode>("Node") {
        Field("id") { $0.id }
        Field("name") { Optional("n\($0.id)") }
        Field("slow", load: late { (node: LoadedNode) in node.id * 10 })
        Field("late", load: late { (node: LoadedNode) in node.id * 100 })
        Field("child") { Optional(LoadedNode(id: $0.id % 1_000 * 2)) }
        Field("lateChild", load: late { (node: LoadedNode) in LoadedNode(id: node.id % 1_000 * 3) })
        Field("children") { node in Optional((0..<node.id % 4).map { LoadedNode(id: node.id + $0) }) }
        Field(
            "lateChildren",
            load: late { (node: LoadedNode) in (0..<node.id % 3).map { LoadedNode(id: node.id + $0) } })
    }
}
