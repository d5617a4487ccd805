import GraphQL

/// Where a socket stands in the protocol, and what is to be done about each message (GraphQL over WebSocket).
///
/// A value without time or connection: `GraphQLWebSocketHandler` does what it says.
struct GraphQLWebSocketState {
    /// What a message asks for.
    enum Action {
        case initialise(InputObject)
        case send(ServerMessage)
        case begin(id: String, GraphQLRequest)
        case end(id: String)
        /// The client has as many operations as it may have; they go on.
        case reject(id: String)
    }

    private let limit: Int
    /// Whether the client has said who it is.
    private(set) var isInitialised = false
    private var operations: Set<UTF8Key> = []

    /// - Parameter limit: operations at a time.
    init(limit: Int) {
        self.limit = limit
    }

    /// Takes a message in.
    ///
    /// - Returns: what to do; nil for nothing.
    /// - Throws: `WebSocketCloseReason` where the socket must not go on.
    mutating func receive(_ message: ClientMessage) throws(WebSocketCloseReason) -> Action? {
        switch message {
        case .initialise(let payload):
            guard !isInitialised else { throw .tooManyInitialisations }
            isInitialised = true
            return .initialise(payload)
        case .ping(let payload): return .send(.pong(payload))
        case .pong: return nil
        case .subscribe(let id, let request):
            guard isInitialised else { throw .unauthorized }
            guard !operations.contains(UTF8Key(id)) else { throw .subscriberExists(id) }
            guard operations.count < limit else { return .reject(id: id) }
            operations.insert(UTF8Key(id))
            return .begin(id: id, request)
        case .complete(let id):
            // Both sides may end an operation at the same time, so one that is over already is no fault.
            return operations.remove(UTF8Key(id)) == nil ? nil : .end(id: id)
        }
    }

    /// The server has ended an operation.
    mutating func finish(_ id: String) { operations.remove(UTF8Key(id)) }
}
