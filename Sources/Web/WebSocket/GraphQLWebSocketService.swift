import Cryptography
import Foundation
package import GraphQL
import NIOCore
import NIOHTTP1
import NIOWebSocket
import Synchronization

/// Opens WebSockets, and admits their operations within the limits.
package struct GraphQLWebSocketService: Sendable {
    private let resources: OperationResources
    let ids = RequestIDGenerator()

    init(_ resources: OperationResources) { self.resources = resources }

    var authentication: RequestAuthentication { resources.authentication }
    var load: ServerResources { resources.load }
    var limits: ServerLimits { resources.limits }

    /// Adds the handlers of a WebSocket: frames are counted and limited before they are processed.
    ///
    /// - Parameters:
    ///   - context: The request of the handshake.
    ///   - supportsSubprotocol: True if the client offers the subprotocol.
    ///   - permit: Counts the WebSocket for its client; nil if it is not counted.
    /// - Returns: The upgrade of the connection.
    func upgrade(
        _ context: RequestContext, supportsSubprotocol: Bool, holding permit: ClientShares.Permit?
    ) -> ProtocolUpgrade {
        // The codec accepts only lengths that fit into 32 bits.
        let maximumFrameSize = min(limits.body, Int(Int32.max))
        return ProtocolUpgrade { channel in
            // The messages of one read are handled without interruption, while other connections of the
            // event loop wait.
            try channel.syncOptions?.setOption(.maxMessagesPerRead, value: 1)
            try channel.syncOptions?.setOption(
                .recvAllocator, value: FixedSizeRecvByteBufferAllocator(capacity: 1 << 10))
            let pipeline = channel.pipeline.syncOperations
            let undecoded = WebSocketMessageAssembler.Undecoded()
            try pipeline.addHandler(
                ByteToMessageHandler(CountingFrameDecoder(maxFrameSize: maximumFrameSize, undecoded)))
            try pipeline.addHandler(
                WebSocketMessageAssembler(
                    undecoded, load.requestMemory, for: load.shares.address(context.client), limits))
            try pipeline.addHandler(
                GraphQLWebSocketHandler(
                    self, context, supportsSubprotocol: supportsSubprotocol, holding: permit))
        }
    }

    /// An operation within the limits.
    struct Admission: Sendable {
        let requestID: RequestID
        /// The executor of its tasks; nil for the global executor.
        let executor: (any TaskExecutor)?
        /// The type of the operation; nil if its request is invalid, or not prepared yet.
        let type: OperationType?
        /// Counts the operation for its client; nil if it is not counted.
        let permit: ClientShares.Permit?
        /// Prepares the request, unless it is prepared already.
        let operation: @Sendable () -> StreamedOperation
    }

    /// Counts an operation against the limits, including `load.streams`.
    ///
    /// It prepares the request of a named user. Requests of other clients, which may send many at once, are
    /// prepared on their executor, so that other connections of the event loop do not wait for them.
    ///
    /// - Parameters:
    ///   - request: The request of the client.
    ///   - context: The context of the WebSocket.
    ///   - isDraining: True if the server is shutting down.
    /// - Returns: The operation, which the caller must run.
    /// - Throws: The limit that was exceeded, or the error of the document.
    func admit(
        _ request: GraphQLRequest, in context: RequestContext, isDraining: Bool
    ) throws(HTTPError) -> Admission {
        try authentication.charge(context)
        guard !isDraining else { throw .shuttingDown }
        let resolved = try resources.documents.resolve(request)
        let user = context.session.user
        let permit = try load.shares.stream(of: user, at: context.client)
        let executor = load.scheduler.executor(for: load.shares.client(user, at: context.client))
        var reservation: MemoryBudget.Reservation?
        // The request of a named user is prepared immediately, and needs no reservation.
        let isReserved =
            executor == nil
            || load.requestMemory.reserve(
                resolved.weight, for: load.shares.address(context.client), uncounted: 4 << 10,
                in: &reservation)
        guard isReserved else { throw .overloaded(.requestMemory) }
        let lazy = LazyRequest(resolved, holding: reservation, prepare: resources.prepareDocument)
        let type = executor == nil ? lazy.prepared.operationType : nil
        guard load.streams.acquire() else { throw .overloaded(.streams) }
        var operation = context
        operation.requestID = ids.make()
        operation.incrementalFormat = .pendingAndCompleted
        return Admission(requestID: operation.requestID, executor: executor, type: type, permit: permit) {
            [operation, resources] in StreamedOperation(lazy.prepared, in: operation, resources)
        }
    }
}

/// The opening handshake of a WebSocket (RFC 6455, section 4.2).
struct WebSocketHandshake: Sendable {
    /// True if the client offers the subprotocol; a WebSocket without it is closed immediately, with code
    /// 4406.
    let supportsSubprotocol: Bool
    private let key: String

    /// The name of the subprotocol (GraphQL over WebSocket, "Communication").
    static let subprotocol = "graphql-transport-ws"

    /// True if a request opens a WebSocket; the Upgrade field of HTTP/1.0 is ignored (RFC 9110, section
    /// 7.8).
    static func isRequested(by head: RequestHead) -> Bool {
        head.method == .GET && !head.isHTTP10 && head.fields.requestsUpgrade(to: "websocket")
    }

    /// Reads the handshake of the client.
    ///
    /// - Throws: The error in the handshake.
    init(_ fields: RequestHeaders) throws(HTTPError) {
        guard fields.webSocketVersion == "13" else { throw .webSocketVersion }
        guard let key = fields.webSocketKey, Data(base64Encoded: key)?.count == 16 else {
            throw .webSocketKey
        }
        self.key = key
        supportsSubprotocol =
            fields.webSocketProtocol?.listMembers.contains { $0 == WebSocketHandshake.subprotocol } ?? false
    }

    /// Returns the response, after which the connection uses the WebSocket protocol.
    ///
    /// The names of its fields have the capitals of RFC 6455: some clients, such as gql for Python, compare
    /// them literally.
    func response(_ upgrade: ProtocolUpgrade) -> HTTPResponse {
        var headers = [
            HTTPResponse.Header("Upgrade", "websocket"),
            HTTPResponse.Header("Sec-WebSocket-Accept", accept),
        ]
        if supportsSubprotocol {
            headers.append(HTTPResponse.Header("Sec-WebSocket-Protocol", WebSocketHandshake.subprotocol))
        }
        return HTTPResponse(switchingTo: upgrade, headers: headers)
    }

    /// Proves that the server has read the key (RFC 6455, section 4.2.2, 5.4); the strength of SHA-1 does
    /// not matter.
    private var accept: String {
        let digest = HashFunction.sha1.hash(key + "258EAFA5-E914-47DA-95CA-C5AB0DC85B11")
        return Data(digest).base64EncodedString()
    }
}

/// A request that is prepared when its operation starts.
///
/// Until then, its size counts against the memory for requests. Afterwards, the text and the undeclared
/// variables are not retained: a subscription can run for days.
package final class LazyRequest: Sendable {
    private enum State {
        case waiting(GraphQLRequest, MemoryBudget.Reservation?)
        case prepared(PreparedRequest)
    }

    private let prepare: @Sendable (GraphQLRequest) -> PreparedRequest
    // Only one task prepares the request; the compiler requires the mutex for the change of the state.
    private let state: Mutex<State>

    /// Creates a request that is not prepared yet.
    ///
    /// - Parameters:
    ///   - request: The request.
    ///   - reservation: The memory for it, released when it is prepared.
    ///   - prepare: Parses and validates it.
    package init(
        _ request: GraphQLRequest, holding reservation: MemoryBudget.Reservation?,
        prepare: @escaping @Sendable (GraphQLRequest) -> PreparedRequest
    ) {
        self.prepare = prepare
        state = Mutex(.waiting(request, reservation))
    }

    /// The prepared request; the first call prepares it.
    package var prepared: PreparedRequest {
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
    package var weight: Int {
        document.utf8.count + InputValue.object(variables).weight + InputValue.object(extensions).weight
    }
}
