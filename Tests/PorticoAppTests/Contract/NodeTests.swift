import Brokerage
import Contract
import GraphQL
import Sandbox
import TestSupport
import Testing
import Upstream

@Suite("The ids of the contract")
struct NodeTests {
    /// The types of public objects.
    private static let publicTypes: Set = [
        "Article", "Chart", "Fundamentals", "Instrument", "MarketClock", "ProviderStatus", "Quote",
    ]

    /// A broker reports a disclaimer with an order only.
    private static let withoutNode: Set = ["Disclaimer"]

    @Test("every type with an id is a Node")
    func types() throws {
        let schema = try Schema.build(Contract.schemaText)
        let node = try #require(schema.typeID(named: "Node"))
        let others = schema.types.filter { type in
            guard case .object = type.kind, type.field(named: "id") != nil else { return false }
            return !schema.isSubtype(type.id, of: node)
        }
        #expect(Set(others.map(\.name)) == Self.withoutNode)
    }

    @Test(
        "each id of each response finds the same object at `node` and `nodes`; another user finds only public ones"
    )
    func everyID() async throws {
        let schema = try Schema.build(Contract.schemaText)
        try await withTestGatewayWithoutLimits { gateway in
            for document in OperationDocument.mutations { _ = try await document.ask(gateway) }
            try await gateway.makeFiringAndWebhook()
            let known = try await Self.typesByID(gateway, schema)
            let withID = schema.types.filter { type in
                if case .object = type.kind { type.field(named: "id") != nil } else { false }
            }
            #expect(Set(known.values) == Set(withID.map(\.name)).subtracting(Self.withoutNode))
            try await Self.expect(known, at: gateway, as: nil) { _ in true }
            let stranger = try gateway.user("stranger")
            // The session of a token of the settings has the same id for every user, and is each requester's
            // own.
            let ofOthers = known.filter { id, _ in
                id != "Session:settings" && !Self.isOfSaxo(id) && !Self.isContract(id)
            }
            try await Self.expect(ofOthers, at: gateway, as: stranger) { Self.publicTypes.contains($0) }
            // Saxo's prices need a connection to Saxo, which the other user does not have.
            for id in known.keys.filter(Self.isOfSaxo).sorted() {
                let answer = try await gateway.ask("{ node(id: \"\(id)\") { id } }", as: stranger)
                #expect(answer.failures.map(\.code) == ["UNSUPPORTED"], "\(id): \(answer)")
            }
            // No other provider has contracts for difference.
            for id in known.keys.filter(Self.isContract).sorted() {
                let answer = try await gateway.ask("{ node(id: \"\(id)\") { id } }", as: stranger)
                #expect(answer.failures.isEmpty && answer["data"]?["node"] == .null, "\(id): \(answer)")
            }
            // Again after a restart, without data in memory.
            try await Self.expect(known, at: gateway.restarted(), as: nil) { _ in true }
        }
    }

    private static func isOfSaxo(_ id: String) -> Bool {
        id.hasPrefix("Quote:saxo:") || id.hasPrefix("Chart:saxo:")
    }

    /// Whether it is an instrument of Saxo that is a contract for difference on another one.
    private static func isContract(_ id: String) -> Bool {
        id.hasPrefix("Instrument:") && id.contains(":Cfd")
    }

    /// The types of the objects in responses to generated and real operations, by their ids.
    private static func typesByID(_ gateway: TestGateway, _ schema: Schema) async throws -> [String: String] {
        var known: [String: String] = [:]
        func note(_ answer: JSONValue, to query: String) throws {
            let check = AnswerCheck(answer, to: try validate(parse(SourceText(query)), against: schema))
            known.merge(check.typesByID) { first, _ in first }
        }
        var answers: [(query: String, answer: JSONValue)] = []
        var run = ContractRun(schema) { query in
            let answer = try await gateway.ask(query)
            answers.append((query, answer))
            return answer
        }
        try await run.run()
        for document in OperationDocument.executable where document.isQuery {
            answers.append((document.text, try await document.ask(gateway)))
        }
        for (query, answer) in answers { try note(answer, to: query) }
        return fewOfEachSource(known)
    }

    /// Two ids of each source of market data, which have limits per minute while the clock is stopped, and two
    /// activities of each connection, of which there are hundreds.
    private static func fewOfEachSource(_ known: [String: String]) -> [String: String] {
        var counts: [String: Int] = [:]
        let ids = known.keys.sorted().filter { id in
            guard ["Activity", "Chart", "Quote"].contains(known[id]) else { return true }
            let source = id.split(separator: ":").prefix(2).joined(separator: ":")
            counts[source, default: 0] += 1
            return counts[source, default: 0] <= 2
        }
        return known.filter { ids.contains($0.key) }
    }

    /// Expects the ids whose types meet `isFound` to be found, and the others not to be found.
    private static func expect(
        _ known: [String: String], at gateway: TestGateway, as user: OwnerID?, where isFound: (String) -> Bool
    ) async throws {
        let ids = known.keys.sorted()
        for start in stride(from: 0, to: ids.count, by: 100) {
            let part = ids[start..<min(start + 100, ids.count)]
            let list = part.map { "\"\($0)\"" }.joined(separator: ",")
            let answer = try await gateway.ask("{ nodes(ids: [\(list)]) { __typename id } }", as: user)
            #expect(answer.failures.isEmpty, "\(answer.failures)")
            let nodes = try #require(answer["data"]?["nodes"]?.elements)
            try #require(nodes.count == part.count)
            for (id, node) in zip(part, nodes) { expect(node, id, known[id], isFound) }
        }
        for id in ids {
            gateway.clock.advance(by: .seconds(60))
            let answer = try await gateway.ask("{ node(id: \"\(id)\") { __typename id } }", as: user)
            #expect(answer.failures.isEmpty, "\(id): \(answer.failures)")
            expect(try #require(answer["data"]?["node"]), id, known[id], isFound)
        }
    }

    private static func expect(
        _ node: JSONValue, _ id: String, _ type: String?, _ isFound: (String) -> Bool
    ) {
        guard let type, isFound(type) else {
            #expect(node == .null, "\(id) is another user's")
            return
        }
        #expect(node["__typename"]?.string == type, "\(id)")
        #expect(node["id"]?.string == id)
    }

    @Test("that are invalid have no object, and cause no call")
    func malformed() async throws {
        try await withTestGateway { gateway in
            let ids = [
                "Nothing:1", "Instrument:", "Instrument:a b", "Article:alpaca:1", "Article:alpaca:x:1",
                "Article:NOBODY:0:1", "Position:", "Position:nobody:AAPL", "Account:nobody:1", "Session:x",
                "User:x", "Goal:x", "Alert:x", "AlertFiring:x", "Webhook:x", "Watchlist:x", "Order:nobody:1",
                "Connection:x",
                "Quote:AAPL", "Quote:NOBODY:AAPL", "Quote:alpaca:aapl", "Quote:alpaca:", "Chart:alpaca:AAPL",
                "Chart:alpaca:AAPL~", "Chart:alpaca:AAPL~interval=ONE_YEAR",
                "Chart:alpaca:AAPL~last=5,interval=ONE_DAY",
                "Chart:alpaca:AAPL~interval=ONE_DAY,range=MAX,from=2026-01-01T00:00:00Z",
                "Chart:alpaca:AAPL~interval=ONE_DAY,last=99999", "Fundamentals:a b", "MarketClock:NOBODY",
                "ProviderStatus:NOBODY", "Portfolio:USD", "Portfolio:nobody:USD", "GoalsProgress:nobody:USD",
                "WatchlistItem:AAPL", "WatchlistItem:AAPL@x", "WatchlistItem:AAPL@nobody:x",
            ]
            let list = ids.map { "\"\($0)\"" }.joined(separator: ",")
            let answer = try await gateway.ask("{ nodes(ids: [\(list)]) { id } }")
            #expect(answer.failures.isEmpty, "\(answer.failures)")
            #expect(answer["data"]?["nodes"]?.elements == ids.map { _ in .null })
            #expect(gateway.sandbox.calls.total == 0)
        }
    }

    @Test("of one kind are looked up together; more than a hundred are rejected")
    func together() async throws {
        try await withTestGateway { gateway in
            let answer = try await gateway.ask(
                """
                { nodes(ids: ["Instrument:AAPL", "Instrument:MSFT", "Instrument:AAPL", "Instrument:KO", "Instrument:AMD"]) {
                    ... on Instrument { symbol } } }
                """)
            #expect(
                answer["data"]?["nodes"]?.elements?.map { $0["symbol"]?.string }
                    == ["AAPL", "MSFT", "AAPL", "KO", "AMD"], "\(answer)")
            #expect(gateway.calls(of: .alpaca) == ["GET /v2/assets": 1])
            let many = [String](repeating: "\"Instrument:AAPL\"", count: 101).joined(separator: ",")
            let refused = try await gateway.ask("{ nodes(ids: [\(many)]) { id } }")
            #expect(refused.failures == [FieldFailure("nodes", "BAD_USER_INPUT", nil)])
            #expect(
                refused["errors"]?[0]?["message"]?.string
                    == "Argument \"ids\": It has 101 entries; at most 100 are allowed.")
        }
    }
}
