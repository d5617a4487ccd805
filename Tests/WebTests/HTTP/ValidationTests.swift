import TestSupport
import Testing
import Web

@Suite("A response to GET")
struct AnswerValidationTests {
    private static let path = "/graphql?query=%7B+hello+%7D"

    @Test("has no body if the client has the same content", arguments: [path, "/schema.graphql"])
    func notModified(_ path: String) async throws {
        try await withServer { server in
            let client = try server.client()
            let first = try await client.asking(RawRequest.get(path))
            let tag = try #require(first["etag"])
            for field in [tag, "\"other\", \(tag)", String(tag.dropFirst(2)), "*"] {
                let second = try await client.asking(
                    RawRequest.get(path, fields: ["If-None-Match: \(field)"]))
                #expect(second.status == 304)
                #expect(second["etag"] == tag)
                #expect(second["content-type"] == nil)
                #expect(second["content-length"] == nil)
            }
            let other = try await client.asking(RawRequest.get(path, fields: ["If-None-Match: \"other\""]))
            #expect(other.status == 200)
            #expect(other.body == first.body)
        }
    }

    @Test("may be stored by the client only, and names the fields on which it depends")
    func cacheControl() async throws {
        try await withServer { server in
            let answer = try await server.ask(RawRequest.get(Self.path))
            #expect(answer["cache-control"] == "private, no-cache")
            #expect(answer["vary"] == "accept, authorization, portico-upstream")
        }
    }

    @Test("has no entity tag if it must not be stored, is an error, or is a response to POST")
    func without() async throws {
        try await withServer { server in
            let requests = [
                RawRequest.get("/health/live"), RawRequest.get("/nothing"),
                RawRequest.post(RawRequest.query("{ hello }")),
            ]
            for request in requests {
                let answer = try await server.ask(request)
                #expect(answer["etag"] == nil)
            }
        }
    }
}
