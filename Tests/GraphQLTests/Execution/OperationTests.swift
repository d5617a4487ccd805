import GraphQL
import Testing

@Suite("Mutations and subscriptions")
struct OperationTests {
    private let ledger = Ledger()

    private func schema(_ options: ExecutionOptions = ExecutionOptions()) throws -> ExecutableSchema<Ledger> {
        try ExecutableSchema(
            Schema.build(ledgerSDL), query: LedgerQuery(), mutation: LedgerMutation(),
            subscription: LedgerSubscription(), context: Ledger.self, options: options)
    }

    private func text(_ response: GraphQLResponse) -> String {
        String(decoding: response.body, as: UTF8.self)
    }

    @Test("a mutation's fields run one after the other, each with all below it")
    func runsInSeries() async throws {
        let request = GraphQLRequest(
            "mutation { a: add(amount: 1) { total } fail b: add(amount: 2) { amount total } }")
        let response = try await schema().respond(to: request, context: ledger).value()
        #expect(
            text(response)
                == #"""
                {"data":{"a":{"total":1},"fail":null,"b":{"amount":2,"total":3}},\#
                "errors":[{"message":"no","locations":[{"line":1,"column":40}],"path":["fail"],\#
                "extensions":{"code":"REFUSED"}}]}
                """#
        )
        #expect(ledger.log == ["add 1", "total 1", "fail", "add 2", "total 3"])
    }

    @Test("an operation of a kind that is not allowed is not run")
    func refusesKinds() async throws {
        let response = try await schema().respond(
            to: GraphQLRequest("mutation { add(amount: 1) { amount } }"), context: ledger, allowing: [.query]
        ).value()
        #expect(response.outcome == .notAllowed)
        #expect(text(response).contains("A mutation operation cannot be run by this kind of request."))
        #expect(ledger.log.isEmpty)
    }

    @Test("a subscription makes a response of each event, failures included")
    func responds() async throws {
        let stream = try await schema().subscribe(
            to: GraphQLRequest(
                "subscription ($n: Int!) { entries(count: $n) { amount total } }", variables: ["n": .int(3)]),
            context: ledger
        ).get()
        var responses: [String] = []
        for await response in stream { responses.append(text(response)) }
        #expect(
            responses == [
                #"{"data":{"entries":{"amount":1,"total":0}}}"#,
                #"""
                {"data":{"entries":null},\#
                "errors":[{"message":"lost","locations":[{"line":1,"column":27}],"path":["entries"],\#
                "extensions":{"code":"REFUSED"}}]}
                """#,
                #"{"data":{"entries":{"amount":3,"total":0}}}"#,
            ])
    }

    @Test(
        "an event makes the context of its own response, if a field below it is loaded",
        arguments: [
            ("amount total", [#"{"amount":1,"total":105}"#, #"{"amount":2,"total":205}"#], 2),
            ("amount", [#"{"amount":1}"#, #"{"amount":2}"#], 0),
        ])
    func contextOfEvent(selection: String, expected: [String], contexts: Int) async throws {
        ledger.add(5)
        let stream = try await schema().subscribe(
            to: GraphQLRequest("subscription { tallies { \(selection) } }"), context: ledger
        ).get()
        var responses: [String] = []
        for await response in stream { responses.append(text(response)) }
        #expect(responses == expected.map { #"{"data":{"tallies":\#($0)}}"# })
        #expect(ledger.log.count { $0.hasPrefix("context") } == contexts)
    }

    @Test("a source stream that does not begin is a refused request")
    func refuses() async throws {
        let result = try await schema().subscribe(
            to: GraphQLRequest("subscription { broken }"), context: ledger)
        guard case .failure(let refused) = result else {
            Issue.record("it began")
            return
        }
        #expect(
            text(refused.response) == #"{"errors":[{"message":"no stream","extensions":{"code":"REFUSED"}}]}"#
        )
    }

    @Test("a source stream that ends with an error says so last")
    func ends() async throws {
        let stream = try await schema().subscribe(
            to: GraphQLRequest("subscription { ending }"), context: ledger
        )
        .get()
        var responses: [String] = []
        for await response in stream { responses.append(text(response)) }
        #expect(
            responses == [
                #"{"data":{"ending":1}}"#,
                #"{"errors":[{"message":"source gone","extensions":{"code":"REFUSED"}}]}"#,
            ])
    }

    @Test("a query is subscribed to as one response, a subscription has no single one")
    func mixesUp() async throws {
        let schema = try schema()
        var responses: [String] = []
        for await response in try await schema.subscribe(to: GraphQLRequest("{ slow }"), context: ledger)
            .get()
        {
            responses.append(text(response))
        }
        #expect(responses == [#"{"data":{"slow":2}}"#])
        let single = try await schema.respond(to: GraphQLRequest("subscription { ending }"), context: ledger)
            .value()
        #expect(
            text(single)
                == #"""
                {"errors":[{"message":"A subscription has no single response; it must be subscribed \#
                to.","extensions":{"code":"METHOD_NOT_ALLOWED"}}]}
                """#
        )
    }

    @Test("what takes longer than an operation may is null, the rest stands")
    func timesOut() async throws {
        var options = ExecutionOptions()
        // Long enough for the other fields on a machine with many tests.
        options.timeLimit = .seconds(2)
        let response = try await schema(options).respond(
            to: GraphQLRequest("{ slow never total }"), context: ledger
        )
        .value()
        #expect(
            text(response)
                == #"""
                {"data":{"slow":2,"never":null,"total":0},\#
                "errors":[{"message":"The operation took longer than it may.","locations":[{"line":1,\#
                "column":8}],"path":["never"],"extensions":{"code":"OPERATION_TIMED_OUT"}}]}
                """#
        )
    }

    @Test("a cancelled request cancels its loads")
    func cancels() async throws {
        let schema = try schema()
        let ledger = ledger
        let task = Task { try await schema.respond(to: GraphQLRequest("{ never }"), context: ledger).value() }
        task.cancel()
        let response = try await task.value
        #expect(text(response).hasPrefix(#"{"data":{"never":null},"errors":"#))
    }

    @Test("documents, operations and variables that cannot be run are refused with the reason")
    func refusesRequests() async throws {
        let cases: [(GraphQLRequest, String)] = [
            (GraphQLRequest("{"), "Syntax Error: Expected Name, found <EOF>."),
            (
                GraphQLRequest("query A { total } query B { total }"),
                "Must provide operation name if query contains multiple operations."
            ),
            (GraphQLRequest("query A { total }", operationName: "C"), "Unknown operation named \"C\"."),
            (GraphQLRequest("fragment F on Query { total }"), "Fragment \"F\" is never used."),
            (
                GraphQLRequest("mutation ($a: Int!) { add(amount: $a) { amount } }"),
                """
                Variable "$a" has invalid value: Expected a value of non-null type "Int!" to be provided.
                """
            ),
        ]
        for (request, message) in cases {
            let response = try await schema().respond(to: request, context: ledger).value()
            #expect(response.outcome == .requestError)
            let quoted = message.replacing("\"", with: "\\\"")
            #expect(text(response).contains("\"message\":\"\(quoted)\""), "\(text(response))")
        }
    }
}
