import GraphQL
import NIOCore
import NIOWebSocket
import Tracing

/// What stands behind all sockets: who may begin, what answers, and the bounds.
struct SocketService: Sendable {
    let responder: @Sendable (_ bearerToken: String?) -> Responder
    let prepare: @Sendable (GraphQL.Request) -> PreparedRequest
    let documents: DocumentResolver
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
            let undecoded = WebSocketMessageAssembler.Undecoded()
            try pipeline.addHandler(
                ByteToMessageHandler(CountingFrameDecoder(maxFrameSize: largest, undecoded)))
            try pipeline.addHandler(
                WebSocketMessageAssembler(
                    undecoded, load.requestMemory, for: load.shares.address(socket.client), limits))
            try pipeline.addHandler(SocketHandler(self, socket, holding: permit))
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
