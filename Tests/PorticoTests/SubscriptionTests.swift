import TestSupport
import Testing

@Suite("Subscriptions")
struct SubscriptionTests {
    @Test("tell the user's positions at once, and end when the server stops")
    func positions() async throws {
        try await withServer { server in
            let asked = try await server.ask("{ positions { symbol } }")
            let count = try #require(asked.json?["data"]?["positions"]?.elements?.count)
            let client = try RawClient(port: server.port)
            try await client.send(
                RawRequest.post(
                    RawRequest.query("subscription { positions { symbol quantity account { number } } }"),
                    fields: [
                        "Accept: text/event-stream", "Authorization: Bearer \(RunningServer.sandboxToken)",
                    ]))
            var events = ""
            while events.split(separator: "event: next").count <= count || !events.hasSuffix("}}}\n\n") {
                events += try await client.take(1)
            }
            #expect(events.contains("HTTP/1.1 200 OK"))
            #expect(events.contains(#""account":{"number":""#))
            #expect(!events.contains("errors"))
            server.program.stop()
            // Not that it is complete: a client comes again then.
            #expect(try await !client.rest().contains("event: complete"))
            #expect(await server.program.exitStatus == 0)
        }
    }
}
