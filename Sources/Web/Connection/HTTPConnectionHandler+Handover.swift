import Logging
import NIOCore

/// The end of HTTP on a connection that goes on with another protocol.
extension HTTPConnectionHandler {
    /// Says `101`, lets the handlers of the other protocol in, and leaves together with the codec, which passes on
    /// what has arrived behind the request.
    func handOver(
        _ response: HTTPResponse, to handover: ProtocolUpgrade, for exchange: HTTPExchange,
        context: ChannelHandlerContext
    ) {
        isOver = true
        waiting.removeAll()
        timer?.cancel()
        timer = nil
        write(encode(response, for: exchange, isLast: false, context: context), context: context)
        context.flush()
        do {
            try handover.takeOver(context.channel)
            try leave(context: context)
        } catch {
            server.logger.error(
                "Handover failed", metadata: ["requestID": "\(exchange.id)", "error": "\(type(of: error))"])
            close(context: context)
        }
    }

    private func leave(context: ChannelHandlerContext) throws {
        let channel = context.channel
        let pipeline = channel.pipeline.syncOperations
        let codec = try pipeline.handler(type: HTTP1Codec.self)
        // First, so that what has arrived goes past it.
        pipeline.removeHandler(self, promise: nil)
        pipeline.removeHandler(codec, promise: nil)
        if isDraining { channel.pipeline.fireUserInboundEventTriggered(DrainEvent()) }
        if holdsRead { channel.read() }
    }
}
