import NIOCore
import TestSupport
import Testing
import Web

@Suite("The audit of GraphQL over Server-Sent Events")
struct EventStreamAuditTests {
    @Test("has no finding", arguments: EventStreamAudit.all)
    func isPassed(_ audit: EventStreamAudit) async throws {
        try await withServer(LiveService.make()) { server in
            let response = try await server.ask(audit.request)
            let type = try #require(response["content-type"])
            switch audit.outcome {
            case .stream(let events):
                expectStream(response)
                #expect(ServerSentEvent.read(response.body) == events, "\(response.body)")
            case .response(let beginning):
                expectStream(response)
                let events = ServerSentEvent.read(response.body)
                #expect(events.map(\.type) == ["next", "complete"], "\(response.body)")
                #expect(events.first?.data.hasPrefix(beginning) == true, "\(response.body)")
                #expect(events.last?.data == "")
            case .refusal(let status, let words):
                #expect(response.status == status, "\(response.body)")
                #expect(type.hasPrefix("application/"), "\(type)")
                let message = try #require(response.message)
                #expect(words.isEmpty || message.contains(words), "\(message)")
                if status == 405 { #expect(response["allow"]?.contains("POST") == true) }
                if status == 401 { #expect(response["www-authenticate"] != nil) }
            case .single(let expected):
                #expect(response.status == 200)
                #expect(type.hasPrefix(expected), "\(type)")
                #expect(response.json?["data"]?["hello"] == "world")
            }
        }
    }

    /// Checks the properties of every stream.
    private func expectStream(_ response: RawResponse) {
        #expect(response.status == 200)
        #expect(response["content-type"] == "text/event-stream; charset=utf-8")
        #expect(response["cache-control"] == "no-store")
        #expect(response["content-length"] == nil)
        #expect(response["content-encoding"] == nil)
        // Events have no ids, because streams cannot be resumed.
        #expect(!response.body.contains("\nid:"))
        #expect(response.body.hasPrefix(":\n\n"), "a client is to know at once that it is heard")
        #expect(response.body.hasSuffix("event: complete\ndata:\n\n"))
    }

    @Test("has each rule once")
    func names() {
        #expect(Set(EventStreamAudit.all.map(\.id)).count == EventStreamAudit.all.count)
    }

    @Test("ENCODING: a stream is not compressed, whatever the client takes, and its events come as they are")
    func encoding() async throws {
        try await withServer(LiveService.make()) { server in
            let client = try server.client()
            defer { client.close() }
            try await client.send(
                RawRequest.post(
                    #"{"query":"subscription { endless }"}"#,
                    fields: ["Accept: text/event-stream", "Accept-Encoding: gzip, br"]))
            var received = ""
            while !received.hasSuffix("data: {\"data\":{\"endless\":1}}\n\n") {
                received += try await client.take(1)
            }
            #expect(!received.lowercased().contains("content-encoding"))
            #expect(received.lowercased().contains("transfer-encoding: chunked"))
        }
    }

    @Test("HTTP/1.0: the stream ends with the connection")
    func oldClients() async throws {
        try await withServer(LiveService.make()) { server in
            let body = #"{"query":"subscription { count(to: 1) }"}"#
            let client = try server.client()
            try await client.send(
                "POST /graphql HTTP/1.0\r\nHost: a\r\nAccept: text/event-stream\r\nContent-Type: application/json\r\n"
                    + "Content-Length: \(body.utf8.count)\r\n\r\n" + body)
            let all = try await client.rest()
            #expect(!all.lowercased().contains("transfer-encoding"))
            #expect(
                all.hasSuffix("event: next\ndata: {\"data\":{\"count\":1}}\n\nevent: complete\ndata:\n\n"))
        }
    }

    @Test("REUSE: after a stream, the connection serves the next request")
    func reuse() async throws {
        try await withServer(LiveService.make()) { server in
            let client = try server.client()
            for _ in 0..<3 {
                let response = try await client.asking(
                    RawRequest.post(#"{"query":"{ hello }"}"#, fields: ["Accept: text/event-stream"]))
                #expect(ServerSentEvent.read(response.body).map(\.type) == ["next", "complete"])
            }
        }
    }
}
