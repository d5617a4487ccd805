import NIOCore
import NIOPosix

/// A server that sends the same bytes to each client, whatever it receives.
final class Stranger: Sendable {
    private let listener: any Channel
    let port: Int

    private final class Reply: ChannelInboundHandler {
        typealias InboundIn = ByteBuffer
        typealias OutboundOut = ByteBuffer

        private let text: String

        init(_ text: String) { self.text = text }

        func channelRead(context: ChannelHandlerContext, data: NIOAny) {
            context.writeAndFlush(wrapOutboundOut(ByteBuffer(string: text)), promise: nil)
        }
    }

    init(replying text: String) async throws {
        listener = try await ServerBootstrap(group: MultiThreadedEventLoopGroup.singleton)
            .childChannelInitializer { channel in
                channel.eventLoop.makeCompletedFuture {
                    try channel.pipeline.syncOperations.addHandler(Reply(text))
                }
            }
            .bind(host: "127.0.0.1", port: 0).get()
        port = listener.localAddress?.port ?? 0
    }

    func stop() async throws { try await listener.close() }

    /// A port on which nothing listens now.
    static func freePort() async throws -> Int {
        let stranger = try await Stranger(replying: "")
        try await stranger.stop()
        return stranger.port
    }
}
