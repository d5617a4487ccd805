import TestSupport
import Testing

@Suite("Subscriptions")
struct SubscriptionTests {
    @Test("return the user's positions at once, and end when the server stops")
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

    @Test("deliver changes of a price at any hour of the week, because the sandbox's market is always open")
    func movingPrice() async throws {
        try await withServer { server in
            try await follow(
                #"subscription { quotes(symbols: ["AAPL"]) { price } }"#, on: server
            ) { client, events in
                func prices() -> Set<String> {
                    Set(events.matches(of: /"price":"([0-9.]+)"/).map { String($0.1) })
                }
                while prices().count < 3 { events += try await client.take(1) }
            }
        }
    }

    /// Follows something as server-sent events, until what has come is as it is to be.
    private func follow(
        _ query: String, on server: RunningServer, _ body: (RawClient, inout String) async throws -> Void
    ) async throws {
        let client = try await server.subscribe(RawRequest.query(query))
        defer { client.close() }
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

    @Test("report orders as they are placed, replaced and cancelled, with one id")
    func orders() async throws {
        try await withServer { server in
            let asked = try await server.ask("{ account(provider: \"alpaca\") { id } }")
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

    @Test("report progress as goals are reached")
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

    @Test("show one price of an instrument in all fields of each message")
    func consistency() async throws {
        try await withServer { server in
            let events = try await server.events(
                12,
                of: RawRequest.query(
                    """
                    subscription { quotes(symbols: ["BTC/USD"]) { price asOf instrument { id quote { price asOf } } } }
                    """))
            for event in events {
                let quote = try JSONValue(parsing: Array(event.utf8))["data"]?["quotes"]
                let nested = quote?["instrument"]?["quote"]
                #expect(quote?["price"]?.string != nil)
                #expect(nested?["price"] == quote?["price"] && nested?["asOf"] == quote?["asOf"], "\(event)")
            }
        }
    }

    @Test("of more symbols than a client's share report the refused symbols with the reason")
    func share() async throws {
        try await withServer(environment: ["PORTICO_MAXIMUM_SYMBOLS_PER_CLIENT": "1"]) { server in
            let query = #"subscription { quotes(symbols: ["AAPL", "KO"]) { symbol price } }"#
            let events = try await server.events(2, of: RawRequest.query(query))
                .map { try JSONValue(parsing: Array($0.utf8)) }
            #expect(events.count { $0["data"]?["quotes"]?["price"]?.string != nil } == 1, "\(events)")
            let error = events.compactMap { $0["errors"]?.elements?.first }.first
            #expect(error?["extensions"]?["code"]?.string == "RATE_LIMITED")
            #expect(error?["extensions"]?["retryAt"]?.string != nil)
            #expect(
                error?["message"]?.string
                    == """
                    One client may follow 1 symbols of alpaca at a time. End another subscription; Portico tries \
                    again.
                    """)
        }
    }

    /// Follows the price of a symbol, and leaves the stream open; returns its first event.
    private func event(
        of symbol: String, token: String, _ server: RunningServer
    ) async throws -> (client: RawClient, event: JSONValue) {
        let query = "subscription { quotes(symbols: [\"\(symbol)\"]) { price } }"
        let client = try await server.subscribe(RawRequest.query(query), token: token)
        return (client, try JSONValue(parsing: await client.event()))
    }

    @Test("of a guest on an event stream are for this guest, and for no client after signOut")
    func eventStream() async throws {
        try await withServer { server in
            let (owner, other) = (try await server.token(), try await server.token())
            let reserved = try await server.send(
                RawRequest.get("/graphql", method: "PUT", fields: server.fields(owner)))
            #expect(reserved.status == 201, "\(reserved.body)")
            /// The status of a request to stop an operation, which need not exist.
            func status(_ token: String?) async throws -> Int {
                let fields = ["X-GraphQL-Event-Stream-Token: \(reserved.body)"] + server.fields(token)
                let request = RawRequest.get("/graphql?operationId=1", method: "DELETE", fields: fields)
                return try await server.send(request).status
            }
            #expect(try await status(owner) == 200)
            for token in [nil, other, RunningServer.sandboxToken] as [String?] {
                #expect(try await status(token) == 404)
            }
            let ended = try await server.ask("mutation { signOut { deletedId } }", token: owner)
            #expect(ended.failures.isEmpty, "\(ended.body)")
            #expect(try await status(owner) == 404)
        }
    }

    @Test("of all guests at one address have one share of symbols, a user has another")
    func guests() async throws {
        try await withServer(environment: ["PORTICO_MAXIMUM_SYMBOLS_PER_CLIENT": "1"]) { server in
            let first = try await event(of: "AAPL", token: server.token(), server)
            #expect(first.event["data"]?["quotes"]?["price"]?.string != nil, "\(first.event)")
            let second = try await event(of: "KO", token: server.token(), server)
            #expect(second.event.failures.first?.code == "RATE_LIMITED", "\(second.event)")
            let user = try await event(of: "KO", token: RunningServer.sandboxToken, server)
            #expect(user.event["data"]?["quotes"]?["price"]?.string != nil, "\(user.event)")
            for client in [first.client, second.client, user.client] { client.close() }
        }
    }
}
