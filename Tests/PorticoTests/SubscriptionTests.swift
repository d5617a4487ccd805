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

    /// Follows something as server-sent events, until what has come is as it is to be.
    private func follow(
        _ query: String, on server: RunningServer, _ body: (RawClient, inout String) async throws -> Void
    ) async throws {
        let client = try RawClient(port: server.port)
        defer { client.close() }
        try await client.send(
            RawRequest.post(
                RawRequest.query(query),
                fields: ["Accept: text/event-stream", "Authorization: Bearer \(RunningServer.sandboxToken)"]))
        var events = ""
        try await body(client, &events)
        #expect(!events.contains("errors"))
    }

    /// Reads on until an event has all of some texts.
    private func read(_ client: RawClient, _ events: inout String, until texts: String...) async throws {
        func isThere() -> Bool {
            events.split(separator: "\n\n").dropLast(events.hasSuffix("\n\n") ? 0 : 1).contains { event in
                texts.allSatisfy { event.contains($0) }
            }
        }
        while !isThere() { events += try await client.take(1) }
    }

    @Test("tell of orders as they are placed, replaced and cancelled, under one id")
    func orders() async throws {
        try await withServer { server in
            let asked = try await server.ask("{ account(provider: ALPACA) { id } }")
            let account = try #require(asked.json?["data"]?["account"]?["id"]?.string)
            func place(_ key: String) async throws -> String {
                let answer = try await server.ask(
                    """
                    mutation { placeOrder(input: { idempotencyKey: "\(key)" accountId: "\(account)" side: BUY
                        instrument: { symbol: "AMD" } size: { quantity: "1" } timeInForce: GTC
                        price: { limit: "2.5" } }) { order { id } } }
                    """)
                return try #require(
                    answer.json?["data"]?["placeOrder"]?["order"]?["id"]?.string, "\(answer.body)")
            }
            let open = try await place("open")
            let query = "subscription { orders { id state limitPrice } }"
            try await follow(query, on: server) { client, events in
                try await read(client, &events, until: open)
                let id = try await place("new")
                try await read(client, &events, until: id)
                _ = try await server.ask(
                    """
                    mutation { replaceOrder(id: "\(id)", input: { price: { limit: "2.6" } }) { order { id } } }
                    """)
                try await read(client, &events, until: id, #""limitPrice":"2.6""#)
                _ = try await server.ask("mutation { cancelOrder(id: \"\(id)\") { order { id } } }")
                try await read(client, &events, until: id, #""state":"CANCELED""#)
                let ids = events.split(separator: "\"id\":\"").dropFirst().map { $0.prefix { $0 != "\"" } }
                // Beside those that the sandbox's Saxo account has.
                let told = Set(ids.map(String.init)).filter { !$0.hasPrefix("Order:saxo:") }
                #expect(told == [open, id], "\(events)")
            }
        }
    }

    @Test("tell of progress as goals are made")
    func goals() async throws {
        try await withServer { server in
            try await follow("subscription { goalsProgress { target } }", on: server) { client, events in
                try await read(client, &events, until: #""target":"0""#)
                _ = try await server.ask(
                    """
                    mutation { createGoal(input: { title: "House", target: "25000", allocations: [] }) { goal { id } } }
                    """)
                try await read(client, &events, until: #""target":"25000""#)
            }
        }
    }
}
