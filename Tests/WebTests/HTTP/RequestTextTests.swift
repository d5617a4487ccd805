import TestSupport
import Testing
import Web

@Suite("A long text of a request")
struct RequestTextTests {
    /// A text of a client that is longer than what messages repeat.
    private static let long = String(repeating: "a", count: 6_000)

    @Test(
        "is repeated in the error by its beginning only",
        arguments: [
            (
                RawRequest.get("/\(long)"),
                "Nothing is at \"/\(long.prefix(99))…\". The endpoint is \"/graphql\"."
            ),
            (
                RawRequest.get("/graphql?\(long)=%FF"),
                "The URL's parameter \"\(long.prefix(80))…\" has an escape that is no UTF-8 character."
            ),
            (
                RawRequest.post("{}", fields: ["Accept: a/\(long)"]),
                "No response is possible in \"a/\(long.prefix(98))…\". Accept "
                    + "\"application/graphql-response+json\" or \"application/json\"."
            ),
            (
                RawRequest.post("{}", fields: ["Content-Encoding: \(long)"]),
                "The Content-Encoding \"\(long.prefix(80))…\" is not supported. Send the body as it is."
            ),
            (
                RawRequest.post("{}", fields: ["Expect: \(long)"]),
                "The expectation \"\(long.prefix(80))…\" is not \"100-continue\"."
            ),
            (
                RawRequest.get("/graphql", method: "POST", fields: ["Content-Type: \(long)"]),
                "The Content-Type \"\(long.prefix(80))…\" is not supported. Send \"application/json\" in UTF-8."
            ),
            (
                RawRequest.post("{\"query\":\"{ hello }\",\"variables\":{\"\(long)\":1,\"\(long)\":2}}"),
                "The request's JSON cannot be read. The object has the name \"\(long.prefix(256))…\" twice, at line 1, "
                    + "column 6040."
            ),
        ])
    func errors(_ request: String, _ message: String) async throws {
        try await withServer { server in
            let response = try await server.ask(request)
            #expect(response.message == message)
            #expect(response.body.utf8.count < 600)
        }
    }
}
