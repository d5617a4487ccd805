import NIOCore

/// Parses requests from the bytes of a connection and passes their parts to the connection's handler.
///
/// It calls the handler directly, because firing events would box each part. Bytes after the last request
/// are stored here, up to a limit, until the connection is closed or another protocol takes it over.
final class HTTP1Codec: ChannelDuplexHandler, RemovableChannelHandler {
    typealias InboundIn = ByteBuffer
    typealias InboundOut = ByteBuffer
    typealias OutboundIn = ByteBuffer

    private let connection: HTTPConnectionHandler
    private var parser: RequestParser
    private var isParsing = false
    /// Set if the codec must be removed after the current bytes are parsed.
    private var removal: ChannelHandlerContext.RemovalToken?
    /// Whether a read was requested and deferred.
    private var holdsRead = false

    init(_ connection: HTTPConnectionHandler, limits: ServerLimits) {
        self.connection = connection
        parser = RequestParser(limits)
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        guard !connection.isOver else { return }
        parser.receive(unwrapInboundIn(data))
        isParsing = true
        while !connection.isOver, let part = parser.next() {
            // The response to a request is not the last one if another request follows.
            connection.isMidHead = parser.isMidHead
            connection.receive(part)
        }
        isParsing = false
        connection.isMidHead = parser.isMidHead
        if let removal { finishRemoval(context: context, removal) }
    }

    func channelReadComplete(context: ChannelHandlerContext) {
        parser.releaseReadBuffer()
        context.fireChannelReadComplete()
    }

    func read(context: ChannelHandlerContext) {
        // Bytes after the last request are not needed: further ones stay in the client's socket.
        guard !parser.hasLeftOverBytes || connection.isOver else {
            holdsRead = true
            return
        }
        context.read()
    }

    func removeHandler(context: ChannelHandlerContext, removalToken: ChannelHandlerContext.RemovalToken) {
        if isParsing { removal = removalToken } else { finishRemoval(context: context, removalToken) }
    }

    /// Passes the connection to another protocol, with the bytes that have arrived for it.
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

/// The handlers of an HTTP/1.1 connection.
enum HTTP1Pipeline {
    static func addHandlers(to channel: any Channel, _ server: ServerState) throws {
        let connection = HTTPConnectionHandler(server, encoding: .http1)
        try channel.pipeline.syncOperations.addHandlers([
            HTTP1Codec(connection, limits: server.limits), connection,
        ])
    }
}
