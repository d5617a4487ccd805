import TestSupport
import Testing
import Web

@Suite("A document id")
struct DocumentTests {
    private static let text = "{ hello }"
    private static let id = DocumentHash(of: text).description
    private static let world = #"{"data":{"hello":"world"}}"#

    private func service(_ policy: DocumentPolicy) -> TestGraphQLService {
        var service = TestService.make()
        service.documents = policy
        return service
    }

    private func persisted(_ hash: String, query: String? = nil) -> String {
        let text = query.map { #""query":"\#($0)","# } ?? ""
        return RawRequest.post(
            #"{\#(text)"extensions":{"persistedQuery":{"version":1,"sha256Hash":"\#(hash)"}}}"#)
    }

    @Test("is found in a body and in a URL")
    func trusted() async throws {
        try await withServer(service(DocumentPolicy(trusting: [Self.text]))) { server in
            for id in [Self.id, "sha256:\(Self.id)", Self.id.uppercased()] {
                let answer = try await server.ask(RawRequest.post(#"{"documentId":"\#(id)"}"#))
                #expect(answer.body == Self.world)
            }
            let answer = try await server.ask(RawRequest.get("/graphql?documentId=sha256:\(Self.id)"))
            #expect(answer.body == Self.world)
        }
    }

    @Test("that is unknown is refused", arguments: ["nothing", String(repeating: "0", count: 64)])
    func unknown(_ id: String) async throws {
        try await withServer { server in
            let answer = try await server.ask(RawRequest.post(#"{"documentId":"\#(id)"}"#))
            #expect(answer.status == 400)
            #expect(answer.code == "DOCUMENT_NOT_FOUND")
            #expect(
                answer.message == "There is no document \"\(id)\". Send the id of a trusted document.")
        }
    }

    @Test("that is unknown is repeated by its beginning only", arguments: ["x", "é"])
    func longUnknown(_ character: String) async throws {
        try await withServer { server in
            let id = String(repeating: character, count: 100_000)
            let answer = try await server.ask(RawRequest.post(#"{"documentId":"\#(id)"}"#))
            #expect(answer.code == "DOCUMENT_NOT_FOUND")
            let beginning = String(repeating: character, count: 80 / character.utf8.count)
            #expect(
                answer.message == "There is no document \"\(beginning)…\". Send the id of a trusted document."
            )
        }
    }

    @Test("is stored if a client sends it with the document, and found afterwards")
    func automatic() async throws {
        try await withServer { server in
            let missing = try await server.ask(persisted(Self.id))
            #expect(missing.status == 200)
            #expect(missing.code == "PERSISTED_QUERY_NOT_FOUND")
            #expect(missing.message == "PersistedQueryNotFound")
            #expect(try await server.ask(persisted(Self.id, query: Self.text)).body == Self.world)
            #expect(try await server.ask(persisted(Self.id)).body == Self.world)
            let inURL = "%7B%22persistedQuery%22:%7B%22version%22:1,%22sha256Hash%22:%22\(Self.id)%22%7D%7D"
            #expect(
                try await server.ask(RawRequest.get("/graphql?extensions=\(inURL)")).body == Self.world)
        }
    }

    @Test("is not stored for a text of more than a 64th of the memory, which is executed each time")
    func tooLong() async throws {
        var service = try SmallSchema.service()
        service.documents = DocumentPolicy(persistedBytes: 6_400)
        try await withServer(service) { server in
            for (length, isStored) in [(100, true), (101, false)] {
                let text = Self.text + " #" + String(repeating: "x", count: length - Self.text.count - 2)
                let hash = DocumentHash(of: text).description
                #expect(try await server.ask(persisted(hash, query: text)).body == Self.world)
                let code = try await server.ask(persisted(hash)).code
                #expect((code == nil) == isStored, "\(length) bytes: \(code ?? "stored")")
            }
        }
    }

    @Test("is not stored for another document")
    func wrongHash() async throws {
        try await withServer { server in
            let answer = try await server.ask(persisted(Self.id, query: "{ session }"))
            #expect(answer.status == 400)
            #expect(answer.message == "The \"sha256Hash\" of \"persistedQuery\" is not that of the query.")
            #expect(try await server.ask(persisted(Self.id)).code == "PERSISTED_QUERY_NOT_FOUND")
        }
    }

    @Test(
        "in another form is refused",
        arguments: [
            "1", "{}", #"{"version":2,"sha256Hash":"\#(id)"}"#, #"{"version":1,"sha256Hash":"abc"}"#,
            #"{"version":1,"sha256Hash":"\#(String(repeating: "g", count: 64))"}"#,
        ])
    func malformed(_ name: String) async throws {
        try await withServer { server in
            let answer = try await server.ask(
                RawRequest.post(#"{"query":"{ hello }","extensions":{"persistedQuery":\#(name)}}"#))
            #expect(answer.status == 400)
            #expect(answer.code == "BAD_REQUEST")
        }
    }

    @Test("is not stored if automatic persisted queries are off")
    func notSupported() async throws {
        try await withServer(service(DocumentPolicy(persistedBytes: 0))) { server in
            let answer = try await server.ask(persisted(Self.id, query: Self.text))
            #expect(answer.status == 400)
            #expect(answer.code == "PERSISTED_QUERY_NOT_SUPPORTED")
        }
    }

    @Test("is required if only trusted documents are run")
    func onlyTrusted() async throws {
        let policy = DocumentPolicy(trusting: [Self.text], runsOnlyTrusted: true)
        try await withServer(service(policy)) { server in
            #expect(
                try await server.ask(RawRequest.post(#"{"documentId":"\#(Self.id)"}"#)).body == Self.world)
            #expect(try await server.ask(persisted(Self.id)).body == Self.world)
            #expect(try await server.ask(RawRequest.post(RawRequest.query(Self.text))).body == Self.world)
            let strangers = [
                RawRequest.post(RawRequest.query("{ session }")),
                persisted(DocumentHash(of: "{ session }").description, query: "{ session }"),
                RawRequest.get("/graphql?query=%7B+session+%7D"),
            ]
            for stranger in strangers {
                let answer = try await server.ask(stranger)
                #expect(answer.status == 400)
                #expect(answer.code == "DOCUMENT_NOT_TRUSTED")
            }
        }
    }

    @Test("is the SHA-256 that other programs compute")
    func hashing() {
        // FIPS 180-2, appendix B.1.
        #expect(
            DocumentHash(of: "abc").description
                == "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad")
    }
}

@Suite("A batch")
struct BatchTests {
    private var limits: ServerLimits {
        var limits = ServerLimits.patient
        limits.batch = 3
        return limits
    }

    @Test("has its responses in order, one for each request")
    func answers() async throws {
        try await withServer(limits: limits) { server in
            let body = #"[{"query":"{ slow }"},{"query":"{ hello }"},{"query":"{ broken }"}]"#
            let answer = try await server.ask(RawRequest.post(body))
            #expect(answer.status == 200)
            let elements = try #require(answer.json?.elements)
            #expect(elements.count == 3)
            #expect(elements[0]["data"]?["slow"]?.string == "done")
            #expect(elements[1]["data"]?["hello"]?.string == "world")
            #expect(elements[2]["errors"]?[0]?["message"]?.string == "Internal server error")
        }
    }

    @Test(
        "that is malformed or too large is refused",
        arguments: [
            ("[]", "The request is an array without a request. Send one object with the key \"query\"."),
            (
                "[\([String](repeating: #"{"query":"{ hello }"}"#, count: 4).joined(separator: ","))]",
                "The request is an array of more than 3 requests. Send fewer at a time."
            ),
            ("[1]", "The request must be a JSON object with the key \"query\", not a number."),
            (
                #"[{"query":"{ hello }"},{"query":1}]"#,
                "The key \"query\" must be a string, not a number, at line 1, column 33."
            ),
            (
                #"[{"query":"{ hello }"},]"#,
                "The request's JSON cannot be read. Expected a value, found \"]\", at line 1, column 24."
            ),
        ])
    func refusals(_ body: String, _ message: String) async throws {
        try await withServer(limits: limits) { server in
            let answer = try await server.ask(RawRequest.post(body))
            #expect(answer.status == 400)
            #expect(answer.message == message)
        }
    }
}
