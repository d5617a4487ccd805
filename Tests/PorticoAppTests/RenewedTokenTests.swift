import TestSupport
import Testing

@Suite("A token that was renewed")
struct RenewedTokenTests {
    private static let stream = "subscription { goalsProgress { target } }"
    private static let first = #""target":"0"}"#
    private static let goal =
        #"createGoal(input: { title: "Boat", target: "500", allocations: [] }) { goal { id } }"#

    /// Reads events of a client until the text occurs.
    private static func read(_ client: RawClient, until text: String) async throws {
        var received = ""
        while !received.contains(text) { received += try await client.take(1) }
    }

    @Test("leaves streams, sockets and requests on their way to the session, until the session ends")
    func continues() async throws {
        try await withServer { server in
            let old = try await server.token()
            let socket = try await EndedTokenTests.open(server, token: old)
            try await socket.subscribe("1", Self.stream)
            #expect(try await socket.next().text.contains(Self.first))
            let events = try RawClient(port: server.port, patience: 20)
            defer { events.close() }
            try await events.send(
                RawRequest.post(
                    RawRequest.query(Self.stream),
                    fields: ["Accept: text/event-stream", "Authorization: Bearer \(old)"]))
            try await Self.read(events, until: Self.first)

            try await socket.subscribe("2", "mutation { renewSession { token } }")
            let answer = try JSONValue(parsing: try await socket.next().text)
            let new = try #require(answer["payload"]?["data"]?["renewSession"]?["token"]?.string, "\(answer)")
            #expect(try await socket.next().text == #"{"id":"2","type":"complete"}"#)

            let made = try await server.ask("mutation { \(Self.goal) }", token: new)
            #expect(made.failures.isEmpty, "\(made.body)")
            #expect(try await socket.next().text.contains(#""target":"500""#))
            try await Self.read(events, until: #""target":"500""#)
            for token in [old, new] {
                #expect(try await server.ask("{ goals { id } }", token: token).failures.isEmpty)
            }
            try await socket.subscribe("3", "{ goals { title } }")
            #expect(try await socket.next().text.contains("Boat"))
            #expect(try await socket.next().text == #"{"id":"3","type":"complete"}"#)

            let out = try await server.ask("mutation { signOut { deletedId } }", token: new)
            #expect(out.failures.isEmpty, "\(out.body)")
            #expect(try await socket.next().text.contains("UNAUTHENTICATED"))
            #expect(try await socket.next().closeCode == 4403)
            try await Self.read(events, until: "UNAUTHENTICATED")
            for token in [old, new] {
                let refused = try await server.ask("{ goals { id } }", token: token)
                #expect(refused.failures == [FieldFailure("goals", "UNAUTHENTICATED", nil)])
            }
        }
    }

    @Test("is replaced by the same token in all tabs that renew at the same time")
    func tabs() async throws {
        try await withServer { server in
            let old = try await server.token()
            let tokens = try await withThrowingTaskGroup(of: String.self) { tabs in
                for _ in 0..<3 {
                    tabs.addTask { try await server.token(of: "renewSession", token: old) }
                }
                return try await tabs.reduce(into: Set()) { $0.insert($1) }
            }
            #expect(tokens.count == 1 && !tokens.contains(old))
            let new = try #require(tokens.first)
            let sessions = try await server.ask("{ viewer { sessions { current } } }", token: new)
            #expect(sessions.json?["data"]?["viewer"]?["sessions"]?.elements?.count == 1)
        }
    }
}
