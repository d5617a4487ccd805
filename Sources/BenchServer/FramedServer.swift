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
        let channel = try await ServerBootstrap(group: MultiThreadedEventLoopGroup.singleton)
            .serverChannelOption(.backlog, value: 1024)
            .serverChannelOption(.socketOption(.so_reuseaddr), value: 1)
            .childChannelOption(.tcpOption(.tcp_nodelay), value: 1)
            .childChannelInitializer { channel in
                channel.eventLoop.makeCompletedFuture {
                    try channel.pipeline.syncOperations.addHandler(FramedHandler(responses))
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

private final class FramedHandler: ChannelInboundHandler {
    typealias InboundIn = ByteBuffer
    typealias OutboundOut = ByteBuffer

    private let responses: [Int: ByteBuffer]
    private var arrived = ByteBuffer()

    init(_ responses: [Int: ByteBuffer]) {
        self.responses = responses
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
        context.flush()
    }
}
