import GraphQL

/// The protocol state of a WebSocket, and the action for each message (GraphQL over WebSocket).
///
/// A value without time or connection: `GraphQLWebSocketHandler` performs the actions.
struct GraphQLWebSocketState {
    /// The action for a message.
    enum Action {
        case initialise(InputObject)
        case send(ServerMessage)
        case begin(id: String, GraphQLRequest)
        case end(id: String)
        /// The client has reached the limit of operations; those that run continue.
        case reject(id: String)
    }

    private let limit: Int
    /// True if the client has sent `connection_init`.
    private(set) var isInitialised = false
    private var operations: Set<UTF8Key> = []

    /// Creates the state of a new WebSocket.
    ///
    /// - Parameter limit: The maximum number of operations at a time.
    init(limit: Int) {
        self.limit = limit
    }

    /// Processes a message.
    ///
    /// - Returns: The action; nil if there is none.
    /// - Throws: `WebSocketCloseReason` if the WebSocket must be closed.
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
            // Both sides may end an operation at the same time, so an operation that has ended already is
            // not an error.
            return operations.remove(UTF8Key(id)) == nil ? nil : .end(id: id)
        }
    }

    /// Removes an operation that the server has ended.
    mutating func finish(_ id: String) { operations.remove(UTF8Key(id)) }
}
