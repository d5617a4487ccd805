import NIOCore

/// Closes a connection without TLS whose client sends no more, behind the answers that are made and not yet flushed.
///
/// Without it the channel would close by itself where the end has come together with a question, and before the flush
/// round of its answer. It stands before all other handlers, which learn of the connection's end as of any other.
final class HalfCloseHandler: ChannelInboundHandler, Sendable {
    typealias InboundIn = NIOAny

    func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
        guard case .inputClosed? = event as? ChannelEvent else {
            return context.fireUserInboundEventTriggered(event)
        }
        context.channel.pipeline.syncOperations.flush()
        context.close(promise: nil)
    }
}
