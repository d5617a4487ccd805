import Foundation
import TestSupport
import Testing

@Suite("The front door, as it is set up")
struct FrontDoorTests {
    @Test("keeps to itself in production what strangers need not see")
    func production() async throws {
        try await withServer(["--production"]) { server in
            #expect(try await server.get("/schema.graphql").status == 404)
            #expect(try await server.get("/graphql?query=%7B__typename%7D").status == 405)
            let introspection = try await server.ask("{ __schema { queryType { name } } }")
            #expect(introspection.json?["data"] == nil)
            let misspelt = try await server.ask("{ acount { id } }")
            #expect(misspelt.message?.contains("Did you mean") == false)
            #expect(try await server.ask("{ account }").message?.contains("Did you mean") == false)
            let misnamed =
                #"{"query":"mutation A($i: SignInInput!) { signIn(input: $i) { token } }","variables":{"i":{"usernam":"a"}}}"#
            #expect(try await !server.send(RawRequest.post(misnamed)).body.contains("Did you mean"))
            // As scanners look whether each of ten directives is looked at.
            let overloaded = try await server.ask("{ __typename \(String(repeating: "@aa", count: 10)) }")
            #expect(overloaded.json?["errors"]?.elements?.count == 6)
            #expect(try await server.ask("{ __typename }").body == #"{"data":{"__typename":"Query"}}"#)
        }
    }

    @Test("runs only the documents of a folder where it is told so")
    func documents() async throws {
        let folder = FileManager.default.temporaryDirectory.appending(path: "portico-documents-\(UUID())")
        let inner = folder.appending(path: "app")
        try FileManager.default.createDirectory(at: inner, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        try Data("{ __typename }".utf8).write(to: inner.appending(path: "Type.graphql"))
        let environment = ["PORTICO_DOCUMENTS": folder.path, "PORTICO_DOCUMENTS_ONLY": "true"]
        // As `printf '{ __typename }' | sha256sum` has it.
        let id = "7f56e67dd21ab3f30d1ff8b7bed08893f0a0db86449836189b361dd1e56ddb4b"
        try await withServer(environment: environment) { server in
            let named = try await server.send(RawRequest.post(#"{"documentId":"\#(id)"}"#))
            #expect(named.body == #"{"data":{"__typename":"Query"}}"#)
            #expect(try await server.ask("{ accounts { id } }").code == "DOCUMENT_NOT_TRUSTED")
        }
    }

    @Test("tells browsers which sites may read answers, and collectors what it counts")
    func corsAndMetrics() async throws {
        try await withServer(environment: ["PORTICO_CORS_ORIGINS": "https://app.example.com"]) { server in
            let fields = ["Origin: https://app.example.com"]
            let answer = try await server.send(RawRequest.get("/health/live", fields: fields))
            #expect(answer["access-control-allow-origin"] == "https://app.example.com")
            let metrics = try await server.get("/metrics")
            #expect(metrics.body.contains(#"portico_http_requests_total{path="/health/live",method="GET""#))
        }
    }
}
