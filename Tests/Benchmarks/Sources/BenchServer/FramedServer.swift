import NIOCore
import NIOPosix

/// The floor below the floor: the same bytes on the same channels with no HTTP at all.
///
/// A question is known by the length of what stands behind its empty line, and its response is framed already.
struct FramedServer {
    private let channel: any Channel

    var port: Int? { channel.localAddress?.port }

    /// Returns when it is closed.
    func run() async throws {
        try await channel.closeFuture.get()
    }

    /// Listens on 127.0.0.1, and has the bodies of its answers by the lengths of the bodies of their questions.
    static func start(port: Int, answers: [Int: [UInt8]]) async throws -> FramedServer {
        let responses = answers.mapValues { response(of: $0) }
        let group = MultiThreadedEventLoopGroup.singleton
        var turns: [ObjectIdentifier: NIOLoopBound<Turn>] = [:]
        for eventLoop in group.makeIterator() {
            turns[ObjectIdentifier(eventLoop)] = try await eventLoop.submit {
                NIOLoopBound(Turn(eventLoop), eventLoop: eventLoop)
            }.get()
        }
        let turnOf = turns
        let channel = try await ServerBootstrap(group: group)
            .serverChannelOption(.backlog, value: 1024)
            .serverChannelOption(.socketOption(.so_reuseaddr), value: 1)
            .childChannelOption(.tcpOption(.tcp_nodelay), value: 1)
            .childChannelInitializer { channel in
                channel.eventLoop.makeCompletedFuture {
                    let turn = turnOf[ObjectIdentifier(channel.eventLoop)]?.value
                    try channel.pipeline.syncOperations.addHandler(FramedHandler(responses, turn))
                }
            }
            .bind(host: "127.0.0.1", port: port).get()
        return FramedServer(channel: channel)
    }

    /// With as many fields as Portico's answers have.
    private static func response(of body: [UInt8]) -> ByteBuffer {
        var response = ByteBuffer(
            string: """
                HTTP/1.1 200 OK\r
                content-type: application/json; charset=utf-8\r
                content-length: \(body.count)\r
                date: Sat, 21 Nov 2026 21:30:00 GMT\r
                x-request-id: 0123456789abcdef\r
                \r

                """)
        response.writeBytes(body)
        return response
    }
}

/// What was written in a turn of an event loop, and is flushed at its end, as Portico does it.
private final class Turn {
    private let eventLoop: any EventLoop
    private var contexts: [ChannelHandlerContext] = []

    init(_ eventLoop: any EventLoop) {
        self.eventLoop = eventLoop
    }

    func flush(_ context: ChannelHandlerContext) {
        contexts.append(context)
        switch contexts.count {
        case 1: eventLoop.assumeIsolated().execute { self.end() }
        case 16: end()
        default: break
        }
    }

    private func end() {
        for context in contexts { context.flush() }
        contexts.removeAll(keepingCapacity: true)
    }
}

private final class FramedHandler: ChannelInboundHandler {
    typealias InboundIn = ByteBuffer
    typealias OutboundOut = ByteBuffer

    private let responses: [Int: ByteBuffer]
    private let turn: Turn?
    private var arrived = ByteBuffer()

    init(_ responses: [Int: ByteBuffer], _ turn: Turn?) {
        self.responses = responses
        self.turn = turn
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        let part = unwrapInboundIn(data)
        if arrived.readableBytes == 0 { arrived = part } else { arrived.writeImmutableBuffer(part) }
        guard let body = FramedHandler.lengthOfBody(arrived.readableBytesUInt8Span) else { return }
        if let response = responses[body] {
            context.write(wrapOutboundOut(response), promise: nil)
        } else if arrived.readableBytesUInt8Span[0] == UInt8(ascii: "G") {
            let none = ByteBuffer(string: "HTTP/1.1 404 Not Found\r\ncontent-length: 0\r\n\r\n")
            context.write(wrapOutboundOut(none), promise: nil)
        } else {
            // The rest of the body is still to come.
            return
        }
        arrived = ByteBuffer()
    }

    /// How much stands behind the empty line; nil where none has arrived.
    private static func lengthOfBody(_ bytes: Span<UInt8>) -> Int? {
        var line = 0
        for index in bytes.indices where bytes[index] == UInt8(ascii: "\n") {
            if index == line + 1 { return bytes.count - index - 1 }
            line = index + 1
        }
        return nil
    }

    func channelReadComplete(context: ChannelHandlerContext) {
        if let turn { turn.flush(context) } else { context.flush() }
    }
}
