import NIOCore
import NIOWebSocket

/// Counts the bytes of a WebSocket message until it is complete, and refuses them when the total limit is reached.
///
/// It stands before the frame decoder, because the decoder and the aggregator buffer incomplete frames and messages.
final class MessageMemoryHandler: ChannelInboundHandler, RemovableChannelHandler {
    typealias InboundIn = ByteBuffer
    typealias InboundOut = ByteBuffer

    private let memory: RequestMemory
    private var share: RequestMemory.Share?
    private var received = 0
    private var isRefused = false

    init(_ memory: RequestMemory) {
        self.memory = memory
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        // The socket is being closed, and nothing more is buffered.
        guard !isRefused else { return }
        received += unwrapInboundIn(data).readableBytes
        guard memory.reserve(received, in: &share) else {
            isRefused = true
            return context.fireErrorCaught(CloseReason.requestMemory)
        }
        context.fireChannelRead(data)
    }

    /// A whole message, or a control frame between the frames of a message, has left the buffers.
    func didDeliver(_ frame: WebSocketFrame) {
        guard frame.opcode.isControlOpcode else {
            received = 0
            share = nil
            return
        }
        // The header of a client's control frame is two bytes and the mask (RFC 6455, section 5.2).
        received = max(0, received - 6 - frame.data.readableBytes)
    }
}
