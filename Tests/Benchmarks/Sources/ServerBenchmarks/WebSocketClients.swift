import NIOCore
import NIOPosix
import Synchronization

/// Many GraphQL-over-WebSocket clients of one server, on one event loop.
final class WebSocketClients: Sendable {
    typealias Receive = @Sendable (_ text: ByteBuffer, _ client: Int) -> Void

    private let group = MultiThreadedEventLoopGroup(numberOfThreads: 1)
    private let port: Int
    private let receive: Receive
    // Grown by several tasks.
    private let channels = Mutex<[any Channel]>([])

    /// The number of handshakes at the same time.
    private static let opening = 32

    /// - Parameters:
    ///   - port: The server's port on 127.0.0.1.
    ///   - receive: Called with each message after `connection_ack`, and with the number of the client.
    init(port: Int, receive: @escaping Receive = { _, _ in }) {
        self.port = port
        self.receive = receive
    }

    /// Opens sockets and waits for each `connection_ack`.
    func open(_ count: Int) async throws {
        try await withThrowingTaskGroup(of: Void.self) { group in
            for first in 0..<min(count, Self.opening) {
                group.addTask { [self] in
                    for number in stride(from: first, to: count, by: Self.opening) {
                        try await openOne(number)
                    }
                }
            }
            try await group.waitForAll()
        }
    }

    private func openOne(_ number: Int) async throws {
        let acknowledged = group.any().makePromise(of: Void.self)
        let channel: any Channel
        do {
            channel = try await ClientBootstrap(group: group)
                .channelInitializer { [receive] channel in
                    channel.eventLoop.makeCompletedFuture {
                        try channel.pipeline.syncOperations.addHandler(
                            SocketClientHandler(number, acknowledged, receive))
                    }
                }
                .connect(host: "127.0.0.1", port: port).get()
        } catch {
            acknowledged.fail(error)
            throw error
        }
        channels.withLock { $0.append(channel) }
        try await acknowledged.futureResult.get()
    }

    var openCount: Int { channels.withLock { $0.count(where: \.isActive) } }

    /// Sends a message on each socket.
    func send(_ text: String) {
        let frame = SocketFrame.text(text)
        for channel in channels.withLock(\.self) { channel.writeAndFlush(frame, promise: nil) }
    }

    func close() async throws {
        for channel in channels.withLock(\.self) { channel.close(promise: nil) }
        try await group.shutdownGracefully()
    }
}

/// One client: performs the handshake, sends `connection_init`, and replies to pings.
private final class SocketClientHandler: ChannelInboundHandler {
    typealias InboundIn = ByteBuffer
    typealias OutboundOut = ByteBuffer

    private enum State {
        case handshake, initializing, open
    }

    private let number: Int
    private let acknowledged: EventLoopPromise<Void>
    private let receive: WebSocketClients.Receive
    private var state = State.handshake
    /// The bytes of an incomplete frame.
    private var received = ByteBuffer()

    init(_ number: Int, _ acknowledged: EventLoopPromise<Void>, _ receive: @escaping WebSocketClients.Receive)
    {
        self.number = number
        self.acknowledged = acknowledged
        self.receive = receive
    }

    func channelActive(context: ChannelHandlerContext) {
        let handshake = """
            GET /graphql HTTP/1.1\r
            Host: localhost\r
            Upgrade: websocket\r
            Connection: Upgrade\r
            Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r
            Sec-WebSocket-Version: 13\r
            Sec-WebSocket-Protocol: graphql-transport-ws\r
            \r

            """
        context.writeAndFlush(wrapOutboundOut(ByteBuffer(string: handshake)), promise: nil)
    }

    func channelInactive(context: ChannelHandlerContext) {
        // Without effect after the acknowledgement.
        acknowledged.fail(BenchmarkError("A socket was closed before connection_ack."))
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        acknowledged.fail(error)
        context.close(promise: nil)
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        var bytes = unwrapInboundIn(data)
        if received.readableBytes == 0 { received = bytes } else { received.writeBuffer(&bytes) }
        if case .handshake = state { finishHandshake(context) }
        while state != .handshake, let frame = SocketFrame(from: &received) { take(frame, context) }
        // An idle client has no buffer.
        if received.readableBytes == 0 { received = ByteBuffer() }
    }

    private func finishHandshake(_ context: ChannelHandlerContext) {
        let end = ByteBuffer(string: "\r\n\r\n").readableBytesView
        guard let range = received.readableBytesView.firstRange(of: end) else { return }
        let head = received.readString(length: range.upperBound - received.readerIndex) ?? ""
        guard head.hasPrefix("HTTP/1.1 101 ") else {
            acknowledged.fail(BenchmarkError("The upgrade was rejected: \(head)"))
            return context.close(promise: nil)
        }
        state = .initializing
        send(SocketFrame.text(#"{"type":"connection_init"}"#), context)
    }

    private func take(_ frame: SocketFrame, _ context: ChannelHandlerContext) {
        switch frame.opcode {
        case SocketFrame.pingCode: send(SocketFrame.pong(frame.payload), context)
        case SocketFrame.textCode where state == .initializing:
            state = .open
            acknowledged.succeed()
        case SocketFrame.textCode: receive(frame.payload, number)
        default: context.close(promise: nil)
        }
    }

    private func send(_ frame: ByteBuffer, _ context: ChannelHandlerContext) {
        context.writeAndFlush(wrapOutboundOut(frame), promise: nil)
    }
}
