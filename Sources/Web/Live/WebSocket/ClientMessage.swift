import GraphQL

/// What a client says (GraphQL over WebSocket, "Message types").
enum ClientMessage: Sendable {
    case initialise(InputObject)
    case ping(InputObject?)
    case pong
    case subscribe(id: String, GraphQL.GraphQLRequest)
    case complete(id: String)

    /// Reads a message.
    ///
    /// - Throws: `WebSocketCloseReason` with 4400 and what is wrong: a socket does not outlive a message that it cannot read.
    init(json: some Collection<UInt8>, limits: JSONLimits) throws(WebSocketCloseReason) {
        let value: InputValue
        do {
            value = try InputValue(json: Array(json).span, limits: limits)
        } catch {
            throw .invalidMessage("Invalid message: no JSON: \(error.message)")
        }
        guard case .object(let message) = value else {
            throw .invalidMessage("Invalid message: must be an object")
        }
        guard case .string(let type)? = message["type"] else {
            throw .invalidMessage("Invalid message: 'type' must be a string")
        }
        switch type {
        case "connection_init": self = .initialise(try message.object("payload") ?? InputObject())
        case "ping":
            let payload = try message.object("payload")
            // The payload is sent back, and a client that does not read would have it stored.
            guard payload == nil || json.count <= 1_024 else {
                throw .invalidMessage("Invalid message: a 'ping' with a payload must have at most 1024 bytes")
            }
            self = .ping(payload)
        case "pong":
            _ = try message.object("payload")
            self = .pong
        case "subscribe":
            guard let payload = try message.object("payload") else {
                throw .invalidMessage("Invalid message: 'subscribe' needs a 'payload'")
            }
            self = .subscribe(id: try message.id(), try GraphQL.GraphQLRequest(payload))
        case "complete": self = .complete(id: try message.id())
        default: throw .invalidMessage("Invalid message: unknown type '\(type.prefix(40))'")
        }
    }
}

extension InputObject {
    fileprivate func id() throws(WebSocketCloseReason) -> String {
        guard case .string(let id)? = self["id"], !id.isEmpty else {
            throw .invalidMessage("Invalid message: 'id' must be a string that is not empty")
        }
        // It is stored as long as the operation runs.
        guard id.utf8.count <= 256 else {
            throw .invalidMessage("Invalid message: 'id' must have at most 256 bytes")
        }
        return id
    }

    /// A member that may be left out or null.
    fileprivate func object(_ name: String) throws(WebSocketCloseReason) -> InputObject? {
        switch self[name] {
        case nil, .null?: return nil
        case .object(let object)?: return object
        default: throw .invalidMessage("Invalid message: '\(name)' must be an object")
        }
    }

    /// A member that may be left out or null.
    fileprivate func text(_ name: String) throws(WebSocketCloseReason) -> String? {
        switch self[name] {
        case nil, .null?: return nil
        case .string(let text)?: return text
        default: throw .invalidMessage("Invalid message: '\(name)' must be a string")
        }
    }
}

extension GraphQL.GraphQLRequest {
    /// The request of a `subscribe` message.
    fileprivate init(_ payload: InputObject) throws(WebSocketCloseReason) {
        let id = try payload.text("documentId")
        let extensions = try payload.object("extensions") ?? InputObject()
        let query = try payload.text("query")
        guard query != nil || id != nil || extensions["persistedQuery"] != nil else {
            throw .invalidMessage("Invalid message: 'payload.query' must be a string")
        }
        self.init(
            query ?? "", operationName: try payload.text("operationName"),
            variables: try payload.object("variables") ?? InputObject(), extensions: extensions)
        documentID = id
    }
}
