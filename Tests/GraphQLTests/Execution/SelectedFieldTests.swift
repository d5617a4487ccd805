import GraphQL
import Synchronization
import TestSupport
import Testing

@Suite("A field that is loaded as far as its selected fields need it")
struct SelectedFieldTests {
    private static func schema() throws -> ExecutableSchema<SelectionLog> {
        try ExecutableSchema(
            Schema.build(
                """
                type Query { box: Basket }
                type Basket { content: Content }
                type Content { apples: Int pears: Int inner: Content }
                """), query: BasketQuery(), context: SelectionLog.self)
    }

    struct Example: CustomTestStringConvertible, Sendable {
        let testDescription: String
        let query: String
        var variables: InputObject = [:]
        let names: Set<String>

        static let all = [
            Example(
                testDescription: "fields by name, not by alias",
                query: "{ box { content { a: apples pears } } }",
                names: ["apples", "pears"]),
            Example(
                testDescription: "fields of fragments",
                query: "{ box { ... on Basket { content { ...F } } } } fragment F on Content { pears }",
                names: ["pears"]),
            Example(
                testDescription: "merged fields", query: "{ box { content { apples } content { pears } } }",
                names: ["apples", "pears"]),
            Example(
                testDescription: "fields that are not skipped",
                query:
                    "query ($v: Boolean!) { box { content { apples @skip(if: $v) pears @include(if: $v) } } }",
                variables: ["v": .boolean(true)], names: ["pears"]),
            Example(
                testDescription: "only the fields of the object itself",
                query: "{ box { content { inner { apples } } } }", names: ["inner"]),
            Example(
                testDescription: "the name of the type", query: "{ box { content { __typename } } }",
                names: ["__typename"]),
        ]
    }

    @Test("gets the names of these fields", arguments: Example.all)
    func names(_ example: Example) async throws {
        let log = SelectionLog()
        let response = try await Self.schema().respond(
            to: GraphQLRequest(example.query, variables: example.variables), context: log
        ).value()
        #expect(try JSONValue(parsing: response.body)["errors"] == nil)
        #expect(log.names == [example.names])
    }
}

/// The selected fields of each load.
private final class SelectionLog: Sendable {
    // A load may run on any thread.
    private let loads = Mutex<[Set<String>]>([])

    var names: [Set<String>] { loads.withLock(\.self) }

    func add(_ names: Set<String>) { loads.withLock { $0.append(names) } }
}

private struct BasketQuery: GraphQLObject {
    typealias Context = SelectionLog

    static let graphQL = ObjectType<BasketQuery>("Query") { Field("box") { _ in Optional(Basket()) } }
}

private struct Basket: GraphQLObject {
    typealias Context = SelectionLog

    static let graphQL = ObjectType<Basket>("Basket") {
        Field(
            "content",
            selecting: { boxes, names, log in
                log.add(names)
                return .ready(boxes.map { _ in .success(Optional(Content())) })
            })
    }
}

private struct Content: GraphQLObject {
    typealias Context = SelectionLog

    static let graphQL = ObjectType<Content>("Content") {
        Field("apples") { _ in Optional(1) }
        Field("pears") { _ in Optional(2) }
        Field("inner") { _ in Optional(Content()) }
    }
}
