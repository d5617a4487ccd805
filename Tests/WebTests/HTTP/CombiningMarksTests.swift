import GraphQL
import TestSupport
import Testing
import Web

/// Texts whose comparison as strings of Swift takes quadratic time: with 400 KB more than a minute, after which the client
/// of a test gives up.
@Suite("A character of many combining marks")
struct CombiningMarksTests {
    private static let long = text(marks: 200_000)

    private static func text(marks: Int) -> String {
        "e" + String(repeating: "\u{301}\u{323}", count: marks / 2)
    }

    @Test(
        "is compared by its bytes, wherever a body has it",
        arguments: [
            #"{"query":"{ hello }","\#(long)":1}"#, #"{"query":"{ hello }","variables":{"\#(long)":1}}"#,
            #"{"query":"{ hello }","extensions":{"\#(long)":1}}"#,
            #"{"query":"{ hello }","extensions":{"deferSpec":"\#(long)","incrementalSpec":"\#(long)"}}"#,
        ])
    func bodies(_ body: String) async throws {
        try await withServer { server in
            let response = try await server.ask(RawRequest.post(body))
            #expect(response.body == #"{"data":{"hello":"world"}}"#)
        }
    }

    @Test("is no name of a type", arguments: [#""\#(long)""#, "$name"])
    func typeNames(_ name: String) async throws {
        try await withServer(SmallSchema.service()) { server in
            let declared = name == "$name" ? "query($name: String!) " : ""
            let body: InputValue = .object([
                "query": .string("\(declared){ __type(name: \(name)) { name } }"),
                "variables": .object(["name": .string(Self.long)]),
            ])
            let response = try await server.ask(RawRequest.post(String(decoding: body.json, as: UTF8.self)))
            #expect(response.body == #"{"data":{"__type":null}}"#)
        }
    }

    @Test("is no name of an enum value, of a field or of a document")
    func unknownNames() async throws {
        let query = "query A($tone: Tone!) { say(tone: $tone) }"
        for (body, beginning) in [
            (
                #"{"query":"\#(query)","variables":{"tone":"\#(Self.long)"}}"#,
                "Variable \"$tone\" has invalid value"
            ),
            (#"{"documentId":"\#(Self.long)"}"#, "There is no document"),
            (
                #"{"extensions":{"persistedQuery":{"version":1,"sha256Hash":"\#(Self.long)"}}}"#,
                "The extension \"persistedQuery\" must be"
            ),
        ] {
            // Without suggestions, as with `--production`: their algorithm is in the engine.
            var options = ExecutionOptions()
            options.validation.suggests = false
            try await withServer(SmallSchema.service(options: options)) { server in
                let message = try #require(try await server.ask(RawRequest.post(body)).message)
                #expect(message.utf8.starts(with: beginning.utf8))
            }
        }
    }

    @Test(
        "is refused in a field of the head, where a short one is read",
        arguments: [
            "Accept", "Accept-Encoding", "Authorization", "Cache-Control", "Origin", "Sec-Fetch-Site",
            "traceparent",
            "apollographql-client-name", "If-None-Match", "X-Forwarded-For", "MCP-Protocol-Version",
            "Connection",
        ])
    func heads(_ name: String) async throws {
        try await withServer { server in
            for (marks, isRefused) in [(100, false), (5_000, true)] {
                let field = "\(name): \(Self.text(marks: marks))"
                let response = try await server.ask(
                    RawRequest.post(RawRequest.query("{ hello }"), fields: [field]))
                #expect(
                    (response.message
                        == "The request is no HTTP: a header field has a character that it may not have.")
                        == isRefused, "\(response.body)")
            }
        }
    }

    @Test(
        "is no member of the first message of a WebSocket",
        arguments: ["type", "name", "authToken", "Authorization"])
    func sockets(_ place: String) async throws {
        let message =
            switch place {
            case "type": #"{"type":"\#(Self.long)"}"#
            case "name": #"{"type":"connection_init","payload":{"\#(Self.long)":"a"}}"#
            case "authToken": #"{"type":"connection_init","payload":{"authToken":"\#(Self.long)"}}"#
            default: #"{"type":"connection_init","payload":{"Authorization":"Bearer \#(Self.long)"}}"#
            }
        try await withServer { server in
            let client = try server.client()
            try await client.send(SocketClient.handshake())
            #expect(try await client.response().status == 101)
            let socket = SocketClient(client: client)
            try await socket.say(message)
            let answer = try await socket.next()
            switch place {
            case "name": #expect(answer.text == #"{"type":"connection_ack"}"#)
            case "type": #expect(answer.closeCode == 4400)
            default: #expect(answer.closeCode == 4403)
            }
        }
    }
}
