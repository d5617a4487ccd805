import NIOCore
import SocketInputs

/// Sends an input, and reads until the server ends the connection.
final class FuzzHandler: ChannelInboundHandler {
    typealias InboundIn = ByteBuffer
    typealias OutboundOut = ByteBuffer

    private let input: SocketInput
    private let response: EventLoopPromise<ByteBuffer>
    private var received = ByteBuffer()
    private var timer: Scheduled<Void>?

    /// All time limits of the server expire before this.
    private static let timeout = TimeAmount.seconds(90)
    /// A limit that exceeds every response, in bytes.
    private static let maximumSize = 64 << 20

    init(_ input: SocketInput, _ response: EventLoopPromise<ByteBuffer>) {
        self.input = input
        self.response = response
    }

    func channelActive(context: ChannelHandlerContext) {
        timer = context.eventLoop.assumeIsolated().scheduleTask(in: Self.timeout) {
            self.response.fail(Finding("the server keeps a connection whose client has nothing more to say"))
            context.close(promise: nil)
        }
        context.writeAndFlush(wrapOutboundOut(ByteBuffer(bytes: input.bytes)), promise: nil)
        switch input.demand {
        // The server must end the connection.
        case .refusal, .responses: break
        case .survival: context.close(mode: .output, promise: nil)
        }
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        var bytes = unwrapInboundIn(data)
        guard received.readableBytes + bytes.readableBytes <= Self.maximumSize else {
            response.fail(Finding("the answer has no end"))
            return context.close(promise: nil)
        }
        received.writeBuffer(&bytes)
    }

    func channelInactive(context: ChannelHandlerContext) {
        timer?.cancel()
        response.succeed(received)
    }

    /// A reset is an end, too.
    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        context.close(promise: nil)
    }
}
