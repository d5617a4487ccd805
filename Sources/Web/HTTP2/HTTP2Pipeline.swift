import NIOCore
import NIOHTTP1
import NIOHTTP2

/// The handlers of a connection that speaks HTTP/2 (RFC 9113): each of its streams is a channel with a request.
///
/// NIO's handler bounds what a client can do to a connection: resets, empty frames, continuations, control frames.
enum HTTP2Pipeline {
    static func addHandlers(to channel: any Channel, _ server: ServerState) throws {
        let limits = server.limits
        var connection = NIOHTTP2Handler.ConnectionConfiguration()
        connection.initialSettings = [
            HTTP2Setting(parameter: .maxConcurrentStreams, value: limits.streamsPerConnection),
            HTTP2Setting(parameter: .maxHeaderListSize, value: limits.uri + limits.headers),
        ]
        let management = NIOHTTP2ServerConnectionManagementHandler(
            eventLoop: channel.eventLoop,
            configuration: NIOHTTP2ServerConnectionManagementHandler.Configuration(
                maxIdleTime: limits.idleTimeout, maxAge: nil, maxGraceTime: limits.drainTimeout,
                keepalive: nil))
        let handler = NIOHTTP2Handler(
            mode: .server, eventLoop: channel.eventLoop, connectionConfiguration: connection,
            streamConfiguration: NIOHTTP2Handler.StreamConfiguration(),
            streamDelegate: management.http2StreamDelegate
        ) { stream in
            stream.eventLoop.makeCompletedFuture {
                try stream.pipeline.syncOperations.addHandlers([
                    HTTP2FramePayloadToHTTP1ServerCodec(), ConnectionHandler(server, encoding: .http2),
                ])
            }
        }
        try channel.pipeline.syncOperations.addHandlers([handler, management, HTTP2Drain()])
    }
}

/// Ends a connection when the server drains: no new streams, and the last answers are sent.
private final class HTTP2Drain: ChannelInboundHandler {
    typealias InboundIn = HTTP2Frame

    func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
        if event is DrainEvent {
            context.pipeline.fireUserInboundEventTriggered(ChannelShouldQuiesceEvent())
        } else {
            context.fireUserInboundEventTriggered(event)
        }
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        context.close(promise: nil)
    }
}
