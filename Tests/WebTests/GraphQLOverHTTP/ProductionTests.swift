import GraphQL
import TestSupport
import Testing
import Web

@Suite("In production")
struct ProductionTests {
    @Test("queries need POST, the schema is not served, and health is reported")
    func refusal() async throws {
        let configuration = ServerConfiguration(host: "127.0.0.1", port: 0).inProduction
        try await withServer(configuration) { server in
            #expect(try await server.ask(RawRequest.get("/schema.graphql")).status == 404)
            let refusal = try await server.ask(RawRequest.get("/graphql?query=%7B+hello+%7D"))
            #expect(refusal.status == 405)
            #expect(refusal["allow"] == "POST, PUT, DELETE")
            #expect(refusal.message == "GET is not allowed here; use POST, PUT or DELETE.")
            #expect(try await server.ask(RawRequest.post(RawRequest.query("{ hello }"))).status == 200)
            #expect(try await server.ask(RawRequest.get("/health/live")).status == 200)
        }
    }

    /// The engine makes no suggestions, as with `--production`.
    @Test(
        "no message has suggestions",
        arguments: [
            #"{"query":"{ helo }"}"#, #"{"query":"{ __schema }"}"#, #"{"query":"{ say(tone: LOD) }"}"#,
            #"{"query":"query A($tone: Tone!) { say(tone: $tone) }","variables":{"tone":"LOD"}}"#,
        ])
    func suggestions(request: String) async throws {
        var options = ExecutionOptions()
        for suggests in [true, false] {
            options.validation.suggests = suggests
            try await withServer(SmallSchema.service(options: options)) { server in
                let message = try await server.ask(RawRequest.post(request)).message
                let isTold = try #require(message).contains("Did you mean")
                #expect(isTold == suggests)
            }
        }
    }
}
