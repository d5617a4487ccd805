import Brokerage
import Contract
import GraphQL
import GraphQLTools
import Sandbox
import TestSupport
import Testing

/// Cases of Apollo's federation-subgraph-compatibility suite, with types of Portico.
@Suite("A subgraph of Apollo Federation")
struct FederationTests {
    private static let environment = ["PORTICO_SUBGRAPH": "federation"]

    /// Objects of each type, with a key that several fields have together and keys of which a type has two.
    private static let sample = """
        { viewer { id } accounts { id } positions { id } orders { nodes { id } } watchlists { id } goals { id } \
        quote(symbol: "AAPL") { id symbol source } instrument(symbol: "MSFT") { id symbol } }
        """

    // MARK: - The schema for composition

    @Test("gives its schema at `_service`, as `portico schema print` does, with the directives")
    func service() async throws {
        let printed = try await Program.run(["schema", "print", "--subgraph", "federation"])
        #expect(printed.status == 0, "\(printed.errors)")
        try await withServer(environment: Self.environment) { server in
            let answer = try await server.ask("{ _service { sdl } }", token: nil)
            let sdl = try #require(answer.json?["data"]?["_service"]?["sdl"]?.string, "\(answer.body)")
            #expect(sdl == printed.output)
            for (feature, text) in [
                ("@link", #"url: "https://specs.apollo.dev/federation/v2.3""#),
                ("@link import", #"import: ["@key", "@shareable", "@tag"]"#),
                ("@key", #"type Order implements Node & Live @key(fields: "id") {"#),
                ("@key of several fields", #"@key(fields: "symbol source") {"#),
                (
                    "repeated @key",
                    #"type Instrument implements Node @key(fields: "id") @key(fields: "symbol") {"#
                ),
                ("@shareable", "type PageInfo @shareable {"),
                ("@tag", #"): OrderPayload @requires(scope: TRADE) @tag(name: "portico-trade")"#),
                ("@tag of sign-in", #"): SessionPayload @tag(name: "portico-sign-in")"#),
            ] {
                #expect(sdl.contains(text), "\(feature)")
            }
            // Composition adds these definitions itself.
            for text in ["_entities", "_Entity", "_Any", "federation__", "directive @key"] {
                #expect(!sdl.contains(text), "\(text)")
            }
        }
    }

    @Test("executes the public schema with the definitions of the specification")
    func executedSchema() async throws {
        try await withServer(environment: Self.environment) { server in
            let text = try await server.get("/schema.graphql").body
            let (released, schema) = try (Schema.build(Contract.schemaText), Schema.build(text))
            #expect(released.changes(to: schema).filter { $0.impact == .breaking }.isEmpty)
            let query = """
                { __schema { types { name kind possibleTypes { name } } } \
                __type(name: "Query") { fields { name args { name } type { kind } } } }
                """
            let answer = try await server.ask(query)
            let types = try #require(answer.json?["data"]?["__schema"]?["types"]?.elements, "\(answer.body)")
            let entity = types.first { $0["name"] == "_Entity" }
            #expect(
                entity?["possibleTypes"]?.elements?.compactMap { $0["name"]?.string } == [
                    "Account", "Goal", "Instrument", "Order", "Position", "Quote", "Viewer", "Watchlist",
                ])
            let fields = try #require(answer.json?["data"]?["__type"]?["fields"]?.elements)
            let entities = fields.first { $0["name"] == "_entities" }
            #expect(entities?["args"]?[0]?["name"] == "representations")
            #expect(entities?["type"]?["kind"] == "NON_NULL")
        }
    }

    @Test("hides its schema in production, with the remedy; entities are found")
    func production() async throws {
        try await withServer(["--production", "--sandbox"], environment: Self.environment) { server in
            let refused = try await server.ask("{ _service { sdl } }")
            #expect(refused.failures == [FieldFailure("_service.sdl", "FORBIDDEN", nil)])
            #expect(refused.message?.contains("portico schema print --subgraph federation") == true)
            let answer = try await Self.find(#"{"__typename":"Instrument","symbol":"AAPL"}"#, at: server)
            #expect(answer.json?["data"]?["_entities"]?[0]?["id"] == "Instrument:AAPL", "\(answer.body)")
        }
    }

    @Test("is off by default")
    func off() async throws {
        try await withServer { server in
            #expect(try await server.get("/schema.graphql").body == Contract.schemaText)
            let answer = try await server.ask("{ _service { sdl } }")
            #expect(answer.message == "Cannot query field \"_service\" on type \"Query\".")
        }
    }

    @Test("is refused with trusted documents only")
    func documentsOnly() async throws {
        let environment = Self.environment.merging(["PORTICO_DOCUMENTS_ONLY": "true"]) { $1 }
        let run = try await Program.run(["serve", "--sandbox", "--port", "0"], environment: environment)
        #expect(run.status == 2)
        #expect(
            run.errors.contains(
                "PORTICO_DOCUMENTS_ONLY refuses the documents that a gateway writes for PORTICO_SUBGRAPH."),
            "\(run.errors)")
    }

    // MARK: - Entities

    @Test("finds each entity by each of its keys, in the order of the representations")
    func keys() async throws {
        try await withServer(environment: Self.environment) { server in
            let goal = try await server.ask(
                """
                mutation { createGoal(input: { title: "A", description: "", target: "1", currency: "USD", allocations: [] }) \
                { goal { id } } }
                """)
            try #require(goal.failures.isEmpty, "\(goal.body)")
            let answer = try await server.ask(Self.sample)
            let data = try #require(answer.json?["data"], "\(answer.body)")
            let lists = ["Account": data["accounts"], "Position": data["positions"], "Goal": data["goals"]]
                .merging(["Order": data["orders"]?["nodes"], "Watchlist": data["watchlists"]]) { $1 }
            var ids = try lists.mapValues { try #require($0?[0]?["id"]?.string, "\(answer.body)") }
            for (type, field) in [("Viewer", "viewer"), ("Quote", "quote"), ("Instrument", "instrument")] {
                ids[type] = try #require(data[field]?["id"]?.string)
            }
            // A router sends all fields of a key, and may send fields that another service requires.
            var keys = ids.map { type, id in (type, ["id": id], id) }
            let (quote, instrument) = (ids["Quote"] ?? "", ids["Instrument"] ?? "")
            let source = data["quote"]?["source"]?.string ?? ""
            keys.append(("Quote", ["symbol": "AAPL", "source": source, "other": "1"], quote))
            keys.append(("Instrument", ["symbol": "msft"], instrument))
            keys.append(("Instrument", ["symbol": "MSFT"], instrument))
            let expected = keys.map { $0.2 }
            let fields = keys.map { type, fields, _ in
                ["__typename": type].merging(fields) { $1 }.sorted { $0.key < $1.key }
            }
            let inJSON = fields.map { fields in
                "{" + fields.map { "\"\($0.key)\":\"\($0.value)\"" }.joined(separator: ",") + "}"
            }
            let literals = fields.map { fields in
                "{ " + fields.map { "\($0.key): \"\($0.value)\"" }.joined(separator: ", ") + " }"
            }
            let byVariables = try await Self.find(inJSON.joined(separator: ","), at: server)
            let byLiterals = try await server.ask(
                "{ _entities(representations: [\(literals.joined(separator: ", "))]) { \(Self.selection) } }")
            for answer in [byVariables, byLiterals] {
                #expect(answer.failures.isEmpty, "\(answer.body)")
                let found = answer.json?["data"]?["_entities"]?.elements
                #expect(found?.compactMap { $0["id"]?.string } == expected, "\(answer.body)")
                #expect(found?.compactMap { $0["__typename"]?.string } == keys.map { $0.0 })
            }
            let variable = #"""
                {"query":"query ($id: ID!) { _entities(representations: [{ __typename: \"Viewer\", id: $id }]) \#
                { ... on Viewer { id } } }","variables":{"id":"\#(ids["Viewer"] ?? "")"}}
                """#
            let inObject = try await server.send(RawRequest.post(variable, fields: server.fields("sandbox")))
            #expect(
                inObject.json?["data"]?["_entities"]?[0]?["id"]?.string == ids["Viewer"], "\(inObject.body)")
        }
    }

    /// A representation, and the error of its item.
    struct Failing: CustomTestStringConvertible, Sendable {
        let testDescription: String
        let representation: String
        var argument = "representations[1]"
        /// The beginning, behind the argument.
        let message: String

        static let all = [
            Failing(
                testDescription: "no object", representation: #""AAPL""#,
                message: "Expected an object with `__typename` and the fields of a key."),
            Failing(
                testDescription: "no type", representation: #"{"id":"Instrument:AAPL"}"#,
                message: "Expected an object with `__typename` and the fields of a key."),
            Failing(
                testDescription: "another type", representation: #"{"__typename":"Chart","id":"Chart:1"}"#,
                message: """
                    "Chart" is no entity of Portico; the entities are Account, Goal, Instrument, Order, Position, Quote, \
                    Viewer, Watchlist.
                    """),
            Failing(
                testDescription: "no key", representation: #"{"__typename":"Order","id":null}"#,
                message: "`Order` is identified by `id`."),
            Failing(
                testDescription: "none of two keys",
                representation: #"{"__typename":"Instrument","isin":"1"}"#,
                message: "`Instrument` is identified by `id`, or by `symbol`."),
            Failing(
                testDescription: "half of a key", representation: #"{"__typename":"Quote","symbol":"AAPL"}"#,
                message: "`Quote` is identified by `id`, or by `symbol` and `source`."),
            Failing(
                testDescription: "an invalid field",
                representation: #"{"__typename":"Instrument","symbol":7}"#,
                message: "`symbol`: Expected a symbol."),
        ]
    }

    @Test("reports an invalid representation at its index, and finds the others")
    func invalid() async throws {
        try await withServer(environment: Self.environment) { server in
            let good = #"{"__typename":"Instrument","symbol":"AAPL"}"#
            for failing in Failing.all {
                let answer = try await Self.find(
                    [good, failing.representation, good].joined(separator: ","), at: server)
                #expect(
                    answer.failures == [FieldFailure("_entities.1", "BAD_USER_INPUT", nil)],
                    "\(failing.testDescription): \(answer.body)")
                #expect(
                    answer.message?.hasPrefix("Argument \"\(failing.argument)\": \(failing.message)") == true,
                    "\(failing.testDescription): \(answer.body)")
                let extensions = answer.json?["errors"]?[0]?["extensions"]
                #expect(extensions?["argument"]?.string == failing.argument)
                #expect(answer.nulls == ["_entities.1"], "\(failing.testDescription)")
            }
        }
    }

    @Test("returns null for an object that the session cannot read, as `node` does")
    func notFound() async throws {
        try await withServer(environment: Self.environment) { server in
            let sample = try await server.ask("{ viewer { id } accounts { id } }").json?["data"]
            let account = try #require(sample?["accounts"]?[0]?["id"]?.string)
            let viewer = try #require(sample?["viewer"]?["id"]?.string)
            let stranger = try await server.token()
            let own = [("Account", account), ("Viewer", viewer)]
            let unknown = [
                ("Instrument", "Instrument:NOSUCH"), ("Order", account), ("Goal", "Goal:x"), ("Account", ""),
            ]
            let representations = (own + unknown + [("Instrument", "Instrument:AAPL")]).map {
                #"{"__typename":"\#($0)","id":"\#($1)"}"#
            }.joined(separator: ",")
            let nulls = Set((0..<(own.count + unknown.count)).map { "_entities.\($0)" })
            let answer = try await Self.find(representations, at: server, token: stranger)
            #expect(answer.failures.isEmpty && answer.nulls == nulls, "\(answer.body)")
            let ofOwner = try await Self.find(representations, at: server)
            #expect(ofOwner.failures.isEmpty, "\(ofOwner.body)")
            #expect(ofOwner.nulls == nulls.subtracting(["_entities.0", "_entities.1"]), "\(ofOwner.body)")
            // Private types need a session; public ones beside them do not.
            let anonymous = try await Self.find(representations, at: server, token: nil)
            #expect(
                anonymous.json?["data"]?["_entities"]?[6]?["id"] == "Instrument:AAPL", "\(anonymous.body)")
            #expect(anonymous.failures.contains(FieldFailure("_entities.0", "UNAUTHENTICATED", nil)))
        }
    }

    @Test("reads a batch from the provider at once; an unknown symbol is null beside the others")
    func batch() async throws {
        try await withSandbox { sandbox in
            var upstream = Upstream(sandbox)
            upstream.credential.merge(Self.environment) { $1 }
            try await withServer(before: upstream) { server in
                func quotes(_ symbols: [String]) async throws -> RawResponse {
                    try await Self.find(
                        symbols.map { #"{"__typename":"Quote","symbol":"\#($0)","source":"alpaca"}"# }
                            .joined(separator: ","),
                        "... on Quote { symbol price }", at: server, token: ownerToken)
                }
                let all = try await quotes(["AAPL", "MSFT", "KO", "T"])
                #expect(all.failures.isEmpty && all.nulls.isEmpty, "\(all.body)")
                // The snapshots of all, and the latest trades of all.
                #expect(sandbox.calls.all(of: .alpaca).map(\.count) == [1, 1], "\(sandbox.calls)")
                let some = try await quotes(["T", "NOSUCH", "AAPL"])
                #expect(some.nulls == ["_entities.1"], "\(some.body)")
                #expect(
                    some.json?["data"]?["_entities"]?.elements?.map { $0["symbol"]?.string }
                        == ["T", nil, "AAPL"])
            }
        }
    }

    @Test("limits the representations, and counts each for the cost")
    func limits() async throws {
        try await withServer(environment: Self.environment) { server in
            let one = #"{"__typename":"Instrument","symbol":"AAPL"}"#
            for (count, message) in [
                (201, "Argument \"representations\": It has 201 entries; at most 200 are allowed."),
                (501, "Argument \"representations\": It has 501 entries; at most 500 are allowed."),
            ] {
                let answer = try await Self.find(
                    Array(repeating: one, count: count).joined(separator: ","), at: server)
                #expect(
                    answer.failures == [FieldFailure("_entities", "BAD_USER_INPUT", nil)], "\(answer.body)")
                #expect(answer.message == message)
            }
            let most = Array(repeating: one, count: 200).joined(separator: ",")
            #expect(try await Self.find(most, at: server).json?["data"]?["_entities"]?.elements?.count == 200)
            let costly = try await Self.find(
                most, "... on Instrument { dividends(first: 100) { nodes { amount } } }", at: server)
            #expect(costly.code == "COST_LIMIT_EXCEEDED", "\(costly.body)")
        }
    }

    @Test("counts the calls of all representations in the limit of one operation")
    func calls() async throws {
        // Each source begins with one call. Some need only this one; Yahoo needs three for its first quote.
        let environment = Self.environment.merging(["PORTICO_UPSTREAM_CALLS_PER_OPERATION": "4"]) { $1 }
        try await withServer(environment: environment) { server in
            let quotes = ["alpaca", "yahoo", "polygon", "alpha-vantage"].map {
                #"{"__typename":"Quote","symbol":"AAPL","source":"\#($0)"}"#
            }
            let answer = try await Self.find(quotes.joined(separator: ","), at: server)
            let codes = Set(answer.failures.map(\.code))
            #expect(codes == ["TOO_MANY_UPSTREAM_CALLS"], "\(answer.body)")
            #expect(answer.nulls == Set(answer.failures.compactMap(\.path)), "\(answer.body)")
            #expect(answer.failures.count < quotes.count, "\(answer.body)")
        }
    }

    private static let selection = """
        __typename ... on Node { id }
        """

    /// Sends representations in JSON as a variable.
    private static func find(
        _ representations: String, _ selection: String = Self.selection, at server: RunningServer,
        token: String? = RunningServer.sandboxToken
    ) async throws -> RawResponse {
        let body = #"""
            {"query":"query ($representations: [_Any!]!) { _entities(representations: $representations) \#
            { \#(selection) } }","variables":{"representations":[\#(representations)]}}
            """#
        return try await server.send(RawRequest.post(body, fields: server.fields(token)))
    }
}
