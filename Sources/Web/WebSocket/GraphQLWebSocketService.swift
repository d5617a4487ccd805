import Crypto
import Foundation
import GraphQL
import NIOCore
import NIOHTTP1
import NIOWebSocket
import Synchronization

/// What all WebSockets share: sessions, documents, limits and records.
struct GraphQLWebSocketService: Sendable {
    let session: @Sendable (_ bearerToken: String?) -> any GraphQLSession
    let prepare: @Sendable (GraphQLRequest) -> PreparedRequest
    let documents: DocumentResolver
    let tracer: RequestTracer?
    let recorder: OperationRecorder
    /// Whether responses list upstream calls for clients that request it.
    let allowsUpstreamReports: Bool
    let load: ServerResources
    let limits: ServerLimits
    let ids = RequestIDGenerator()

    /// Adds the handlers of a socket, the limits of frames before what reads them.
    ///
    /// - Parameters:
    ///   - context: The request of the handshake.
    ///   - supportsSubprotocol: Whether the client offers the subprotocol.
    ///   - permit: Counts the socket for its client; nil if it is not counted.
    /// - Returns: The upgrade of the connection.
    func upgrade(
        _ context: RequestContext, supportsSubprotocol: Bool, holding permit: ClientShares.Permit?
    ) -> ProtocolUpgrade {
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
                    undecoded, load.requestMemory, for: load.shares.address(context.client), limits))
            try pipeline.addHandler(
                GraphQLWebSocketHandler(
                    self, context, supportsSubprotocol: supportsSubprotocol, holding: permit))
        }
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
    ///   - context: The context of the socket.
    ///   - isDraining: Whether the server is shutting down.
    /// - Returns: The operation, which is to be run.
    /// - Throws: Why it is refused.
    func admit(
        _ request: GraphQLRequest, in context: RequestContext, isDraining: Bool
    ) throws(HTTPError) -> Admission {
        try load.quota.charge(context.client)
        if let token = context.token { try load.quota.charge(token: token, from: context.client) }
        guard !isDraining else { throw .shuttingDown }
        let resolved = try documents.resolve(request)
        let user = context.session.user
        let permit = try load.shares.stream(of: user, at: context.client)
        let client = load.shares.client(user, at: context.client)
        let executor = load.scheduler.executor(for: client)
        var reservation: MemoryBudget.Reservation?
        // The request of a named user is prepared here, and does not wait.
        let isReserved =
            executor == nil
            || load.requestMemory.reserve(
                resolved.weight, for: load.shares.address(context.client), uncounted: 4 << 10,
                in: &reservation)
        guard isReserved else { throw .overloaded(.requestMemory) }
        let lazy = LazyRequest(resolved, holding: reservation, prepare: prepare)
        let type = executor == nil ? lazy.prepared.operationType : nil
        guard load.streams.acquire() else { throw .overloaded(.streams) }
        var operation = context
        operation.requestID = ids.make()
        return Admission(requestID: operation.requestID, executor: executor, type: type, permit: permit) {
            [operation] in
            StreamedOperation(
                request: lazy.prepared, context: operation, tracer: tracer, recorder: recorder,
                memory: load.streamMemory, scheduler: load.scheduler, client: client)
        }
    }
}

/// The opening handshake of a WebSocket (RFC 6455, section 4.2).
struct WebSocketHandshake: Sendable {
    /// Whether the client offers the protocol that is spoken here; a socket without it is closed at once, with the code
    /// that says so.
    let supportsSubprotocol: Bool
    private let key: String

    /// The name of the protocol (GraphQL over WebSocket, "Communication").
    static let subprotocol = "graphql-transport-ws"

    /// Whether a request wants a WebSocket; what HTTP/1.0 says of Upgrade is passed over (RFC 9110, section 7.8).
    static func isRequested(by head: RequestHead) -> Bool {
        head.method == .GET && !head.isHTTP10 && head.fields.requestsUpgrade(to: "websocket")
    }

    /// Reads the client's part.
    ///
    /// - Throws: what is wrong with it.
    init(_ fields: RequestHeaders) throws(HTTPError) {
        guard fields.webSocketVersion == "13" else { throw .webSocketVersion }
        guard let key = fields.webSocketKey, Data(base64Encoded: key)?.count == 16 else {
            throw .webSocketKey
        }
        self.key = key
        supportsSubprotocol =
            fields.webSocketProtocol?.listMembers.contains { $0 == WebSocketHandshake.subprotocol } ?? false
    }

    /// The server's part, after which the connection is the protocol's.
    ///
    /// Its fields are named in the letters of RFC 6455: clients look for them in these, such as gql of Python.
    func response(_ handover: ProtocolUpgrade) -> HTTPResponse {
        var headers = [
            HTTPResponse.Header("Upgrade", "websocket"),
            HTTPResponse.Header("Sec-WebSocket-Accept", accept),
        ]
        if supportsSubprotocol {
            headers.append(HTTPResponse.Header("Sec-WebSocket-Protocol", WebSocketHandshake.subprotocol))
        }
        return HTTPResponse(switchingTo: handover, headers: headers)
    }

    /// Shows that the server has read the key (RFC 6455, section 4.2.2, 5.4); nothing rests on the strength of SHA-1.
    private var accept: String {
        let digest = Insecure.SHA1.hash(data: Data((key + "258EAFA5-E914-47DA-95CA-C5AB0DC85B11").utf8))
        return Data(digest).base64EncodedString()
    }
}

/// A request that is prepared when its operation starts.
///
/// Until then, its size counts against the memory for requests. Afterwards, the text and the undeclared variables
/// are not retained: a subscription can run for days.
final class LazyRequest: Sendable {
    private enum State {
        case waiting(GraphQLRequest, MemoryBudget.Reservation?)
        case prepared(PreparedRequest)
    }

    private let prepare: @Sendable (GraphQLRequest) -> PreparedRequest
    // One task prepares it; the lock makes the change of the state safe for the compiler.
    private let state: Mutex<State>

    /// - Parameters:
    ///   - request: The request.
    ///   - reservation: The memory for it, released when it is prepared.
    ///   - prepare: Parses and validates it.
    init(
        _ request: GraphQLRequest, holding reservation: MemoryBudget.Reservation?,
        prepare: @escaping @Sendable (GraphQLRequest) -> PreparedRequest
    ) {
        self.prepare = prepare
        state = Mutex(.waiting(request, reservation))
    }

    /// The prepared request; prepared with the first call.
    var prepared: PreparedRequest {
        state.withLock { state in
            switch state {
            case .prepared(let request): return request
            case .waiting(let request, _):
                let request = prepare(request)
                state = .prepared(request)
                return request
            }
        }
    }
}

extension GraphQLRequest {
    /// The approximate size in memory, in bytes.
    var weight: Int {
        document.utf8.count + InputValue.object(variables).weight + InputValue.object(extensions).weight
    }
}
