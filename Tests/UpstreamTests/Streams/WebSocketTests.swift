import Brokerage
import NIOCore
import NIOHTTP1
import NIOWebSocket
import TestSupport
import Testing
import Upstream

@Suite("A WebSocket")
struct WebSocketTests {
    static func with(
        accepts: Bool = true, limits: WebSocketLimits = WebSocketLimits(),
        _ body: (WebSocketServer, WebSocketConnection) async throws -> Void
    ) async throws {
        let server = try await WebSocketServer.start(accepts: accepts)
        let socket = try await open(server, limits: limits)
        try await body(server, socket)
        socket.close()
        try await server.stop()
    }

    static func open(
        _ server: WebSocketServer, limits: WebSocketLimits = WebSocketLimits(),
        _ headers: Upstream.HTTPClientHeaders = Upstream.HTTPClientHeaders()
    ) async throws -> WebSocketConnection {
        let url = try #require(HTTPURL(webSocket: "ws://127.0.0.1:\(server.port)/v2/iex?context=7"))
        return try await WebSocketConnection.open(
            url, headers: headers, before: .now + .seconds(60), limits: limits)
    }

    @Test("asks for the path with its headers, and carries messages both ways, masked from the client")
    func carries() async throws {
        let server = try await WebSocketServer.start()
        var headers = Upstream.HTTPClientHeaders()
        headers.add("Authorization", "Bearer 1")
        let socket = try await Self.open(server, headers)
        #expect(server.requestHead?.uri == "/v2/iex?context=7")
        #expect(server.requestHead?.headers["host"] == ["127.0.0.1:\(server.port)"])
        #expect(server.requestHead?.headers["authorization"] == ["Bearer 1"])
        try await socket.send(.text("hello"))
        let received = try #require(await server.receive())
        #expect(received.opcode == .text)
        #expect(received.bytes == Array("hello".utf8))
        #expect(received.isMasked)
        try await server.send(.text, Array("a".utf8))
        try await server.send(.binary, [0, 255])
        #expect(try await socket.receive() == .text("a"))
        #expect(try await socket.receive() == WebSocketMessage(.binary, [0, 255]))
        try await server.stop()
    }

    @Test("puts fragments together, with a ping between them that is answered")
    func fragments() async throws {
        try await Self.with { server, socket in
            try await server.send(.text, Array("one ".utf8), fin: false)
            try await server.send(.ping, [7])
            try await server.send(.continuation, Array("two".utf8))
            #expect(try await socket.receive() == .text("one two"))
            let pong = try #require(await server.receive())
            #expect(pong.opcode == .pong)
            #expect(pong.bytes == [7])
            #expect(pong.isMasked)
        }
    }

    @Test("the server's goodbye is answered and told with its code, behind the messages before it")
    func closes() async throws {
        try await Self.with { server, socket in
            try await server.send(.text, Array("last".utf8))
            try await server.send(.connectionClose, [0x03, 0xE9])
            #expect(try await socket.receive() == .text("last"))
            await #expect(throws: WebSocketError.closed(code: 1_001)) { try await socket.receive() }
            await #expect(throws: WebSocketError.closed(code: 1_001)) { try await socket.send(.text("x")) }
            let answer = try #require(await server.receive())
            #expect(answer.opcode == .connectionClose)
            #expect(answer.bytes == [0x03, 0xE9])
        }
    }

    @Test("closing here tells the server, and whoever receives")
    func closesHere() async throws {
        try await Self.with { server, socket in
            let receiver = Task { try await socket.receive() }
            socket.close(code: 1_000)
            await #expect(throws: WebSocketError.closedHere) { try await receiver.value }
            let goodbye = try #require(await server.receive())
            #expect(goodbye.opcode == .connectionClose)
            #expect(goodbye.bytes == [0x03, 0xE8])
        }
    }

    @Test("a broken connection is an error, not silence")
    func breaks() async throws {
        try await Self.with { server, socket in
            try await server.disconnect()
            await #expect(throws: WebSocketError.interrupted) { try await socket.receive() }
        }
    }

    @Test(
        "what breaks RFC 6455 ends it with code 1002",
        arguments: ["masked", "reserved", "continuation", "opcode"])
    func violations(_ kind: String) async throws {
        try await Self.with { server, socket in
            switch kind {
            case "masked": try await server.send(.text, [65], masked: true)
            case "reserved": try await server.send(.text, [65], rsv1: true)
            case "continuation": try await server.send(.continuation, [65])
            default: try await server.send(.init(encodedWebSocketOpcode: 0x3) ?? .pong, [65])
            }
            await #expect(throws: WebSocketError.protocolViolation) { try await socket.receive() }
            let goodbye = try #require(await server.receive())
            #expect(goodbye.opcode == .connectionClose)
            #expect(goodbye.bytes == [0x03, 0xEA])
        }
    }

    @Test("a frame or a message above its bound ends it with code 1009", arguments: [true, false])
    func tooLarge(_ isFrame: Bool) async throws {
        var limits = WebSocketLimits()
        limits.frameBytes = 1_000
        limits.messageBytes = 1_500
        try await Self.with(limits: limits) { server, socket in
            if isFrame {
                try await server.send(.binary, [UInt8](repeating: 1, count: 1_001))
            } else {
                try await server.send(.binary, [UInt8](repeating: 1, count: 1_000), fin: false)
                try await server.send(.continuation, [UInt8](repeating: 1, count: 501))
            }
            await #expect(throws: WebSocketError.tooLarge) { try await socket.receive() }
            let goodbye = try #require(await server.receive())
            #expect(goodbye.opcode == .connectionClose)
            #expect(goodbye.bytes == [0x03, 0xF1])
        }
    }

    @Test("is pinged, and given up when it says nothing")
    func silent() async throws {
        var limits = WebSocketLimits()
        limits.pingInterval = .milliseconds(20)
        try await Self.with(limits: limits) { server, socket in
            await #expect(throws: WebSocketError.silent) { try await socket.receive() }
            #expect(await server.receive()?.opcode == .ping)
        }
    }

    @Test("reads no further while nobody receives, and goes on afterwards without a loss")
    func backpressure() async throws {
        var limits = WebSocketLimits()
        limits.waitingMessages = 4
        try await Self.with(limits: limits) { server, socket in
            // More than all buffers between the two hold.
            let count = 400
            let payload = [UInt8](repeating: 1, count: 100_000)
            let sender = Task {
                for number in 0..<count { try await server.send(.binary, [UInt8(number % 251)] + payload) }
            }
            for number in 0..<count {
                let message = try await socket.receive()
                #expect(message.bytes.first == UInt8(number % 251))
                #expect(message.bytes.count == payload.count + 1)
            }
            try await sender.value
        }
    }

    @Test("a receiver that is cancelled leaves, and loses no message")
    func cancelled() async throws {
        try await Self.with { server, socket in
            let receiver = Task { try await socket.receive() }
            receiver.cancel()
            await #expect(throws: WebSocketError.cancelled) { try await receiver.value }
            try await server.send(.text, Array("kept".utf8))
            #expect(try await socket.receive() == .text("kept"))
        }
    }

    @Test("a server that refuses tells its status")
    func refused() async throws {
        let server = try await WebSocketServer.start(accepts: false)
        await #expect(throws: WebSocketError.rejected(status: 404)) { try await Self.open(server) }
        try await server.stop()
        let failure = ProviderFailure(.alpaca, webSocket: .rejected(status: 401), now: .earliest)
        #expect(failure.cause == .unauthorized)
    }

    @Test(
        "a server that refuses for now tells when to come again",
        arguments: [
            (429, "Retry-After: 7", ProviderFailure.Cause.rateLimited(retryAt: now + .seconds(7))),
            (
                429, "retry-after: Sun, 06 Nov 1994 08:49:37 GMT",
                .rateLimited(retryAt: Instant("1994-11-06T08:49:37Z"))
            ),
            (429, "X: y", .rateLimited(retryAt: nil)), (429, "Retry-After: soon", .rateLimited(retryAt: nil)),
            (503, "Retry-After: 7", .unavailable),
        ])
    func refusedForNow(status: Int, header: String, cause: ProviderFailure.Cause) async throws {
        let server = try TestServer { _ in .status(status, headers: [header]) }
        let url = try #require(HTTPURL(webSocket: "ws://127.0.0.1:\(server.port)/"))
        let error = await #expect(throws: WebSocketError.self) {
            try await WebSocketConnection.open(url, before: .now + .seconds(30))
        }
        server.stop()
        let failure = ProviderFailure(.alpaca, webSocket: try #require(error), now: Self.now)
        #expect(failure.cause == cause)
    }

    private static let now = Instant(secondsSince1970: 1_795_185_000) ?? .earliest

    @Test("a server that does not answer is given up at the deadline")
    func deadline() async throws {
        let server = try TestServer { _ in .silence }
        let url = try #require(HTTPURL(webSocket: "ws://127.0.0.1:\(server.port)/"))
        await #expect(throws: WebSocketError.timedOut) {
            try await WebSocketConnection.open(url, before: .now + .milliseconds(50))
        }
        await #expect(throws: WebSocketError.timedOut) {
            try await WebSocketConnection.open(url, before: .now - .seconds(1))
        }
    }

    @Test("cancelling ends an attempt")
    func cancelledAttempt() async throws {
        let server = try TestServer { _ in .silence }
        let url = try #require(HTTPURL(webSocket: "ws://127.0.0.1:\(server.port)/"))
        let attempt = Task { try await WebSocketConnection.open(url, before: .now + .seconds(60)) }
        await server.received(1)
        attempt.cancel()
        await #expect(throws: WebSocketError.cancelled) { _ = try await attempt.value }
    }

    @Test(
        "speaks TLS with a server that the roots vouch for by its name, and with no other",
        .enabled(if: ThrowawayCertificate.canBeMade))
    func encrypted() async throws {
        let certificate = try await ThrowawayCertificate.make()
        let server = try await WebSocketServer.start(certificate: certificate)
        let url = try #require(HTTPURL(webSocket: "wss://localhost:\(server.port)/"))
        let socket = try await WebSocketConnection.open(
            url, before: .now + .seconds(60), trustedRoots: certificate.certificate)
        try await server.send(.text, Array("secret".utf8))
        #expect(try await socket.receive() == .text("secret"))
        await #expect(throws: WebSocketError.tls) {
            try await WebSocketConnection.open(url, before: .now + .seconds(60))
        }
        let byAddress = try #require(HTTPURL(webSocket: "wss://127.0.0.1:\(server.port)/"))
        await #expect(throws: WebSocketError.tls) {
            try await WebSocketConnection.open(
                byAddress, before: .now + .seconds(60), trustedRoots: certificate.certificate)
        }
        try await server.stop()
        try certificate.delete()
    }

    @Test("no server, and one without TLS, are told apart")
    func unreachable() async throws {
        let port = TestServer.deadPort
        let dead = try #require(HTTPURL(webSocket: "ws://127.0.0.1:\(port)/"))
        await #expect(throws: WebSocketError.couldNotConnect) {
            try await WebSocketConnection.open(dead, before: .now + .seconds(60))
        }
        let server = try TestServer { _ in .status(200) }
        let plain = try #require(HTTPURL(webSocket: "wss://127.0.0.1:\(server.port)/"))
        await #expect(throws: WebSocketError.self) {
            try await WebSocketConnection.open(plain, before: .now + .milliseconds(500))
        }
    }

    @Test(
        "takes an address apart",
        arguments: [
            ("wss://stream.data.alpaca.markets/v2/iex", "stream.data.alpaca.markets", 443, "/v2/iex"),
            ("ws://127.0.0.1:8080", "127.0.0.1:8080", 8_080, "/"),
            ("ws://h?a=b", "h", 80, "/?a=b"), ("wss://[::1]:9/x?y=/", "[::1]:9", 9, "/x?y=/"),
        ])
    func parts(_ text: String, _ authority: String, _ port: Int, _ target: String) throws {
        let url = try #require(HTTPURL(webSocket: text))
        #expect(url.authority == authority)
        #expect(url.port == port)
        #expect(url.target == target)
        #expect(HTTPURL(webSocket: "https://h") == nil)
    }
}
