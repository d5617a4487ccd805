import NIOCore

/// Stands before the codec: tells the connection that bytes have arrived, and keeps them from a connection that is
/// over.
final class ArrivalGate: ChannelInboundHandler, RemovableChannelHandler {
    typealias InboundIn = ByteBuffer
    typealias InboundOut = ByteBuffer

    private let connection: ConnectionHandler

    init(_ connection: ConnectionHandler) {
        self.connection = connection
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        if connection.bytesArrived(unwrapInboundIn(data).readableBytes) { context.fireChannelRead(data) }
    }
}
