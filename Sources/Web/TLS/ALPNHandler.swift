import NIOCore
import NIOTLS

/// Waits for a TLS handshake, within a bound, and adds the handlers of the protocol that was agreed on.
final class ALPNHandler: ChannelInboundHandler, RemovableChannelHandler {
    typealias InboundIn = ByteBuffer

    private let server: ServerState
    private var timer: Scheduled<Void>?

    init(_ server: ServerState) {
        self.server = server
    }

    func channelActive(context: ChannelHandlerContext) {
        let entry = server.load.connections.add(
            context.channel, from: ClientAddress(context.channel.remoteAddress))
        guard entry == .admitted else { return context.close(promise: nil) }
        timer = context.eventLoop.assumeIsolated().scheduleTask(in: server.limits.headTimeout) {
            context.channel.closeWithoutHandshake()
        }
        context.fireChannelActive()
    }

    func channelInactive(context: ChannelHandlerContext) {
        timer?.cancel()
        context.fireChannelInactive()
    }

    func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
        guard case .handshakeCompleted(let name)? = event as? TLSUserEvent else {
            if event is DrainEvent { context.close(promise: nil) }
            return context.fireUserInboundEventTriggered(event)
        }
        timer?.cancel()
        let channel = context.channel
        do {
            if name == "h2" {
                try HTTP2Pipeline.addHandlers(to: channel, server)
            } else {
                try HTTP1Pipeline.addHandlers(to: channel, server)
            }
            channel.pipeline.syncOperations.removeHandler(self, promise: nil)
        } catch {
            context.close(promise: nil)
        }
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        // Failed handshakes are not logged: any client can cause them.
        context.close(promise: nil)
    }
}
