import GraphQL
import Synchronization
import Testing

@Suite("The limit of a response's bytes")
struct ResponseLimitTests {
    private func library(
        _ limit: Int?, _ presenter: ErrorFormatter = ErrorFormatter()
    ) throws -> ExecutableSchema<Library> {
        var options = ExecutionOptions()
        options.limits = .unlimited
        options.errorPresenter = presenter
        if let limit { options.limits.responseBytes = limit }
        return try ExecutableSchema(
            Schema.build(librarySDL), query: Query(), context: Library.self, options: options)
    }

    private func ledger(_ limit: Int) throws -> ExecutableSchema<Ledger> {
        var options = ExecutionOptions()
        options.limits.responseBytes = limit
        return try ExecutableSchema(
            Schema.build(ledgerSDL), query: LedgerQuery(), mutation: LedgerMutation(),
            subscription: LedgerSubscription(), context: Ledger.self, options: options)
    }

    private func text(_ response: GraphQLResponse) -> String {
        String(decoding: response.body, as: UTF8.self)
    }

    /// The response that replaces one that is too large.
    private func refusal(_ limit: Int, _ remark: String = "") -> String {
        #"{"errors":[{"message":"The response has more than \#(limit) bytes, which is the limit. "#
            + "Select fewer fields, or request fewer items.\(remark)\","
            + #""extensions":{"code":"RESPONSE_TOO_LARGE","limit":\#(limit)}}]}"#
    }

    /// The number of bytes that a writer may reserve in addition to those that it writes.
    private static let margin = 64

    @Test(
        "a response within it is complete, a response above it has only an error",
        arguments: [
            "{ books { id title pages price tags } }",
            "{ books { author { name } related { id related { title price } } } }",
            "{ books { strictAuthor { name } } }",
            "{ shelf { title ... on Magazine { issue editor { name } } ... on Book { id tags } } }",
            "{ grid { id pages } strictGrid { id flaw author { flaw } } none { id } later { id } }",
            "{ maybeBroken secret a: maybeBroken b: secret c: maybeBroken }",
            "{ broken }",
            #"{ echo(filter: {words: ["\"\\\n\u0001 plain", "ééé"]}) }"#,
            "{ __schema { types { name fields { name args { name defaultValue } } } } }",
        ])
    func isKept(_ query: String) async throws {
        func respond(_ limit: Int?) async throws -> GraphQLResponse {
            try await library(limit).respond(
                to: GraphQLRequest(query, extensions: ["cost": .boolean(true)]), context: Library()
            ).value()
        }
        let whole = try await respond(nil)
        let length = whole.body.count
        #expect(try await text(respond(length + Self.margin)) == text(whole))
        for limit in Set([1, 8, 9, length / 3, length / 2, length - 2, length - 1]) {
            let response = try await respond(limit)
            #expect(text(response) == refusal(limit))
            #expect(response.outcome == .requestError)
        }
    }

    @Test("it also applies to a schema without Swift types", arguments: ["[[Int]]", "[[Int!]!]!", "[JSON]"])
    func dynamic(_ type: String) throws {
        let schema = try Schema.build("scalar JSON type Query { list: \(type) }")
        let value = InputValue.object(["list": .list(Array(repeating: .list([.int(1), .int(2)]), count: 50))])
        func respond(_ limit: Int) -> GraphQLResponse {
            var options = ExecutionOptions()
            options.limits.responseBytes = limit
            return DynamicSchema(schema, options: options).execute(
                GraphQLRequest("{ list }"), rootValue: value)
        }
        let length = respond(.max).body.count
        #expect(respond(length + Self.margin).outcome == .complete)
        for limit in 1..<length { #expect(text(respond(limit)) == refusal(limit)) }
    }

    @Test("the buffer does not grow above it, except by the bytes of one value")
    func buffer() {
        let limit = 10_000
        var past: [Int] = []
        var capacities: [Int] = []
        var isOverLimit = false
        _ = ResponseWriter.bytes(expecting: 0, limit: limit) { writer in
            for _ in 0..<10_000 {
                writer.write("ten letters")
                writer.write(1.25)
                writer.write(json: ",")
                if writer.count > writer.capacity { past.append(writer.count) }
            }
            isOverLimit = writer.isOverLimit
            capacities.append(writer.capacity)
            writer.write(String(repeating: "x", count: 50_000))
            capacities.append(writer.capacity)
        }
        #expect(isOverLimit && past == [])
        #expect(capacities[0] <= limit && capacities[1] == 50_002)
    }

    @Test("items above it are not created")
    func stops() throws {
        let made = Mutex(0)
        let root = NumberedRoot { number in
            made.withLock { $0 += 1 }
            return Numbered(number: number)
        }
        var options = ExecutionOptions()
        options.limits.responseBytes = 1_000
        let schema = try ExecutableSchema(
            Schema.build("type Query { items: [Item!]! grid: [[Item]] } type Item { number: Int! }"),
            query: root, context: EmptyContext.self, options: options)
        for query in ["{ items { number } }", "{ a: items { number } b: items { number } }"] {
            guard
                case .ready(let response) = schema.respond(
                    to: GraphQLRequest(query), context: EmptyContext.shared)
            else {
                Issue.record("the response was not immediate")
                continue
            }
            #expect(text(response) == refusal(1_000))
            #expect(made.withLock { $0 } < 200)
        }
    }

    @Test("deferred parts count before they are announced, and the objects of others are not created")
    func deferredParts() async throws {
        let made = Mutex(0)
        let root = NumberedRoot { number in
            made.withLock { $0 += 1 }
            return Numbered(number: number)
        }
        var options = ExecutionOptions()
        options.limits.responseBytes = 10_000
        let schema = try ExecutableSchema(
            Schema.build(
                "type Query { items: [Item!]! grid: [[Item]] } type Item { number: Int! }",
                incrementalDelivery: true),
            query: root, context: EmptyContext.self, options: options)
        // In the older format, a part with a key of its object is a payload of its own.
        let request = schema.prepare(GraphQLRequest("{ items { number ... @defer { number } } }"))
        let response = try await schema.deliver(request, context: EmptyContext.shared, in: .labelAndPath)
            .value()
        #expect(text(response.first) == refusal(10_000))
        #expect(response.rest == nil)
        #expect(made.withLock { $0 } < 300)
    }

    @Test("recorded failures count before they are presented")
    func failures() async throws {
        let presented = Mutex(0)
        let presenter = ErrorFormatter { _, _ in
            presented.withLock { $0 += 1 }
            return InputObject()
        }
        let secrets = (0..<100).map { "s\($0): secret" }.joined(separator: " ")
        let schema = try library(6_000, presenter)
        let response = try await schema.respond(to: GraphQLRequest("{ \(secrets) }"), context: Library())
            .value()
        #expect(text(response) == refusal(6_000))
        #expect(presented.withLock { $0 } == 0)
    }

    @Test("the error says that a mutation was run")
    func mutation() async throws {
        let state = Ledger()
        let response = try await ledger(20).respond(
            to: GraphQLRequest("mutation { add(amount: 1) { total } }"), context: state
        ).value()
        #expect(text(response) == refusal(20, " The mutation was run."))
        #expect(state.total == 1)
    }

    @Test("an event of a subscription above it is an error, and the next events follow")
    func subscription() async throws {
        let stream = try await ledger(80).subscribe(
            to: GraphQLRequest("subscription { entries(count: 3) { amount total } }"), context: Ledger()
        ).get()
        var responses: [String] = []
        for await response in stream { responses.append(text(response)) }
        #expect(
            responses == [
                #"{"data":{"entries":{"amount":1,"total":0}}}"#, refusal(80),
                #"{"data":{"entries":{"amount":3,"total":0}}}"#,
            ])
    }
}

private struct NumberedRoot: GraphQLObject {
    let make: @Sendable (Int) -> Numbered

    static let graphQL = ObjectType<NumberedRoot>("Query") {
        Field("items") { root in LazyMapList(NumberedItems(make: root.make)) }
        Field("grid") { root in [[root.make(0)]] as [[Numbered?]?]? }
    }
}

/// Many items, each created when it is read.
private struct NumberedItems: RandomAccessCollection, Sendable {
    let make: @Sendable (Int) -> Numbered

    var startIndex: Int { 0 }
    var endIndex: Int { 100_000 }
    subscript(index: Int) -> Numbered { make(index) }
}

private struct Numbered: GraphQLObject {
    let number: Int

    static let graphQL = ObjectType<Numbered>("Item") {
        Field("number", \.number)
    }
}
