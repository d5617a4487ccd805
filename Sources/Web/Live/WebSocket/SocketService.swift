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
            // The messages of one read are handled without interruption, while other connections of the event loop wait.
            try channel.syncOptions?.setOption(.maxMessagesPerRead, value: 1)
            try channel.syncOptions?.setOption(
                .recvAllocator, value: FixedSizeRecvByteBufferAllocator(capacity: 1 << 10))
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

    /// Who uses a socket, as its first message tells.
    struct Caller {
        let responder: Responder
        let token: String?
        /// Whether responses tell which upstream calls they have cost.
        let hearsOfUpstream: Bool
    }

    /// An operation that may run.
    struct Admission: Sendable {
        let operation: FollowedOperation
        /// Counts it for its client; nil if it is not counted.
        let permit: ClientShares.Permit?
    }

    /// Counts an operation against the limits, in `load.streams` too, and prepares it.
    ///
    /// - Parameters:
    ///   - request: What the client asks for.
    ///   - caller: The client.
    ///   - socket: The socket of the client.
    ///   - isDraining: Whether the server is shutting down.
    /// - Returns: The operation, which is to be run.
    /// - Throws: Why it is refused.
    func admit(
        _ request: GraphQL.Request, of caller: Caller, on socket: Socket, isDraining: Bool
    ) throws(HTTPProblem) -> Admission {
        try load.quota.charge(socket.client)
        if let token = caller.token { try load.quota.charge(token: token, from: socket.client) }
        guard !isDraining else { throw .shuttingDown }
        let resolved = try documents.resolve(request)
        let user = caller.responder.user
        let permit = try load.shares.stream(of: user, at: socket.client)
        guard load.streams.enter() else { throw .overloaded(.streams) }
        let operation = FollowedOperation(
            request: prepare(resolved), responder: caller.responder,
            circumstances: RequestCircumstances(
                id: ids.make(), trace: socket.trace,
                allowedOperations: [.query, .mutation, .subscription], demandsFresh: false,
                client: socket.client),
            hearsOfUpstream: caller.hearsOfUpstream, tracer: tracer, recorder: recorder,
            memory: load.streamMemory, scheduler: load.scheduler,
            client: load.shares.client(user, at: socket.client))
        return Admission(operation: operation, permit: permit)
    }
}
