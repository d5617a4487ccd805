import Foundation
import TestSupport
import Testing

@Suite("portico mock")
struct MockCommandTests {
    private static let schema =
        "type Query { account(id: ID!): Account clock: String }\ntype Account { id: ID! name: String equity: Float }\n"
        + "type Subscription { account(id: ID!): Account }\n"
    private static let answers = #"{"Account.name": "Main", "Query.clock": {"__error": "It stands."}}"#

    /// Runs a mock of the schema, with the answers and a scenario, on a free port.
    private func withMock<Value>(
        _ arguments: [String] = [], scenario: String? = nil, _ test: (RunningServer) async throws -> Value
    ) async throws -> Value {
        try await withFolder { folder in
            var arguments = arguments
            if let scenario {
                let file = folder.appending(path: "scenario.yml")
                try scenario.write(to: file, atomically: true, encoding: .utf8)
                arguments += ["--scenario", file.path]
            }
            let (schema, answers) = (
                folder.appending(path: "schema.graphql"), folder.appending(path: "answers.json")
            )
            try Self.schema.write(to: schema, atomically: true, encoding: .utf8)
            try Self.answers.write(to: answers, atomically: true, encoding: .utf8)
            return try await withProgram(
                ["mock", "--schema", schema.path, "--answers", answers.path, "--port", "0"] + arguments
            ) { program, port in
                try await test(RunningServer(program: program, port: port))
            }
        }
    }

    @Test("serves a schema with the values of a file, and generates the others")
    func serves() async throws {
        try await withMock { server in
            let answer = try await server.ask("{ account(id: 1) { name equity } clock }", token: nil)
            #expect(answer.status == 200)
            let data = try #require(answer.json?["data"])
            #expect(data["account"]?["name"] == "Main")
            #expect(data["account"]?["equity"]?.number != nil)
            #expect(data["clock"] == .null)
            #expect(answer.message == "It stands.")
            #expect(try await server.get("/schema.graphql").body == Self.schema)
        }
    }

    @Test("refuses a request with the codes of a server, and counts an operation by the name in its document")
    func codesAndNames() async throws {
        try await withMock { server in
            for (request, code) in [
                (#"{"query":"{ clock"}"#, "GRAPHQL_PARSE_FAILED"),
                (#"{"query":"{ time }"}"#, "GRAPHQL_VALIDATION_FAILED"),
                (#"{"query":"query A($id: ID!) { account(id: $id) { id } }"}"#, "BAD_USER_INPUT"),
                (#"{"query":"query A { clock }","operationName":"B"}"#, "OPERATION_RESOLUTION_FAILURE"),
            ] { #expect(try await server.send(RawRequest.post(request)).code == code) }
            _ = try await server.ask("query Home { account(id: 1) { name } }", token: nil)
            let metrics = try await server.get("/metrics").body
            #expect(
                metrics.contains(#"portico_graphql_operations_total{operation="Home",outcome="complete"} 1"#))
        }
    }

    @Test("sends events of a subscription until the client leaves")
    func subscription() async throws {
        try await withMock(["--interval", "10"]) { server in
            let events = try await server.events(
                3, of: #"{"query":"subscription { account(id: \"Account:7\") { id equity } }"}"#)
            #expect(events.allSatisfy { $0.contains(#""id":"Account:7""#) })
            #expect(Set(events).count == 3)
        }
    }

    @Test("sends events of Apollo's multipart protocol")
    func multipart() async throws {
        try await withMock(["--interval", "10"]) { server in
            let client = try RawClient(port: server.port)
            defer { client.close() }
            let query = RawRequest.query("subscription { account(id: \"Account:7\") { id } }")
            let accept =
                "multipart/mixed;boundary=graphql;subscriptionSpec=1.0,application/graphql-response+json"
            try await client.send(RawRequest.post(query, fields: ["Accept: \(accept)"]))
            var received = ""
            while !received.contains(#"{"payload":{"data":{"account":{"id":"Account:7"}}}}"#) {
                received += try await client.take(1)
            }
            #expect(received.contains("multipart/mixed"))
        }
    }

    private static let scenario = """
        operations:
          - name: Home
            variables: {id: "1"}
            aliases: [me]
            responses:
              - data: {me: {equity: 1200.50}}
              - latency: 20
                data: {me: {name: Second}}
                errors:
                  - {path: [me, equity], message: No equity., extensions: {code: PROVIDER_UNAVAILABLE}}
              - errors: [{message: Too many., extensions: {code: RATE_LIMITED}}]
          - name: Equity
            responses:
              - events: [{after: 1, data: {account: {equity: 1}}}, {after: 1, data: {account: {equity: 2.50}}}]
        """

    @Test("responds as a scenario says: by name, variables and number of the call")
    func scenario() async throws {
        try await withMock(scenario: Self.scenario) { server in
            func home(_ id: String) async throws -> JSONValue? {
                let query = "query Home($id: ID!) { me: account(id: $id) { id name equity } }"
                return try await server.send(
                    RawRequest.post(#"{"query":"\#(query)","variables":{"id":"\#(id)"}}"#)
                ).json
            }
            let first = try await home("1")
            #expect(first?["data"]?["me"]?["equity"]?.digits == "1200.5")
            #expect(first?["data"]?["me"]?["name"] == "Main")
            #expect(try await home("2")?["data"]?["me"]?["id"] == "2")
            let second = try await home("1")
            #expect(second?["data"]?["me"]?["name"] == "Second")
            #expect(second?["data"]?["me"]?["equity"] == .null)
            #expect(second?["errors"]?[0]?["path"] == .array(["me", "equity"]))
            #expect(second?["errors"]?[0]?["extensions"]?["code"] == "PROVIDER_UNAVAILABLE")
            for _ in 0..<2 {
                let third = try await home("1")
                #expect(third?["data"] == nil)
                #expect(third?["errors"]?[0]?["extensions"]?["code"] == "RATE_LIMITED")
            }
            let events = try await server.events(
                2, of: #"{"query":"subscription Equity { account(id: 1) { equity } }"}"#)
            #expect(
                events == [#"{"data":{"account":{"equity":1}}}"#, #"{"data":{"account":{"equity":2.5}}}"#])
        }
    }

    @Test(
        "does not start with an invalid scenario",
        arguments: [
            ("operations: 3", "Error: s.yml: operations is not a list."),
            ("operations: [{name: A}]", "Error: s.yml: operations[0].responses is not a list."),
            (
                "operations: [{name: A, responses: [{delay: 1}]}]",
                "Error: s.yml: operations[0].responses[0] has the unknown property \"delay\". "
                    + "It may have latency, data, errors, events."
            ),
            (
                "operations: [{name: A, responses: [{latency: -1}]}]",
                "Error: s.yml: operations[0].responses[0].latency is not a number of milliseconds from 0 to 3600000."
            ),
            (
                "operations: [{name: A, responses: [{data: {a: 1}, errors: [{message: x, path: [a, b]}]}]}]",
                "Error: s.yml: operations[0].responses[0].errors[0].path is not a path in the data."
            ),
            (
                "operations: [{name: A, responses: [{}, {data: {b: {equitee: 1}}}]}]",
                "Error: s.yml: operations[0].responses[1].data.b.equitee is no field of B. Did you mean \"equity\"? "
                    + "If it is an alias, add it to `aliases` of the operation."
            ),
            (
                "operations: [{name: A, aliases: [x], responses: [{data: {x: {y: 1}, z: 1}}]}]",
                "Error: s.yml: operations[0].responses[0].data.z is no field of Query, Subscription."
            ),
            (
                "operations: [{name: A, responses: [{events: [{data: {list: [{c: {b: 1}}]}}]}]}]",
                "Error: s.yml: operations[0].responses[0].events[0].data.list[0].c.b is no field of I."
            ),
            (
                "operations: [{name: A, responses: [{data: {list: {equity: 1}}}]}]",
                "Error: s.yml: operations[0].responses[0].data.list is not a list."
            ),
            (
                "operations: [{name: A, responses: [{data: {b: 7}}]}]",
                "Error: s.yml: operations[0].responses[0].data.b is not an object, as B is."
            ),
            (
                "operations: [{name: A, responses: [{errors: [{message: x, path: [list, 0, d]}]}]}]",
                "Error: s.yml: operations[0].responses[0].errors[0].path.list[0].d is no field of B."
            ),
            (
                "operations: [{name: A, aliases: x, responses: [{}]}]",
                "Error: s.yml: operations[0].aliases is not a list."
            ),
            ("{", "Error: s.yml is not YAML or JSON: "),
        ])
    func faultyScenario(_ scenario: String, _ error: String) async throws {
        let run = try await CommandRun.run(
            ["mock", "--port", "0", "--schema", "@a.graphql", "--scenario", "@s.yml"],
            among: [
                "a.graphql": """
                type Query { a: Int b: B list: [B!] }
                type B { equity: Int c: I }
                interface I { a: Int }
                type C implements I { a: Int c: Int }
                type Subscription { list: [B!] }
                """, "s.yml": scenario,
            ])
        #expect(run.status == 2)
        #expect(run.errors.hasPrefix(error), "\(run.errors)")
    }

    @Test("answers preflights of any page, and batches")
    func browsers() async throws {
        try await withMock { server in
            let preflight = try await server.send(
                RawRequest.get(
                    "/graphql", method: "OPTIONS",
                    fields: [
                        "Origin: http://localhost:3000", "Access-Control-Request-Method: POST",
                        "Access-Control-Request-Headers: x-anything",
                    ]))
            #expect(preflight.status == 204)
            #expect(preflight["access-control-allow-origin"] == "*")
            let batch = try await server.send(
                RawRequest.post(#"[{"query":"{ __typename }"},{"query":"{ clock }"}]"#))
            #expect(batch.json?[0]?["data"]?["__typename"] == "Query", "\(batch.body)")
            #expect(batch.json?[1]?["errors"]?[0]?["message"] == "It stands.")
        }
    }

    @Test("generates the same values for the same seed")
    func seeds() async throws {
        let query = "{ account(id: 1) { id equity } }"
        let one = try await withMock(["--seed", "5"]) { try await $0.ask(query).body }
        let same = try await withMock(["--seed", "5"]) { try await $0.ask(query).body }
        let other = try await withMock(["--seed", "6"]) { try await $0.ask(query).body }
        #expect(one == same)
        #expect(one != other)
    }

    @Test(
        "does not start with invalid files",
        arguments: [
            (
                ["--schema", "@schema.graphql", "--answers", "@misplaced.json"], 1,
                "error: Type \"Query\" has no field \"b\"."
            ),
            (["--schema", "@broken.graphql"], 1, "error: Unknown type \"Unknown\"."),
            (
                ["--schema", "@schema.graphql", "--answers", "@list.json"], 2,
                "Error: list.json: the values are not a JSON object, as in {\"Account.name\": \"Main\"}"
            ),
            (["--answers", "@list.json"], 2, "Error: Missing expected argument '--schema <schema>'"),
        ])
    func refuses(arguments: [String], status: Int32, message: String) async throws {
        let run = try await CommandRun.run(
            ["mock", "--port", "0"] + arguments,
            among: [
                "schema.graphql": "type Query { account: Int }",
                "broken.graphql": "type Query { a: Unknown }",
                "misplaced.json": #"{"Query.b": 1}"#, "list.json": "[]",
            ])
        #expect(run.status == status)
        #expect(run.errors.split(separator: "\n").first.map(String.init) == message)
        #expect(run.output.isEmpty)
    }
}
