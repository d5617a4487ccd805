import GraphQL
import NIOCore
import NIOWebSocket
import Tracing

/// What stands behind all sockets: who may begin, what answers, and the bounds.
struct GraphQLWebSocketService: Sendable {
    let responder: @Sendable (_ bearerToken: String?) -> GraphQLSession
    let prepare: @Sendable (GraphQL.GraphQLRequest) -> PreparedRequest
    let documents: DocumentResolver
    let tracer: RequestTracer?
    let recorder: OperationRecorder
    /// Whether clients that ask for it are told of upstream calls.
    let tellsUpstream: Bool
    let load: ServerResources
    let limits: ServerLimits
    let ids = RequestIDGenerator()

    /// Lets a socket's handlers in, the frames' bounds before what reads them.
    func handover(_ socket: Socket, holding permit: ClientShares.Permit?) -> ProtocolUpgrade {
        // The codec takes no length that 32 bits do not hold.
        let largest = min(limits.body, Int(Int32.max))
        return ProtocolUpgrade { channel in
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
            try pipeline.addHandler(GraphQLWebSocketHandler(self, socket, holding: permit))
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
    struct Caller: Sendable {
        let responder: GraphQLSession
        let token: String?
        /// Whether responses tell which upstream calls they have cost.
        let hearsOfUpstream: Bool
    }

    /// An operation that may run.
    struct Admission: Sendable {
        let requestID: RequestID
        /// Where it runs; nil for the global executor.
        let executor: (any TaskExecutor)?
        /// The type of the operation; nil if its request is refused, or not prepared yet.
        let type: OperationType?
        /// Counts it for its client; nil if it is not counted.
        let permit: ClientShares.Permit?
        /// Prepares the request, unless that is done.
        let operation: @Sendable () -> StreamedOperation
    }

    /// Counts an operation against the limits, in `load.streams` too.
    ///
    /// It prepares the request of a named user. Requests of other clients, who may send many at once, are prepared
    /// where they run, so that other connections of the event loop do not wait for them.
    ///
    /// - Parameters:
    ///   - request: What the client asks for.
    ///   - caller: The client.
    ///   - socket: The socket of the client.
    ///   - isDraining: Whether the server is shutting down.
    /// - Returns: The operation, which is to be run.
    /// - Throws: Why it is refused.
    func admit(
        _ request: GraphQL.GraphQLRequest, of caller: Caller, on socket: Socket, isDraining: Bool
    ) throws(HTTPError) -> Admission {
        try load.quota.charge(socket.client)
        if let token = caller.token { try load.quota.charge(token: token, from: socket.client) }
        guard !isDraining else { throw .shuttingDown }
        let resolved = try documents.resolve(request)
        let user = caller.responder.user
        let permit = try load.shares.stream(of: user, at: socket.client)
        let client = load.shares.client(user, at: socket.client)
        let executor = load.scheduler.executor(for: client)
        var reservation: MemoryBudget.Reservation?
        // The request of a named user is prepared here, and does not wait.
        let isReserved =
            executor == nil
            || load.requestMemory.reserve(
                resolved.weight, for: load.shares.address(socket.client), uncounted: 4 << 10,
                in: &reservation)
        guard isReserved else { throw .overloaded(.requestMemory) }
        let lazy = LazyRequest(resolved, holding: reservation, prepare: prepare)
        let type = executor == nil ? lazy.prepared.operationType : nil
        guard load.streams.enter() else { throw .overloaded(.streams) }
        let id = ids.make()
        return Admission(requestID: id, executor: executor, type: type, permit: permit) {
            StreamedOperation(
                request: lazy.prepared, responder: caller.responder,
                circumstances: RequestCircumstances(
                    id: id, trace: socket.trace,
                    allowedOperations: [.query, .mutation, .subscription], demandsFresh: false,
                    client: socket.client),
                hearsOfUpstream: caller.hearsOfUpstream, tracer: tracer, recorder: recorder,
                memory: load.streamMemory, scheduler: load.scheduler, client: client)
        }
    }
}
