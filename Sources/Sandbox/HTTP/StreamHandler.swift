import NIOCore
import NIOWebSocket

/// Reads the frames of one WebSocket, and runs its handler in a task that ends with the connection.
final class StreamHandler: ChannelInboundHandler {
    typealias InboundIn = WebSocketFrame
    typealias OutboundOut = WebSocketFrame

    /// The maximum size of a message, in bytes.
    static let maximumMessageSize = 1 << 20
    /// The maximum number of unread messages; a client that exceeds it is disconnected.
    static let maximumBacklog = 1_024

    private let incoming: AsyncStream<StreamFrame>.Continuation
    private let frames: AsyncStream<StreamFrame>
    private let serve: @Sendable (any Channel, AsyncStream<StreamFrame>) async -> Void
    private var task: Task<Void, Never>?

    init(serve: @escaping @Sendable (any Channel, AsyncStream<StreamFrame>) async -> Void) {
        (frames, incoming) = AsyncStream.makeStream(bufferingPolicy: .bufferingOldest(Self.maximumBacklog))
        self.serve = serve
    }

    func handlerAdded(context: ChannelHandlerContext) {
        let (channel, frames, serve) = (context.channel, frames, serve)
        task = Task { await serve(channel, frames) }
    }

    func channelInactive(context: ChannelHandlerContext) {
        incoming.finish()
        task?.cancel()
        context.fireChannelInactive()
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        context.close(promise: nil)
    }

    func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
        guard event is SandboxDrainEvent else { return context.fireUserInboundEventTriggered(event) }
        close(.goingAway, context: context)
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        let frame = unwrapInboundIn(data)
        switch frame.opcode {
        case .text:
            let bytes = Array(frame.unmaskedData.readableBytesView)
            guard let text = String(validating: bytes, as: UTF8.self) else {
                return close(.dataInconsistentWithMessage, context: context)
            }
            receive(.text(text), context: context)
        case .binary: receive(.binary(Array(frame.unmaskedData.readableBytesView)), context: context)
        case .ping:
            let pong = WebSocketFrame(fin: true, opcode: .pong, data: frame.unmaskedData)
            context.writeAndFlush(wrapOutboundOut(pong), promise: nil)
        case .connectionClose: close(.normalClosure, context: context)
        default: break
        }
    }

    private func receive(_ frame: StreamFrame, context: ChannelHandlerContext) {
        switch incoming.yield(frame) {
        case .dropped: close(.policyViolation, context: context)
        case .enqueued, .terminated: break
        @unknown default: break
        }
    }

    private func close(_ code: WebSocketErrorCode, context: ChannelHandlerContext) {
        var data = context.channel.allocator.buffer(capacity: 2)
        data.write(webSocketErrorCode: code)
        let bound = NIOLoopBound(context, eventLoop: context.eventLoop)
        context.writeAndFlush(
            wrapOutboundOut(WebSocketFrame(fin: true, opcode: .connectionClose, data: data))
        ).whenComplete { _ in bound.value.close(promise: nil) }
    }
}
