import GraphQL
import Testing

/// An operation, and the cache policy of its response.
struct CachePolicyCase: CustomTestStringConvertible, Sendable {
    let operation: String
    let maxAge: Int
    var isPrivate = false
    /// `line:column coordinate` of the fields that determine the policy.
    let shortest: [String]

    var testDescription: String { operation }
}

@Suite("How long an answer may be kept")
struct CachePolicyTests {
    private static let schema = """
        directive @cacheControl(maxAge: Int, scope: CacheScope = PUBLIC) on FIELD_DEFINITION | OBJECT | INTERFACE | UNION
        enum CacheScope { PUBLIC PRIVATE }
        type Query {
          account: Account @cacheControl(maxAge: 2, scope: PRIVATE)
          quotes: [Quote!] @cacheControl(maxAge: 60)
          clock: Clock
          now: String
          holding: Holding @cacheControl(maxAge: 100)
          node: Node @cacheControl(maxAge: 100)
        }
        type Mutation { refresh: Clock @cacheControl(maxAge: 60) }
        type Account { name: String, history: [Int!] @cacheControl(maxAge: 1), parts: [Part!] }
        type Part { name: String, secret: Int @cacheControl(scope: PRIVATE) }
        type Quote { price: Float, instrument: Clock, account: Account @cacheControl(maxAge: 90, scope: PRIVATE) }
        type Clock @cacheControl(maxAge: 10) { time: String }
        union Holding = Stock | Bond
        interface Node { id: ID }
        type Stock implements Node @cacheControl(maxAge: 50) { id: ID @cacheControl(maxAge: 40) }
        type Bond implements Node { id: ID, name: String }
        """

    private func policy(of operation: String, schema: String) throws -> (CachePolicy?, SourceText) {
        let document = try parse(SourceText(operation))
        let valid = try validate(document, against: Schema.build(schema))
        guard case .operation(let definition)? = document.definitions.first else {
            return (nil, document.source)
        }
        return (CachePolicy(of: definition, in: valid), document.source)
    }

    @Test(
        "is as long as the part that is kept shortest, and private where any part is",
        arguments: CachePolicyCase.all)
    func policies(_ test: CachePolicyCase) throws {
        let (found, source) = try policy(of: test.operation, schema: Self.schema)
        let policy = try #require(found)
        #expect(policy.maxAge == test.maxAge)
        #expect(policy.isPrivate == test.isPrivate)
        let shortest = policy.shortest.map { use in
            let place = source.location(of: use.span)
            return "\(place.line):\(place.column) \(use.coordinate)"
        }
        #expect(shortest == test.shortest)
    }

    @Test("is unknown where the schema has no cache hints")
    func unknown() throws {
        #expect(try policy(of: "{ a }", schema: "type Query { a: Int }").0 == nil)
    }
}

extension CachePolicyCase {
    static let all = [
        CachePolicyCase(operation: "{ quotes { price } }", maxAge: 60, shortest: ["1:3 Query.quotes"]),
        CachePolicyCase(
            operation: "{ quotes { price } account { name } }", maxAge: 2, isPrivate: true,
            shortest: ["1:20 Query.account"]),
        CachePolicyCase(
            operation: "{ account { history } }", maxAge: 1, isPrivate: true,
            shortest: ["1:13 Account.history"]),
        CachePolicyCase(
            operation: "{ account { ...a } } fragment a on Account { parts { name } h: history }", maxAge: 1,
            isPrivate: true, shortest: ["1:64 Account.history"]),
        CachePolicyCase(operation: "{ clock { time } }", maxAge: 10, shortest: ["1:3 Query.clock"]),
        CachePolicyCase(operation: "{ now quotes { price } }", maxAge: 0, shortest: ["1:3 Query.now"]),
        CachePolicyCase(
            operation: "{ quotes { instrument { time } } clock { time } }", maxAge: 10,
            shortest: ["1:12 Quote.instrument", "1:34 Query.clock"]),
        CachePolicyCase(
            operation: "{ quotes { account { parts { secret } } } }", maxAge: 60, isPrivate: true,
            shortest: ["1:3 Query.quotes"]),
        CachePolicyCase(
            operation: "{ holding { __typename } }", maxAge: 100, shortest: ["1:3 Query.holding"]),
        CachePolicyCase(operation: "{ node { id } }", maxAge: 40, shortest: ["1:10 Node.id"]),
        CachePolicyCase(
            operation: "{ ...r ... { quotes { price } } } fragment r on Query { now }", maxAge: 0,
            shortest: ["1:57 Query.now"]),
        CachePolicyCase(operation: "{ __typename }", maxAge: 0, shortest: []),
        CachePolicyCase(
            operation: "mutation { refresh { time } }", maxAge: 0, isPrivate: true, shortest: []),
    ]
}
