import TestSupport
import Testing
import Web

/// A valid request and its response.
struct RightRequest: Sendable, CustomTestStringConvertible {
    let testDescription: String
    let bytes: String
    let status: Int
    let type: String
    let body: String

    init(_ description: String, _ bytes: String, _ status: Int, _ type: String, _ body: String) {
        testDescription = description
        self.bytes = bytes
        self.status = status
        self.type = type
        self.body = body
    }
}

private let json = "application/json; charset=utf-8"
private let graphQL = "application/graphql-response+json; charset=utf-8"
private let world = #"{"data":{"hello":"world"}}"#
private let syntaxError = #"{"errors":[{"message":"Syntax Error: Unexpected Name."}]}"#
private let partial = #"{"data":null,"errors":[{"message":"no"}]}"#

@Suite("A route")
struct RouteTests {
    @Test(
        "responds",
        arguments: RightRequest.posts + RightRequest.gets + RightRequest.forms + RightRequest.others)
    func answers(_ right: RightRequest) async throws {
        try await withServer { server in
            let response = try await server.ask(right.bytes)
            #expect(response.status == right.status)
            #expect(response["content-type"] == right.type)
            #expect(response.body == right.body)
            #expect(response["date"]?.hasSuffix(" GMT") == true)
        }
    }

    @Test(
        "responds to HEAD like GET, without the body",
        arguments: ["/health/live", "/schema.graphql", "/graphql?query=%7B+hello+%7D"])
    func answersHead(_ path: String) async throws {
        try await withServer { server in
            let client = try server.client()
            try await client.send(RawRequest.get(path))
            let get = try await client.response()
            try await client.send(RawRequest.get(path, method: "HEAD"))
            let head = try await client.response(toHead: true)
            #expect(head.status == get.status)
            #expect(head["content-length"] == get["content-length"])
            #expect(head["content-type"] == get["content-type"])
            // The next response follows directly.
            try await client.send(RawRequest.get("/health/live"))
            #expect(try await client.response().body == #"{"status":"alive"}"#)
        }
    }

    @Test("has no body in an error response to HEAD")
    func answersHeadWithError() async throws {
        try await withServer { server in
            let client = try server.client()
            try await client.send(RawRequest.get("/nothing", method: "HEAD"))
            #expect(try await client.response(toHead: true).status == 404)
            try await client.send(RawRequest.get("/health/live"))
            #expect(try await client.response().status == 200)
        }
    }

    @Test("reports a component that is down, and stays ready")
    func componentIsDown() async throws {
        let readiness = Readiness(components: [
            Readiness.Component("alpaca", .down, detail: "429 until 15:00"),
            Readiness.Component("store", .up),
        ])
        try await withServer(TestService.make(readiness: readiness)) { server in
            let response = try await server.ask(RawRequest.get("/health/ready"))
            #expect(response.status == 200)
            #expect(
                response.body == #"{"status":"ready","components":[{"name":"alpaca","state":"down","#
                    + #""detail":"429 until 15:00"},{"name":"store","state":"up"}]}"#)
        }
    }

    @Test("is not ready if the service is not")
    func isNotReady() async throws {
        try await withServer(TestService.make(readiness: Readiness(isReady: false))) { server in
            let response = try await server.ask(RawRequest.get("/health/ready"))
            #expect(response.status == 503)
            #expect(response.body == #"{"status":"not ready"}"#)
        }
    }

    @Test("gives the service the request id of the response")
    func requestID() async throws {
        try await withServer { server in
            let client = try server.client()
            try await client.send(RawRequest.post(RawRequest.query("{ id }")))
            let first = try await client.response()
            #expect(first.body == #"{"data":{"id":"\#(first["x-request-id"] ?? "")"}}"#)
            try await client.send(RawRequest.post(RawRequest.query("{ id }")))
            let second = try await client.response()
            #expect(first["x-request-id"] != second["x-request-id"])
        }
    }

    @Test(
        "runs no mutation by GET", arguments: ["application/json", "application/graphql-response+json"],
        ["GET", "HEAD"])
    func mutationByGet(_ accept: String, _ method: String) async throws {
        try await withServer { server in
            let response = try await server.ask(
                RawRequest.get(
                    "/graphql?query=mutation+%7B+act+%7D", method: method, fields: ["Accept: \(accept)"]),
                toHead: method == "HEAD")
            #expect(response.status == 405)
            #expect(response["allow"] == "POST")
            #expect(response["content-type"] == "\(accept); charset=utf-8")
            #expect(method == "HEAD" || response.message?.contains("mutation") == true)
            let allowed = try await server.ask(RawRequest.post(RawRequest.query("mutation { act }")))
            #expect(allowed.body == #"{"data":{"act":"done"}}"#)
        }
    }

    @Test("returns no detail of an internal error")
    func masksFailures() async throws {
        try await withServer { server in
            let response = try await server.ask(RawRequest.post(RawRequest.query("{ broken }")))
            #expect(response.status == 500)
            #expect(response.code == "INTERNAL_SERVER_ERROR")
            #expect(response.message == "Internal server error")
            #expect(!response.body.contains("token=abc"))
            #expect(response.body.contains(response["x-request-id"] ?? "none"))
        }
    }
}

extension RightRequest {
    static let posts = [
        RightRequest("a query", RawRequest.post(RawRequest.query("{ hello }")), 200, json, world),
        RightRequest(
            "a waited-for query", RawRequest.post(RawRequest.query("{ slow }")), 200, json,
            #"{"data":{"slow":"done"}}"#),
        RightRequest(
            "a chunked body",
            "POST /graphql HTTP/1.1\r\nHost: a\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n"
                + "4;ext=1\r\n{\"qu\r\n11\r\nery\":\"{ hello }\"}\r\n0\r\nTrailer: x\r\n\r\n", 200, json,
            world),
        RightRequest(
            "an operation name", RawRequest.post(#"{"operationName":"A","query":"{ name }"}"#), 200, json,
            #"{"data":{"name":"A"}}"#),
        RightRequest(
            "nulls and unknown keys",
            RawRequest.post(
                #"{"x":[{}],"query":"{ name }","operationName":null,"variables":null,"extensions":null}"#),
            200,
            json, #"{"data":{"name":"none"}}"#),
        RightRequest(
            "variables, their digits kept",
            RawRequest.post(
                #"{"query":"query Echo","variables":{"a":[1,1.50,1e400,-9223372036854775808],"b":"é\u00e9\ud83d\ude00"}}"#
            ),
            200, json, #"{"a":[1,1.50,1e400,-9223372036854775808],"b":"éé😀"}"#),
        RightRequest(
            "a session",
            RawRequest.post(RawRequest.query("{ session }"), fields: ["Authorization: Bearer good"]), 200,
            json,
            #"{"data":{"session":"somebody"}}"#),
        RightRequest(
            "a session, the scheme in small letters",
            RawRequest.post(RawRequest.query("{ session }"), fields: ["authorization: bearer good"]), 200,
            json,
            #"{"data":{"session":"somebody"}}"#),
        RightRequest(
            "no session", RawRequest.post(RawRequest.query("{ session }")), 200, json,
            #"{"data":{"session":"anonymous"}}"#),
        RightRequest(
            "queries and mutations are allowed", RawRequest.post(RawRequest.query("{ allowed }")), 200, json,
            #"{"data":{"allowed":"mutation query"}}"#),
        RightRequest(
            "a character set that is named",
            "POST /graphql HTTP/1.1\r\nHost: a\r\nContent-Type: application/json; charset=UTF-8\r\n"
                + "Content-Length: 21\r\n\r\n" + RawRequest.query("{ hello }"), 200, json, world),
        RightRequest(
            "a URL as proxies send it",
            RawRequest.post(RawRequest.query("{ hello }"), path: "http://localhost/graphql"), 200,
            json, world),
    ]

    static let gets = [
        RightRequest(
            "a query in the URL", RawRequest.get("/graphql?query=%7B%20hello%20%7D"), 200, json, world),
        RightRequest("a query with plus signs", RawRequest.get("/graphql?query={+hello+}"), 200, json, world),
        RightRequest(
            "an operation name in the URL", RawRequest.get("/graphql?query=%7B+name+%7D&operationName=A"),
            200, json,
            #"{"data":{"name":"A"}}"#),
        RightRequest(
            "variables in the URL",
            RawRequest.get("/graphql?query=query+Echo&variables=%7B%22a%22:%5B1.50%5D%7D&extensions=%7B%7D"),
            200,
            json, #"{"a":[1.50]}"#),
        RightRequest(
            "empty parameters", RawRequest.get("/graphql?query=%7B+name+%7D&operationName=&variables="), 200,
            json,
            #"{"data":{"name":"none"}}"#),
        RightRequest(
            "only queries are allowed", RawRequest.get("/graphql?query=%7B+allowed+%7D"), 200, json,
            #"{"data":{"allowed":"query"}}"#),
    ]

    static let forms = [
        RightRequest(
            "a whole answer as GraphQL response",
            RawRequest.post(
                RawRequest.query("{ hello }"), fields: ["Accept: application/graphql-response+json"]), 200,
            graphQL, world),
        RightRequest(
            "a partial answer as GraphQL response",
            RawRequest.post(
                RawRequest.query("{ partial }"), fields: ["Accept: application/graphql-response+json"]), 200,
            graphQL,
            partial),
        RightRequest(
            "a refused request as GraphQL response",
            RawRequest.post(RawRequest.query("oops"), fields: ["Accept: application/graphql-response+json"]),
            400, graphQL,
            syntaxError),
        RightRequest(
            "a refused request as JSON", RawRequest.post(RawRequest.query("oops")), 200, json, syntaxError),
        RightRequest(
            "a partial answer as JSON", RawRequest.post(RawRequest.query("{ partial }")), 200, json, partial),
        RightRequest(
            "what Apollo accepts",
            RawRequest.post(
                RawRequest.query("{ hello }"),
                fields: ["Accept: application/graphql-response+json,application/json;q=0.9"]),
            200, graphQL, world),
    ]

    static let others = [
        RightRequest("liveness", RawRequest.get("/health/live"), 200, json, #"{"status":"alive"}"#),
        RightRequest("readiness", RawRequest.get("/health/ready"), 200, json, #"{"status":"ready"}"#),
        RightRequest(
            "the query of a path is ignored", RawRequest.get("/health/live?x=1"), 200, json,
            #"{"status":"alive"}"#),
        RightRequest(
            "the schema", RawRequest.get("/schema.graphql"), 200, "text/plain; charset=utf-8",
            "type Query { hello: String }\n"),
    ]
}

@Suite("A request error")
struct ProblemFormTests {
    @Test("has the form that the client accepts")
    func asGraphQLResponse() async throws {
        try await withServer { server in
            let response = try await server.ask(
                RawRequest.post("{", fields: ["Accept: application/graphql-response+json"]))
            #expect(response.status == 400)
            #expect(response["content-type"] == graphQL)
            #expect(
                response.message
                    == #"The request's JSON cannot be read. Expected a name in double quotes or "}", "#
                    + "found the end of the text, at line 1, column 2.")
        }
    }
}
