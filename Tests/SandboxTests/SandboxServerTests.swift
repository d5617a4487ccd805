import NIOCore
import Sandbox
import TestSupport
import Testing

@Suite("The sandbox's server")
struct SandboxServerTests {
    static let account =
        "GET /alpaca/v2/account HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer sandbox-demo-token\r\n"

    @Test("answers several requests of one connection in their order")
    func pipelined() async throws {
        let text = try await withSandbox { fixture in
            #expect(
                fixture.sandbox.faults.add(Fault(.latency(.milliseconds(30)), endpoint: "GET /v2/account")))
            return try await fixture.client.exchange(
                Self.account + "\r\n"
                    + "GET /_sandbox/calls HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n"
            )
        }
        let account = try #require(text.firstRange(of: "account_number"))
        let calls = try #require(text.firstRange(of: #"{"calls":"#))
        #expect(account.upperBound < calls.lowerBound)
        #expect(text.ranges(of: "HTTP/1.1 200 OK").count == 2)
    }

    @Test(
        "refuses what is not HTTP, or no path",
        arguments: [
            ("HELLO\r\n\r\n", "HTTP/1.1 400"),
            ("GET /alpaca/%zz HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n", "HTTP/1.1 400"),
            (
                "GET /alpaca/v2/account?period=%f HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n",
                "HTTP/1.1 400"
            ),
            ("GET http://x/ HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n", "HTTP/1.1 400"),
        ])
    func malformed(text: String, status: String) async throws {
        let reply = try await withSandbox { try await $0.client.exchange(text) }
        #expect(reply.hasPrefix(status))
    }

    @Test(
        "a handshake that comes to no WebSocket is answered as any request is",
        arguments: [
            ("/alpaca/v2/account", "13", 403), ("/nowhere", "13", 404),
            ("/saxo-streaming/connect?contextId=c", "13", 401),
            ("/saxo-streaming/connect?contextId=c", "8", 426),
        ])
    func refusedHandshake(path: String, version: String, status: Int) async throws {
        let reply = try await withSandbox { fixture in
            let lines = [
                "GET \(path) HTTP/1.1", "Host: localhost", "Connection: Upgrade, close", "Upgrade: websocket",
                "Sec-WebSocket-Version: \(version)", "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==",
            ]
            return Client.Reply(
                try await fixture.client.exchange(lines.joined(separator: "\r\n") + "\r\n\r\n"))
        }
        #expect(reply.status == status)
        #expect(reply.isWhole)
    }

    @Test("closes on a body beyond its bound")
    func longBody() async throws {
        let reply = try await withSandbox { fixture in
            try await fixture.client.post("/_sandbox/faults", String(repeating: " ", count: 1 << 20) + "{}")
        }
        #expect(reply.status == nil)
    }

    @Test(
        "stopping closes idle connections at once, not after the grace, and frees the port",
        .timeLimit(.minutes(10)))
    func stop() async throws {
        let (sandbox, port) = try await withSandbox({ $0.grace = .seconds(600) }) { fixture in
            try await fixture.client.connected { inbound, outbound in
                try await outbound.write(ByteBuffer(string: Self.account + "\r\n"))
                var parts = inbound.makeAsyncIterator()
                _ = try await parts.next()
                await fixture.sandbox.stop()
                while try await parts.next() != nil {}
            }
            return (fixture.sandbox, Int(fixture.sandbox.address.split(separator: ":")[1]) ?? 0)
        }
        #expect(sandbox.address.hasSuffix(":\(port)"))
        try await withSandbox({ $0.port = port }) { #expect($0.sandbox.address == sandbox.address) }
    }

    @Test("an answer in the making is finished when the sandbox stops")
    func finishes() async throws {
        let reply = try await withSandbox { fixture -> Task<Client.Reply, any Error> in
            #expect(fixture.sandbox.faults.add(Fault(.latency(.milliseconds(100)))))
            let asked = Task { try await fixture.trading("/v2/account") }
            try await waitUntil { fixture.sandbox.calls.total > 0 }
            return asked
        }
        #expect(try await reply.value.status == 200)
    }

    @Test("a port that is taken is an error, not another port")
    func taken() async throws {
        try await withSandbox { fixture in
            let port = Int(fixture.sandbox.address.split(separator: ":")[1]) ?? 0
            await #expect(throws: (any Error).self) {
                try await Sandbox.start(SandboxConfiguration(port: port))
            }
        }
    }

    @Test("the base URLs are under the address that was bound")
    func urls() async throws {
        try await withSandbox { fixture in
            #expect(fixture.sandbox.alpaca.tradingURL == "http://\(fixture.sandbox.address)/alpaca")
            #expect(fixture.sandbox.alpaca.dataURL == "http://\(fixture.sandbox.address)/alpaca-data")
        }
    }
}
