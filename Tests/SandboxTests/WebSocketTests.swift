import Brokerage
import Sandbox
import Testing

/// Tests of the sandbox's WebSockets by RFC 6455, over plain sockets.
@Suite("The sandbox's WebSockets")
struct WebSocketTests {
    private static let path = "/alpaca/stream"
    private static let endpoint = "GET /stream"
    private static let authorized = StreamClient.Frame.binary(
        Array(FakeAlpacaTradingStreamTests.authorized.utf8))

    @Test("put the fragments of a message together, and answer pings between them")
    func fragments() async throws {
        try await withSandbox { fixture in
            try await StreamClient.open(Self.path, of: fixture.client) { stream in
                let bytes = Array(FakeAlpacaTradingStreamTests.token.utf8)
                try await stream.send(opcode: 1, Array(bytes[..<10]), isFinal: false)
                try await stream.send(opcode: 9, [7])
                try await stream.expect(.pong)
                try await stream.send(opcode: 0, Array(bytes[10..<11]), isFinal: false)
                try await stream.send(opcode: 0, Array(bytes[11...]))
                try await stream.expect(Self.authorized)
            }
        }
    }

    @Test("read binary messages as they read text")
    func binary() async throws {
        try await withSandbox { fixture in
            try await StreamClient.open(Self.path, of: fixture.client) { stream in
                try await stream.send(opcode: 2, Array(FakeAlpacaTradingStreamTests.token.utf8))
                try await stream.expect(Self.authorized)
            }
        }
    }

    @Test("say goodbye when the client does, and after it nothing")
    func goodbye() async throws {
        try await withSandbox { fixture in
            try await StreamClient.open(Self.path, of: fixture.client) { stream in
                try await stream.send(opcode: 8, [0x03, 0xE8])
                try await stream.expect(.close(code: 1000))
                try await stream.expect(.end)
            }
        }
    }

    @Test("end when a text is not UTF-8")
    func notText() async throws {
        try await withSandbox { fixture in
            try await StreamClient.open(Self.path, of: fixture.client) { stream in
                try await stream.send(opcode: 1, [0xC3, 0x28])
                try await stream.expect(.close(code: 1007))
                try await stream.expect(.end)
            }
        }
    }

    @Test("end when a message is longer than a megabyte")
    func tooLong() async throws {
        try await withSandbox { fixture in
            try await StreamClient.open(Self.path, of: fixture.client) { stream in
                try await stream.announce(length: 1 << 21)
                try await stream.expect(.close(code: 1009))
                try await stream.expect(.end)
            }
        }
    }

    @Test("end when more waits to be read than they keep")
    func backlog() async throws {
        try await withSandbox { fixture in
            // The response to the first message is never sent, so no other message is read.
            let fault = Fault(.hang, endpoint: Self.endpoint + " message", remaining: 1)
            #expect(fixture.sandbox.faults.add(fault))
            try await StreamClient.open(Self.path, of: fixture.client) { stream in
                for _ in 0..<1_030 { try await stream.send("{}") }
                try await stream.expect(.close(code: 1008))
                try await stream.expect(.end)
            }
        }
    }

    @Test(
        "that are asked for in no way that they know are refused over HTTP, and the connection ends",
        arguments: ["", "Sec-WebSocket-Version: 8\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n"])
    func refused(fields: String) async throws {
        let text = try await withSandbox { fixture in
            try await fixture.client.exchange(
                "GET \(Self.path) HTTP/1.1\r\nHost: localhost\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\(fields)\r\n"
            )
        }
        let reply = Client.Reply(text)
        #expect(reply.status == 426 && reply.headers["connection"] == "close")
        #expect(reply.body == "This is a WebSocket\n")
    }

    @Test("are counted while they are open")
    func counted() async throws {
        try await withSandbox { fixture in
            try await StreamClient.open(Self.path, of: fixture.client) { first in
                try await first.send(FakeAlpacaTradingStreamTests.token)
                try await first.expect(Self.authorized)
                try await StreamClient.open(Self.path, of: fixture.client) { second in
                    try await second.send(FakeAlpacaTradingStreamTests.token)
                    try await second.expect(Self.authorized)
                    #expect(fixture.sandbox.streams[.alpaca, Self.endpoint] == 2)
                }
            }
            #expect(fixture.sandbox.calls[.alpaca, Self.endpoint] == 2)
        }
    }
}
