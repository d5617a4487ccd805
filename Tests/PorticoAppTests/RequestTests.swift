import GraphQLTools
import TestSupport
import Testing

@Suite("The endpoint")
struct RequestTests {
    @Test("reports that it is alive and ready, and serves the schema of the repository")
    func paths() async throws {
        try await withServer { server in
            let live = try await server.get("/health/live")
            #expect(live.status == 200)
            #expect(live.body == #"{"status":"alive"}"#)
            let ready = try await server.get("/health/ready")
            #expect(ready.status == 200)
            #expect(ready.json?["status"] == "ready")
            let schema = try await server.get("/schema.graphql")
            #expect(schema.status == 200)
            #expect(try schema.body == SchemaFile.text)
        }
    }

    /// What a client may send wrongly, and what it is told.
    struct Wrong {
        let name: String
        let request: String
        let status: Int
        let message: String
        var place: (line: JSONValue, column: JSONValue)?

        init(
            _ name: String, _ request: String, _ status: Int, _ message: String,
            at place: (line: JSONValue, column: JSONValue)? = nil
        ) {
            self.name = name
            self.request = request
            self.status = status
            self.message = message
            self.place = place
        }
    }

    private static let modern = ["Accept: application/graphql-response+json"]

    private static func query(_ text: String) -> String {
        RawRequest.post(RawRequest.query(text), fields: modern)
    }

    static let wrong = [
        Wrong(
            "an unknown mutation", query("mutation { tradeOrder }"), 400,
            "Cannot query field \"tradeOrder\" on type \"Mutation\".", at: (1, 12)),
        Wrong(
            "a subscription that asks for one response",
            query("subscription { account { equity } }"), 406,
            "A subscription has several responses. Accept \"text/event-stream\""),
        Wrong(
            "an unknown field", query("{ account { equity equality } }"), 400,
            "Cannot query field \"equality\" on type \"Account\".", at: (1, 20)),
        Wrong(
            "an unknown field, with a proposal", query("{ account {\n  equty } }"), 400,
            "Cannot query field \"equty\" on type \"Account\". Did you mean \"equity\"?", at: (2, 3)),
        Wrong(
            "an unknown argument", query("{ quotes(symbol: [\"AAPL\"]) { price } }"), 400,
            "Unknown argument \"symbol\" on field \"Query.quotes\". Did you mean \"symbols\"?", at: (1, 10)),
        Wrong(
            "a value of another type", query("{ account { history(range: TWO_DAYS) { baseValue } } }"), 400,
            "Value \"TWO_DAYS\" does not exist in \"Range\" enum. Did you mean the enum value \"FIVE_DAYS\" or \"ONE_DAY\"?",
            at: (1, 28)),
        Wrong(
            "broken syntax", query("{ account { equity }"), 400, "Syntax Error: Expected Name, found <EOF>.",
            at: (1, 21)),
        Wrong("nothing", query(""), 400, "Syntax Error: Unexpected <EOF>.", at: (1, 1)),
        Wrong(
            "broken JSON", RawRequest.post(#"{"query": "{ __typename }""#), 400,
            "The request's JSON cannot be read."),
        Wrong(
            "no JSON at all", RawRequest.post("query { __typename }"), 400,
            "The request's JSON cannot be read."),
        Wrong("no query", RawRequest.post("{}"), 400, "query"),
        Wrong(
            "another path", RawRequest.get("/graphiql"), 404,
            "Nothing is at \"/graphiql\". The endpoint is \"/graphql\"."),
        Wrong(
            "another method", RawRequest.get("/graphql", method: "PATCH"), 405, "PATCH is not allowed here"),
        Wrong(
            "a body of another kind", RawRequest.post("{}").replacing("application/json", with: "text/plain"),
            415,
            "The Content-Type \"text/plain\" is not supported."),
    ]

    @Test("responds to invalid requests with clear errors, and continues")
    func wrongRequests() async throws {
        try await withServer { server in
            for wrong in RequestTests.wrong {
                let answer = try await server.send(wrong.request)
                #expect(answer.status == wrong.status, "\(wrong.name)")
                let message = try #require(answer.message, "\(wrong.name): \(answer.body)")
                #expect(message.contains(wrong.message), "\(wrong.name)")
                #expect(answer.json?["data"] == nil, "\(wrong.name)")
                if let place = wrong.place {
                    let location = answer.json?["errors"]?[0]?["locations"]?[0]
                    #expect(location?["line"] == place.line, "\(wrong.name)")
                    #expect(location?["column"] == place.column, "\(wrong.name)")
                }
            }
            #expect(try await server.ask("{ account { equity } }").failures.isEmpty)
        }
    }

    @Test("accepts queries by GET too")
    func get() async throws {
        try await withServer { server in
            let answer = try await server.get("/graphql?query=%7Baccount%7Bcurrency%7D%7D", token: "sandbox")
            #expect(answer.status == 200)
            #expect(answer.body == #"{"data":{"account":{"currency":"USD"}}}"#)
        }
    }

    @Test("locates an invalid value in the arguments, and returns the rest")
    func badUserInput() async throws {
        try await withServer { server in
            let answer = try await server.ask(
                "{ account(id: \"Account:other:1\") { equity } positions { symbol } }")
            #expect(answer.status == 200)
            #expect(answer.failures == [FieldFailure("account", "NOT_FOUND", nil)])
            #expect(answer.message == "There is no account \"Account:other:1\".")
            #expect(answer.json?["data"]?["positions"]?.elements?.isEmpty == false)
        }
    }
}
