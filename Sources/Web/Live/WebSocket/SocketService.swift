import GraphQL
import NIOCore
import NIOWebSocket
import Tracing

/// What stands behind all sockets: who may begin, what answers, and the bounds.
struct SocketService: Sendable {
    let responder: @Sendable (_ bearerToken: String?) -> Responder
    let prepare: @Sendable (GraphQL.Request) -> PreparedRequest
    let documents: DocumentResolver
    let quota: ClientQuota
    let tracer: RequestTracer?
    let recorder: OperationRecorder
    /// Whether clients that ask for it are told of upstream calls.
    let tellsUpstream: Bool
    let load: ServerLoad
    let limits: ServerLimits
    let ids = RequestIDs()

    /// Lets a socket's handlers in, the frames' bounds before what reads them.
    func handover(_ socket: Socket, holding permit: ClientShares.Permit?) -> ProtocolHandover {
        // The codec takes no length that 32 bits do not hold.
        let largest = min(limits.body, Int(Int32.max))
        return ProtocolHandover { channel in
            let pipeline = channel.pipeline.syncOperations
            let receiver = MessageMemoryHandler(load.requestMemory)
            try pipeline.addHandler(receiver)
            try pipeline.addHandler(
                ByteToMessageHandler(WebSocketFrameDecoder(maxFrameSize: largest)))
            try pipeline.addHandler(FrameGate())
            try pipeline.addHandler(
                NIOWebSocketFrameAggregator(
                    minNonFinalFragmentSize: 0, maxAccumulatedFrameCount: 1_024,
                    maxAccumulatedFrameSize: largest))
            try pipeline.addHandler(SocketHandler(self, socket, receiver, holding: permit))
        }
    }

    /// One socket, as its handshake tells of it.
    struct Socket: Sendable {
        let client: ClientAddress
        /// What the Authorization field of the handshake says; nil where there is none, as browsers cannot send it.
        let token: String?
        /// The user of the token.
        let user: String?
        let speaksProtocol: Bool
        /// Where the client stands in a trace; nil where nothing is traced.
        let trace: ServiceContext?
        let asksForUpstream: Bool
    }
}

/// Refuses frames that no client may send (RFC 6455, sections 5.1, 5.2 and 5.5.1), before they are put together.
final class FrameGate: ChannelInboundHandler {
    typealias InboundIn = WebSocketFrame
    typealias InboundOut = WebSocketFrame

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        let frame = unwrapInboundIn(data)
        guard frame.maskKey != nil, !frame.rsv1, !frame.rsv2, !frame.rsv3,
            FrameGate.opcodes.contains(frame.opcode)
        else { return context.fireErrorCaught(CloseReason.protocolError) }
        context.fireChannelRead(data)
    }

    /// The others are reserved.
    private static let opcodes: Set<WebSocketOpcode> = [
        .continuation, .text, .binary, .connectionClose, .ping, .pong,
    ]
}
