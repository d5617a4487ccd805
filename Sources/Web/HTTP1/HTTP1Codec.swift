import NIOCore

/// Hands the parts of requests to a connection as their bytes arrive.
///
/// It calls the connection rather than firing parts at it, which would put each into a box. What comes behind a
/// connection's last request is kept here, within a bound, until the connection is closed or another protocol takes it
/// over.
final class HTTP1Codec: ChannelDuplexHandler, RemovableChannelHandler {
    typealias InboundIn = ByteBuffer
    typealias InboundOut = ByteBuffer
    typealias OutboundIn = ByteBuffer

    private let connection: HTTPConnectionHandler
    private var parser: RequestParser
    private var isParsing = false
    /// Set where the codec is to leave once it has parsed what it is at.
    private var removal: ChannelHandlerContext.RemovalToken?
    /// Whether a read was asked for and held back.
    private var holdsRead = false

    init(_ connection: HTTPConnectionHandler, limits: ServerLimits) {
        self.connection = connection
        parser = RequestParser(limits)
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        guard !connection.isOver else { return }
        parser.receive(unwrapInboundIn(data))
        isParsing = true
        while !connection.isOver, let part = parser.next() { connection.receive(part) }
        isParsing = false
        connection.isMidHead = parser.isMidHead
        if let removal { finishRemoval(context: context, removal) }
    }

    func channelReadComplete(context: ChannelHandlerContext) {
        parser.releaseReadBuffer()
        context.fireChannelReadComplete()
    }

    func read(context: ChannelHandlerContext) {
        // What stands behind the last request is of no interest to HTTP: the rest of it stays in the client's socket.
        guard !parser.hasLeftOverBytes || connection.isOver else {
            holdsRead = true
            return
        }
        context.read()
    }

    func removeHandler(context: ChannelHandlerContext, removalToken: ChannelHandlerContext.RemovalToken) {
        if isParsing { removal = removalToken } else { finishRemoval(context: context, removalToken) }
    }

    /// Leaves the connection to another protocol, with what has arrived for it.
    private func finishRemoval(context: ChannelHandlerContext, _ token: ChannelHandlerContext.RemovalToken) {
        removal = nil
        let rest = parser.removeLeftOverBytes()
        if rest.readableBytes > 0 {
            context.fireChannelRead(wrapInboundOut(rest))
            context.fireChannelReadComplete()
        }
        if holdsRead { context.read() }
        context.leavePipeline(removalToken: token)
    }
}

/// The handlers of a connection that speaks HTTP/1.1.
enum HTTP1Pipeline {
    static func addHandlers(to channel: any Channel, _ server: ServerState) throws {
        let connection = HTTPConnectionHandler(server, encoding: .http1)
        try channel.pipeline.syncOperations.addHandlers([
            HTTP1Codec(connection, limits: server.limits), connection,
        ])
    }
}
