import NIOCore
import NIOEmbedded
import NIOWebSocket
import Synchronization
import TestSupport
import Testing

@testable import Web

/// In virtual time, which advances only by calls of a test, and with the default limits.
///
/// No client responds to a close frame in this suite.
@Suite("The time in which a socket is closed")
struct SocketCloseTests {
    /// A socket whose token a test ends, after the acknowledgement.
    private final class TestSocket: Sendable {
        let channel = NIOAsyncTestingChannel()
        private let endToken = Mutex<(@Sendable () -> Void)?>(nil)

        init() async throws {
            var service = try LiveService.make()
            service.onEnd = { [weak self] _, observer in
                self?.endToken.withLock { $0 = observer }
                return nil
            }
            let configuration = ServerConfiguration()
            let route = GraphQLRoute(
                service.service, configuration, ServerResources(configuration.limits), .silent)
            let request = RequestContext(
                requestID: RequestIDGenerator().make(), client: ClientAddress(nil), token: nil,
                session: service.service.session(nil), accepted: AcceptedResponses(accept: nil))
            try await channel.connect(to: SocketAddress(ipAddress: "192.0.2.1", port: 1)).get()
            try await channel.testingEventLoop.executeInContext { [channel] in
                try channel.pipeline.syncOperations.addHandler(
                    GraphQLWebSocketHandler(
                        route.sockets, request, supportsSubprotocol: true, holding: nil))
            }
            try await say(#"{"type":"connection_init"}"#)
            #expect(try await next()?.text == #"{"type":"connection_ack"}"#)
        }

        func say(_ text: String) async throws {
            try await channel.writeInbound(
                WebSocketFrame(fin: true, opcode: .text, data: ByteBuffer(string: text)))
        }

        /// The next frame that the server has sent; nil if there is none.
        func next() async throws -> SocketClient.Frame? {
            guard
                let bytes = try await channel.readOutbound(as: ByteBuffer.self).map({
                    Array($0.readableBytesView)
                })
            else { return nil }
            return SocketClient.Frame(opcode: bytes[0] & 0x0F, payload: Array(bytes.dropFirst(2)))
        }

        /// Ends the token, and returns when the socket has been notified.
        func end() async throws {
            let observer = try #require(endToken.withLock { $0 })
            observer()
            await channel.testingEventLoop.run()
        }

        /// Expects that the server sends a close frame, and closes the connection, exactly after two times.
        func expectClose(
            _ code: Int, after time: TimeAmount, lingering linger: TimeAmount,
            sourceLocation: SourceLocation = #_sourceLocation
        ) async throws {
            let eventLoop = channel.testingEventLoop
            if time > .zero {
                await eventLoop.advanceTime(by: time - .nanoseconds(1))
                #expect(try await next() == nil, sourceLocation: sourceLocation)
                await eventLoop.advanceTime(by: .nanoseconds(1))
            }
            #expect(try await next()?.closeCode == code, sourceLocation: sourceLocation)
            await eventLoop.advanceTime(by: linger - .nanoseconds(1))
            #expect(channel.isActive, sourceLocation: sourceLocation)
            await eventLoop.advanceTime(by: .nanoseconds(1))
            #expect(!channel.isActive, sourceLocation: sourceLocation)
        }
    }

    /// The rest of the second is for the detection of the end: see `SessionMaintenanceServiceTests`.
    @Test(
        "is less than a second after the end of its token: at once if it is idle, else after a time for responses",
        arguments: [
            (nil, .zero), ("subscription { endless }", .zero),
            ("{ never }", GraphQLWebSocketHandler.lastResponses),
        ] as [(String?, TimeAmount)])
    func endedToken(_ operation: String?, _ time: TimeAmount) async throws {
        let socket = try await TestSocket()
        if let operation {
            try await socket.say(#"{"id":"a","type":"subscribe","payload":{"query":"\#(operation)"}}"#)
        }
        try await socket.end()
        if operation?.hasPrefix("subscription") == true {
            var frame: SocketClient.Frame?
            repeat { frame = try await socket.next() } while frame?.text.contains(#""endless":1"#) == true
            #expect(frame?.text.contains(#""code":"UNAUTHENTICATED""#) == true)
        }
        try await socket.expectClose(4403, after: time, lingering: GraphQLWebSocketHandler.lastLinger)
    }

    @Test("is the linger time of one second after another close frame")
    func otherReasons() async throws {
        let socket = try await TestSocket()
        try await socket.say("no JSON")
        try await socket.expectClose(4400, after: .zero, lingering: .seconds(1))
    }
}
