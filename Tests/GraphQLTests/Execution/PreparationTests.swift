import GraphQL
import Testing

@Suite("Preparing a request")
struct PreparationTests {
    private func schema(_ change: (inout ExecutionOptions) -> Void = { _ in }) throws -> ExecutableSchema<
        Library
    > {
        var options = ExecutionOptions()
        change(&options)
        return try ExecutableSchema(
            Schema.build(librarySDL), query: Query(), context: Library.self, options: options)
    }

    @Test(
        "keeps valid documents in the cache, whatever the number of refused documents",
        arguments: [
            "{ __typename", "{ nothing }", "query Named { __typename }",
            "{ \((0..<40).map { "a\($0): __typename" }.joined(separator: " ")) }",
        ])
    func refusedDocuments(_ refused: String) throws {
        let schema = try schema { $0.documentCacheCapacity = 4 }
        let valid = GraphQLRequest("{ __typename }")
        #expect(try #require(respond(schema, valid)).outcome == .complete)
        for number in 0..<20 {
            let request = GraphQLRequest(
                "\(refused) # \(number)", operationName: refused.contains("Named") ? "Other" : nil)
            #expect(try #require(respond(schema, request)).outcome == .requestError)
        }
        let parsed = schema.parsedDocuments
        #expect(try #require(respond(schema, valid)).outcome == .complete)
        #expect(schema.parsedDocuments == parsed)
    }

    private func respond(_ schema: ExecutableSchema<Library>, _ request: GraphQLRequest) -> GraphQLResponse? {
        guard case .ready(let response) = schema.respond(to: request, context: Library()) else { return nil }
        return response
    }

    @Test("parses a document once for all its uses, also if it is refused")
    func once() throws {
        let schema = try schema()
        for (number, document) in ["{ __typename", "{ nothing }", "{ __typename }"].enumerated() {
            let request = schema.prepare(GraphQLRequest(document))
            _ = (request.operationType, request.cachePolicy, request.cacheIdentity)
            _ = schema.respond(to: request, context: Library())
            #expect(schema.parsedDocuments == number + 1)
            #expect(request.documentText == Array(document.utf8))
        }
    }

    @Test("returns the operation's type, and nil for a refused document")
    func type() throws {
        let schema = try schema()
        #expect(schema.prepare(GraphQLRequest("{ __typename }")).operationType == .query)
        #expect(schema.prepare(GraphQLRequest("{ nothing }")).operationType == nil)
        #expect(
            schema.prepare(GraphQLRequest("query A { __typename } query B { __typename }")).operationType
                == nil)
    }

    /// Pairs of requests, and whether both have the same response.
    static let pairs: [(one: GraphQLRequest, other: GraphQLRequest, isSame: Bool)] = [
        (echo("a"), echo("a"), true),
        (echo("a"), echo("b"), false),
        (echo("a"), echo("a", beside: ["undeclared": .string("b")]), true),
        (echo("\u{E9}"), echo("e\u{301}"), false),
        (echo("K"), echo("\u{212A}"), false),
        (echo("a", "A"), echo("a", "B"), false),
    ]

    private static func echo(
        _ word: String, _ operation: String = "A", beside others: InputObject = [:]
    ) -> GraphQLRequest {
        let text = "($word: String!) { echo(filter: {words: [$word]}) }"
        return GraphQLRequest(
            "query A\(text) query B\(text)", operationName: operation,
            variables: InputObject([(name: "word", value: .string(word))] + others.fields))
    }

    @Test(
        "makes cache keys from the bytes of the document, the operation and the declared variables",
        arguments: pairs)
    func cacheKeys(_ one: GraphQLRequest, _ other: GraphQLRequest, _ isSame: Bool) throws {
        let schema = try schema()
        let (one, other) = (schema.prepare(one), schema.prepare(other))
        let isSameOperation = try #require(one.cacheIdentity) == #require(other.cacheIdentity)
        #expect((isSameOperation && one.cacheVariables == other.cacheVariables) == isSame)
    }

    @Test("makes the same identity when a document is parsed again, and none for a refused request")
    func identities() throws {
        let schema = try schema { $0.documentCacheCapacity = 2 }
        let first = try #require(schema.prepare(Self.echo("a")).cacheIdentity)
        for number in 0..<4 { _ = schema.prepare(GraphQLRequest("{ a\(number): __typename }")) }
        let parsed = schema.parsedDocuments
        let second = try #require(schema.prepare(Self.echo("a")).cacheIdentity)
        #expect(schema.parsedDocuments == parsed + 1)
        #expect(first == second && first.hashValue == second.hashValue)
        #expect(schema.prepare(GraphQLRequest("{ nothing }")).cacheIdentity == nil)
        #expect(
            schema.prepare(GraphQLRequest(Self.echo("a").document, operationName: "A")).cacheIdentity == nil)
    }

    @Test("retains the coerced variables that the operation declares, and nothing else of the request")
    func retained() throws {
        let schema = try schema()
        let declared = schema.prepare(Self.echo("declared"))
        var request = Self.echo(
            "declared", beside: ["undeclared": .string(String(repeating: "x", count: 500_000))])
        request.extensions = ["undeclared": .list([.string("extension")])]
        let prepared = schema.prepare(request)
        #expect(prepared.retained.variables == declared.retained.variables)
        let longer = schema.prepare(Self.echo(String(repeating: "x", count: 500_000)))
        #expect(longer.retained.variables > declared.retained.variables + 490_000)
        #expect(texts(in: prepared).contains("declared"))
        #expect(Set(texts(in: prepared)) == Set(texts(in: declared)))
    }

    /// The texts of a value and of the values in it, except for objects that requests share.
    private func texts(in value: Any) -> [String] {
        if let text = value as? String { return [text] }
        let mirror = Mirror(reflecting: value)
        if mirror.displayStyle == .class, !(value is VariableValues) { return [] }
        return mirror.children.flatMap { texts(in: $0.value) }
    }

    @Test("does not match names that are only canonically equivalent")
    func names() throws {
        let schema = try schema()
        let kelvin = "\u{212A}"
        #expect(kelvin == "K", "Swift's strings are equal")
        let named = schema.respond(
            to: GraphQLRequest("query K { __typename }", operationName: kelvin), context: Library())
        let unknown = "Unknown operation named \\\"\(kelvin)\\\"."
        #expect(text(named)?.contains(unknown) == true)
        let given = schema.prepare(
            GraphQLRequest(
                "query($K: String = \"default\") { echo(filter: {words: [$K]}) }",
                variables: InputObject([(name: kelvin, value: .string("another"))])))
        #expect(text(schema.respond(to: given, context: Library()))?.contains("default") == true)
        let types = try Schema.build("type Query { k: K } enum K { K }")
        let type = try #require(types.type(named: "K"))
        #expect(types.type(named: kelvin) == nil)
        guard case .enum(let values) = type.kind else { return #expect(Bool(false), "K is an enum") }
        #expect(values.value(named: "K") != nil)
        #expect(values.value(named: kelvin) == nil)
    }

    private func text(_ response: MaybeAsync<GraphQLResponse>) -> String? {
        guard case .ready(let response) = response else { return nil }
        return String(decoding: response.body, as: UTF8.self)
    }
}
