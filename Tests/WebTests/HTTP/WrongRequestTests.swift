import TestSupport
import Testing
import Web

/// An invalid request, and its error response.
struct WrongRequest: Sendable, CustomTestStringConvertible {
    let testDescription: String
    let bytes: String
    let status: Int
    let code: String
    let message: String
    var headers: [String: String] = [:]
    /// True if the connection remains usable.
    var isKeptAlive = true

    init(
        _ description: String, _ bytes: String, _ status: Int, _ code: String, _ message: String,
        headers: [String: String] = [:], isKeptAlive: Bool = true
    ) {
        testDescription = description
        self.bytes = bytes
        self.status = status
        self.code = code
        self.message = message
        self.headers = headers
        self.isKeptAlive = isKeptAlive
    }
}

@Suite("An invalid request")
struct WrongRequestTests {
    /// Small limits, so that the requests above them are short.
    static var limits: ServerLimits {
        var limits = ServerLimits()
        limits.uri = 200
        limits.headers = 400
        limits.body = 100
        limits.headerFields = 10
        limits.jsonValues = 20
        return limits
    }

    @Test(
        "has an error in GraphQL's form",
        arguments: WrongRequest.paths + WrongRequest.forms + WrongRequest.bodies + WrongRequest.urls
            + WrongRequest.sizes
            + WrongRequest.messages)
    func isTold(_ wrong: WrongRequest) async throws {
        try await withServer(limits: Self.limits) { server in
            let client = try server.client()
            try await client.send(wrong.bytes)
            let response = try await client.response()
            #expect(response.status == wrong.status)
            #expect(response.code == wrong.code)
            #expect(response.message == wrong.message)
            #expect(response["content-type"] == "application/json; charset=utf-8")
            #expect(response["x-request-id"]?.count == 16)
            for (name, value) in wrong.headers { #expect(response[name] == value) }
            #expect(response["connection"] == (wrong.isKeptAlive ? nil : "close"))
            if wrong.isKeptAlive {
                try await client.send(RawRequest.post(RawRequest.query("{ hello }")))
                #expect(try await client.response().body == #"{"data":{"hello":"world"}}"#)
            } else {
                #expect(try await client.rest() == "")
            }
        }
    }
}

extension WrongRequest {
    static let paths = [
        WrongRequest(
            "unknown path", RawRequest.get("/nothing?secret=1"), 404, "NOT_FOUND",
            #"Nothing is at "/nothing". The endpoint is "/graphql"."#),
        WrongRequest(
            "unknown path with a body", RawRequest.post("{}", path: "/query"), 404, "NOT_FOUND",
            #"Nothing is at "/query". The endpoint is "/graphql"."#),
        WrongRequest(
            "path with a slash at its end", RawRequest.get("/graphql/"), 404, "NOT_FOUND",
            #"Nothing is at "/graphql/". The endpoint is "/graphql"."#),
        WrongRequest(
            "method that the endpoint has not", RawRequest.get("/graphql", method: "PATCH"), 405,
            "METHOD_NOT_ALLOWED",
            "PATCH is not allowed here; use GET, HEAD, POST, PUT or DELETE.",
            headers: ["allow": "GET, HEAD, POST, PUT, DELETE"]),
        WrongRequest(
            "method that the endpoint has not, with a format that it has not",
            RawRequest.get("/graphql", method: "PATCH", fields: ["Accept: text/plain"]), 405,
            "METHOD_NOT_ALLOWED", "PATCH is not allowed here; use GET, HEAD, POST, PUT or DELETE.",
            headers: ["allow": "GET, HEAD, POST, PUT, DELETE"]),
        WrongRequest(
            "POST where only GET is", RawRequest.post("{}", path: "/health/live"), 405, "METHOD_NOT_ALLOWED",
            "POST is not allowed here; use GET or HEAD.", headers: ["allow": "GET, HEAD"]),
        WrongRequest(
            "POST to the schema", RawRequest.post("{}", path: "/schema.graphql"), 405, "METHOD_NOT_ALLOWED",
            "POST is not allowed here; use GET or HEAD.", headers: ["allow": "GET, HEAD"]),
    ]

    static let forms = [
        WrongRequest(
            "no content type", "POST /graphql HTTP/1.1\r\nHost: a\r\nContent-Length: 2\r\n\r\n{}", 415,
            "UNSUPPORTED_MEDIA_TYPE",
            #"The request has no Content-Type. Send "Content-Type: application/json"."#),
        WrongRequest(
            "content type of a form",
            "POST /graphql HTTP/1.1\r\nHost: a\r\nContent-Type: application/x-www-form-urlencoded\r\n"
                + "Content-Length: 7\r\n\r\nquery=a", 415, "UNSUPPORTED_MEDIA_TYPE",
            #"The Content-Type "application/x-www-form-urlencoded" is not supported. Send "application/json" in UTF-8."#
        ),
        WrongRequest(
            "another character set",
            "POST /graphql HTTP/1.1\r\nHost: a\r\nContent-Type: application/json; charset=latin1\r\n"
                + "Content-Length: 2\r\n\r\n{}", 415, "UNSUPPORTED_MEDIA_TYPE",
            #"The Content-Type "application/json; charset=latin1" is not supported. Send "application/json" in UTF-8."#
        ),
        WrongRequest(
            "compressed body", RawRequest.post("{}", fields: ["Content-Encoding: gzip"]), 415,
            "UNSUPPORTED_MEDIA_TYPE",
            #"The Content-Encoding "gzip" is not supported. Send the body as it is."#,
            headers: ["accept-encoding": "identity"]),
        WrongRequest(
            "accepts only HTML", RawRequest.post("{}", fields: ["Accept: text/html"]), 406, "NOT_ACCEPTABLE",
            #"No response is possible in "text/html". Accept "application/graphql-response+json" or "application/json"."#
        ),
        WrongRequest(
            "another scheme", RawRequest.post("{}", fields: ["Authorization: Basic YTpi"]), 401,
            "UNAUTHENTICATED",
            #"The Authorization field must be "Bearer <token>"."#,
            headers: ["www-authenticate": #"Bearer realm="graphql", error="invalid_request""#]),
        WrongRequest(
            "empty token", RawRequest.post("{}", fields: ["Authorization: Bearer "]), 401, "UNAUTHENTICATED",
            #"The Authorization field must be "Bearer <token>"."#),
        WrongRequest(
            "token in the URL", RawRequest.get("/graphql?query=%7Bhello%7D&access_token=good"), 400,
            "BAD_REQUEST",
            #"The parameter "access_token" looks like a token, and URLs are kept in histories and logs. "#
                + #"Send "Authorization: Bearer <token>" instead, and replace a token that was sent so."#),
        WrongRequest(
            "token in the URL of a POST", RawRequest.post("{}", path: "/graphql?Token=good"), 400,
            "BAD_REQUEST",
            #"The parameter "Token" looks like a token, and URLs are kept in histories and logs. "#
                + #"Send "Authorization: Bearer <token>" instead, and replace a token that was sent so."#),
    ]

    static let bodies = [
        WrongRequest(
            "no JSON", RawRequest.post("{\n  \"query\": ,\n}"), 400, "BAD_REQUEST",
            #"The request's JSON cannot be read. Expected a value, found ",", at line 2, column 12."#),
        WrongRequest(
            "empty body", RawRequest.post(""), 400, "BAD_REQUEST",
            "The request's JSON cannot be read. Expected a value, found the end of the text, at line 1, column 1."
        ),
        WrongRequest(
            "something behind the JSON", RawRequest.post(#"{"query":"{ hello }"} x"#), 400, "BAD_REQUEST",
            #"The request's JSON cannot be read. Expected nothing after the value, found "x", at line 1, column 23."#
        ),
        WrongRequest(
            "too many values in the JSON",
            RawRequest.post(#"{"query":"a","variables":{"a":[\#(String(repeating: "[],", count: 17))[]]}}"#),
            400, "BAD_REQUEST",
            "The request's JSON cannot be read. The text has more than 20 values, at line 1, column 83."),
        WrongRequest(
            "no query", RawRequest.post(#"{"variables":{}}"#), 400, "BAD_REQUEST",
            #"The request has no "query". Send the operation as a string: {"query": "{ __typename }"}."#),
        WrongRequest(
            "query of a wrong type", RawRequest.post(#"{"query":1}"#), 400, "BAD_REQUEST",
            #"The key "query" must be a string, not a number, at line 1, column 10."#),
        WrongRequest(
            "operation name of a wrong type", RawRequest.post(#"{"query":"a","operationName":[]}"#), 400,
            "BAD_REQUEST",
            #"The key "operationName" must be a string or null, not an array, at line 1, column 30."#),
        WrongRequest(
            "variables of a wrong type", RawRequest.post(#"{"query":"a","variables":"{}"}"#), 400,
            "BAD_REQUEST",
            #"The key "variables" must be an object or null, not a string, at line 1, column 26."#),
        WrongRequest(
            "extensions of a wrong type", RawRequest.post(#"{"query":"a","extensions":true}"#), 400,
            "BAD_REQUEST",
            #"The key "extensions" must be an object or null, not a boolean, at line 1, column 27."#),
        WrongRequest(
            "a batch", RawRequest.post(#"[{"query":"a"}]"#), 400, "BAD_REQUEST",
            #"The request is a JSON array, and this server accepts no batches. Send one object with the key "query". "#
                + #"With `portico serve`, the setting "batch" is the largest number of requests in an array."#
        ),
        WrongRequest(
            "a string", RawRequest.post(#""a""#), 400, "BAD_REQUEST",
            #"The request must be a JSON object with the key "query", not a string."#),
    ]

    static let urls = [
        WrongRequest(
            "no query in the URL", RawRequest.get("/graphql"), 400, "BAD_REQUEST",
            #"The request has no "query". Send the operation as a string: {"query": "{ __typename }"}."#),
        WrongRequest(
            "variables that are no JSON", RawRequest.get("/graphql?query=a&variables=%7Ba%7D"), 400,
            "BAD_REQUEST",
            #"The URL's parameter "variables" is no JSON: Expected a name in double quotes or "}", found "a", "#
                + "at line 1, column 2."),
        WrongRequest(
            "variables that are no object", RawRequest.get("/graphql?query=a&variables=%5B%5D"), 400,
            "BAD_REQUEST",
            #"The URL's parameter "variables" must be a JSON object."#),
        WrongRequest(
            "a parameter twice", RawRequest.get("/graphql?query=a&query=b"), 400, "BAD_REQUEST",
            #"The URL's parameter "query" is given 2 times."#),
        WrongRequest(
            "an escape that is none", RawRequest.get("/graphql?query=%zz"), 400, "BAD_REQUEST",
            #"The URL's parameter "query" has an escape that is no UTF-8 character."#),
    ]

    static let sizes = [
        WrongRequest(
            "URL over the limit", RawRequest.get("/graphql?query=" + String(repeating: "a", count: 200)), 414,
            "URI_TOO_LONG",
            "The URL is longer than 200 bytes. Send the request with POST, its parameters in a JSON body.",
            isKeptAlive: false),
        WrongRequest(
            "header fields over the limit",
            RawRequest.get("/health/live", fields: ["A: " + String(repeating: "a", count: 400)]),
            431, "HEADERS_TOO_LARGE", "The header fields are longer than 400 bytes.", isKeptAlive: false),
        WrongRequest(
            "header fields far over the limit",
            RawRequest.get("/health/live", fields: ["A: " + String(repeating: "a", count: 4000)]), 431,
            "HEADERS_TOO_LARGE",
            "The header fields are longer than 400 bytes.", isKeptAlive: false),
        WrongRequest(
            "more header fields than the limit",
            RawRequest.get("/health/live", fields: (0..<10).map { "A\($0): b" }), 431,
            "HEADERS_TOO_LARGE", "A request has at most 10 header fields.", isKeptAlive: false),
        WrongRequest(
            "body over the limit", RawRequest.post(String(repeating: "a", count: 101)), 413,
            "PAYLOAD_TOO_LARGE",
            "The body is longer than 100 bytes.", isKeptAlive: false),
        WrongRequest(
            "body over the limit that is only announced",
            "POST /graphql HTTP/1.1\r\nHost: a\r\nContent-Type: application/json\r\nContent-Length: 101\r\n\r\n",
            413,
            "PAYLOAD_TOO_LARGE", "The body is longer than 100 bytes.", isKeptAlive: false),
        WrongRequest(
            "body over the limit in chunks",
            "POST /graphql HTTP/1.1\r\nHost: a\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n"
                + "3c\r\n\(String(repeating: "a", count: 60))\r\n3c\r\n\(String(repeating: "a", count: 60))\r\n",
            413,
            "PAYLOAD_TOO_LARGE", "The body is longer than 100 bytes.", isKeptAlive: false),
        WrongRequest(
            "refused body over the limit in chunks",
            "POST /nothing HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n"
                + "6e\r\n\(String(repeating: "a", count: 110))\r\n", 404, "NOT_FOUND",
            #"Nothing is at "/nothing". The endpoint is "/graphql"."#, isKeptAlive: false),
    ]

    static let messages = [
        WrongRequest(
            "no Host", "GET /health/live HTTP/1.1\r\n\r\n", 400, "BAD_REQUEST",
            "A request has exactly one Host field.", isKeptAlive: false),
        WrongRequest(
            "two Hosts", "GET /health/live HTTP/1.1\r\nHost: a\r\nhost: b\r\n\r\n", 400, "BAD_REQUEST",
            "A request has exactly one Host field.", isKeptAlive: false),
        WrongRequest(
            "a Host that is none", "GET /health/live HTTP/1.1\r\nHost: a b\r\n\r\n", 400, "BAD_REQUEST",
            #"The Host field names no host; it has the form "example.com:8080"."#, isKeptAlive: false),
        WrongRequest(
            "unknown method", RawRequest.get("/graphql", method: "PROPFIND"), 501, "NOT_IMPLEMENTED",
            "The method is none that is known here; use GET, HEAD or POST.", isKeptAlive: false),
        WrongRequest(
            "no HTTP at all", "hello\r\n\r\n", 400, "BAD_REQUEST",
            "The request is no HTTP: the method is unknown.",
            isKeptAlive: false),
        WrongRequest(
            "another version", "GET /health/live HTTP/3.0\r\nHost: a\r\n\r\n", 505,
            "HTTP_VERSION_NOT_SUPPORTED",
            "Only HTTP/1.1 and HTTP/1.0 are spoken here.", isKeptAlive: false),
        WrongRequest(
            "target that is no path", "OPTIONS * HTTP/1.1\r\nHost: a\r\n\r\n", 400, "BAD_REQUEST",
            "The request's target is neither a path nor a URL.", isKeptAlive: false),
        WrongRequest(
            "two lengths",
            "POST /graphql HTTP/1.1\r\nHost: a\r\nContent-Length: 2\r\nContent-Length: 2\r\n\r\n{}", 400,
            "BAD_REQUEST", "A request has Content-Length or Transfer-Encoding, never both, and each once.",
            isKeptAlive: false),
        WrongRequest(
            "length and transfer coding",
            "POST /graphql HTTP/1.1\r\nHost: a\r\nContent-Length: 2\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
            400, "BAD_REQUEST",
            "A request has Content-Length or Transfer-Encoding, never both, and each once.",
            isKeptAlive: false),
        WrongRequest(
            "length with a sign", "POST /graphql HTTP/1.1\r\nHost: a\r\nContent-Length: +2\r\n\r\n{}", 400,
            "BAD_REQUEST", "A request has Content-Length or Transfer-Encoding, never both, and each once.",
            isKeptAlive: false),
        WrongRequest(
            "chunk size that is no number",
            "POST /graphql HTTP/1.1\r\nHost: a\r\nContent-Type: application/json\r\n"
                + "Transfer-Encoding: chunked\r\n\r\nxyz\r\n", 400, "BAD_REQUEST",
            "The request is no HTTP: a chunk's size is no hexadecimal number.", isKeptAlive: false),
        WrongRequest(
            "space before a colon", "GET /health/live HTTP/1.1\r\nHost : a\r\n\r\n", 400, "BAD_REQUEST",
            "The request is no HTTP: a header field has a character that it may not have.", isKeptAlive: false
        ),
        WrongRequest(
            "another transfer coding",
            "POST /graphql HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: gzip, chunked\r\n\r\n", 501,
            "NOT_IMPLEMENTED",
            #"The only transfer coding that is understood is "chunked"."#, isKeptAlive: false),
        WrongRequest(
            "transfer coding in HTTP/1.0",
            "POST /graphql HTTP/1.0\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n", 400, "BAD_REQUEST",
            "A request has Content-Length or Transfer-Encoding, never both, and each once.",
            isKeptAlive: false),
        WrongRequest(
            "Authorization twice",
            RawRequest.post("{}", fields: ["Authorization: Bearer good", "authorization: Bearer bad"]), 400,
            "BAD_REQUEST",
            #"The field "Authorization" may stand only once in a request."#, isKeptAlive: false),
        WrongRequest(
            "another expectation", RawRequest.post("{}", fields: ["Expect: miracles"]), 417, "BAD_REQUEST",
            #"The expectation "miracles" is not "100-continue"."#, isKeptAlive: false),
        WrongRequest(
            "expectation of a refused request",
            "POST /nothing HTTP/1.1\r\nHost: a\r\nContent-Length: 5\r\nExpect: 100-continue\r\n\r\n", 404,
            "NOT_FOUND",
            #"Nothing is at "/nothing". The endpoint is "/graphql"."#, isKeptAlive: false),
    ]
}
