import TestSupport
import Testing
import Web

@Suite("A document that is named")
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

    @Test("is found by its id, in a body and in a URL")
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

    @Test("is refused where it is unknown", arguments: ["nothing", String(repeating: "0", count: 64)])
    func unknown(_ id: String) async throws {
        try await withServer { server in
            let answer = try await server.ask(RawRequest.post(#"{"documentId":"\#(id)"}"#))
            #expect(answer.status == 400)
            #expect(answer.code == "DOCUMENT_NOT_FOUND")
            #expect(
                answer.message == "There is no document \"\(id)\". Send the id of one that was registered.")
        }
    }

    @Test("is persisted by a client that sends it with its hash, and found by that hash from then on")
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

    @Test("is not persisted under another one's hash")
    func wrongHash() async throws {
        try await withServer { server in
            let answer = try await server.ask(persisted(Self.id, query: "{ session }"))
            #expect(answer.status == 400)
            #expect(answer.message == "The \"sha256Hash\" of \"persistedQuery\" is not that of the query.")
            #expect(try await server.ask(persisted(Self.id)).code == "PERSISTED_QUERY_NOT_FOUND")
        }
    }

    @Test(
        "is refused where its name is malformed",
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

    @Test("is not kept where nothing may be")
    func notSupported() async throws {
        try await withServer(service(DocumentPolicy(persistedBytes: 0))) { server in
            let answer = try await server.ask(persisted(Self.id, query: Self.text))
            #expect(answer.status == 400)
            #expect(answer.code == "PERSISTED_QUERY_NOT_SUPPORTED")
        }
    }

    @Test("is the only one that runs where only trusted ones do")
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

    @Test("has the SHA-256 that others compute")
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

    @Test("is answered in its order, each request for itself")
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
        "is refused where it is none, or too large",
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

@Suite("A bounded store")
struct BoundedStoreTests {
    @Test("forgets what has not been used, and never weighs more than it may")
    func forgetting() {
        let store = BoundedStore<Int, String>(capacity: 8)
        store.store("used", for: 0, weight: 1)
        for key in 1...20 {
            store.store("\(key)", for: key, weight: 2)
            #expect(store[0] == "used")
        }
        #expect(store[20] == "20")
        #expect((1...20).filter { store[$0] != nil }.count <= 4)
    }

    @Test("keeps nothing that is too heavy, and forgets what stood in its place")
    func heavy() {
        let store = BoundedStore<Int, String>(capacity: 8)
        store.store("light", for: 0, weight: 1)
        store.store("heavy", for: 0, weight: 5)
        #expect(store[0] == nil)
    }
}
