import TestSupport
import Testing
import Web

@Suite("A client's share of streams and WebSockets", .timeLimit(.minutes(5)))
struct ClientShareTests {
    /// Runs a test with a server behind a proxy, with limits for each client.
    private func withServer(
        streams: Int = 1, sockets: Int = 1, _ test: (TestServer) async throws -> Void
    ) async throws {
        var limits = ServerLimits.patient
        (limits.streamsPerClient, limits.socketsPerClient) = (streams, sockets)
        var configuration = ServerConfiguration(host: "127.0.0.1", port: 0, limits: limits)
        configuration.trustedProxies = 1
        var service = try LiveService.make()
        service.user = { $0 == "somebody" ? $0 : nil }
        try await WebTests.withServer(configuration, service) { try await test($0) }
    }

    private func fields(_ address: String, isUser: Bool = false) -> String {
        "X-Forwarded-For: \(address)\r\n" + (isUser ? "Authorization: Bearer good\r\n" : "")
    }

    private func post(_ fields: String) -> String {
        let body = #"{"query":"subscription { endless }"}"#
        return "POST /graphql HTTP/1.1\r\nHost: a\r\nAccept: text/event-stream\r\n"
            + "Content-Type: application/json\r\n\(fields)Content-Length: \(body.utf8.count)\r\n\r\n\(body)"
    }

    /// Opens a stream.
    private func stream(_ server: TestServer, _ fields: String) async throws -> (RawClient, RawResponse) {
        let client = try server.client()
        try await client.send(post(fields))
        return (client, try await client.response(toHead: true))
    }

    @Test(
        "of streams is limited by the address of a client without a user, and free again at their end")
    func streams() async throws {
        try await withServer { server in
            let (first, opened) = try await stream(server, fields("203.0.113.1"))
            #expect(opened.status == 200)
            let refusal = try await server.ask(post(fields("203.0.113.1")))
            #expect(refusal.status == 503)
            #expect(refusal["retry-after"] == "1")
            #expect(refusal.body.contains(#""code":"OVERLOADED""#), "\(refusal.body)")
            #expect(
                refusal.message
                    == "A client may have 1 streams at a time, operations of its WebSockets included. "
                    + "Complete one of them.")
            let (second, other) = try await stream(server, fields("203.0.113.2"))
            #expect(other.status == 200)
            first.close()
            try await waitUntil {
                let (third, again) = try await stream(server, fields("203.0.113.1"))
                third.close()
                return again.status == 200
            }
            second.close()
        }
    }

    @Test("is one for a network of IPv6, and one for a user from all addresses")
    func identities() async throws {
        try await withServer { server in
            let cases: [(String, user: Bool, status: Int)] = [
                ("2001:db8::1", false, 200), ("2001:db8::2", false, 503), ("2001:db8:0:1::1", false, 200),
                ("2001:db8::1", true, 200), ("203.0.113.9", true, 503), ("203.0.113.9", false, 200),
            ]
            var clients: [RawClient] = []
            for (address, isUser, status) in cases {
                let (client, response) = try await stream(server, fields(address, isUser: isUser))
                #expect(response.status == status, "\(address), user: \(isUser)")
                clients.append(client)
            }
            for client in clients { client.close() }
        }
    }

    @Test("of streams includes the operations of all sockets of a client")
    func operations() async throws {
        try await withServer(streams: 2, sockets: 2) { server in
            var sockets: [SocketClient] = []
            for _ in 0..<2 {
                let socket = try await SocketClient.open(
                    server, SocketClient.handshake(fields: fields("203.0.113.1")))
                try await socket.say(#"{"type":"connection_init"}"#)
                #expect(try await socket.next().text == #"{"type":"connection_ack"}"#)
                try await socket.subscribe("1", "subscription { endless }")
                #expect(try await socket.next().text.contains(#""endless":1"#))
                sockets.append(socket)
            }
            try await sockets[0].subscribe("2", "{ hello }")
            let refusal = try await sockets[0].next().text
            #expect(refusal.hasPrefix(#"{"id":"2","type":"error""#))
            #expect(refusal.contains("A client may have 2 streams at a time"))
            #expect(refusal.contains("OVERLOADED"))
            // An operation that has ended frees its slot, immediately or shortly afterwards.
            try await sockets[1].say(#"{"id":"1","type":"complete"}"#)
            var number = 2
            try await waitUntil {
                number += 1
                try await sockets[0].subscribe("\(number)", "{ hello }")
                guard try await sockets[0].next().text.contains("world") else { return false }
                #expect(try await sockets[0].next().text.contains("complete"))
                return true
            }
        }
    }

    @Test("of sockets is limited at the handshake, and free again when a socket is closed")
    func sockets() async throws {
        try await withServer { server in
            let handshake = SocketClient.handshake(fields: fields("203.0.113.1"))
            let socket = try await SocketClient.open(server, handshake)
            let refusal = try await server.ask(handshake)
            #expect(refusal.status == 503)
            #expect(
                refusal.message
                    == "A client may have 1 WebSockets at a time. Close one of them, or use one for several "
                    + "operations.")
            socket.client.close()
            try await waitUntil {
                let client = try server.client()
                defer { client.close() }
                return try await client.asking(handshake).status == 101
            }
        }
    }

    @Test("of sockets is that of the user in the first message; the address gets its share back")
    func userOfSocket() async throws {
        try await withServer { server in
            let handshake = SocketClient.handshake(fields: fields("203.0.113.1"))
            let first = try await SocketClient.open(server, handshake)
            try await first.say(#"{"type":"connection_init","payload":{"token":"good"}}"#)
            #expect(try await first.next().text == #"{"type":"connection_ack"}"#)
            // The address has reached its limit of sockets.
            let second = try await SocketClient.open(server, handshake)
            try await second.say(#"{"type":"connection_init","payload":{"token":"good"}}"#)
            let close = try await second.next()
            #expect(close.closeCode == 1013)
            #expect(close.closeMessage == "A user may have 1 WebSockets at a time; close one of them")
            // The user is known from the handshake.
            let known = SocketClient.handshake(fields: fields("203.0.113.3", isUser: true))
            #expect(try await server.ask(known).status == 503)
        }
    }

    @Test("leaves no data in memory after a client has disconnected")
    func forgotten() throws {
        let limiter = KeyedConcurrencyLimiter<Int>(limit: 2)
        var permits = (0..<1_000).flatMap { key in (0..<3).map { _ in limiter.acquire(key) } }
        #expect(permits.count { $0 == nil } == 1_000)
        #expect(limiter.keyCount == 1_000)
        permits = []
        #expect(permits.isEmpty && limiter.keyCount == 0)
    }
}
