import GraphQL
import NIOCore
import NIOWebSocket

/// What a client says (GraphQL over WebSocket, "Message types").
enum ClientMessage: Sendable {
    case initialise(InputObject)
    case ping(InputObject?)
    case pong
    case subscribe(id: String, GraphQLRequest)
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
            self = .subscribe(id: try message.id(), try GraphQLRequest(payload))
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

extension GraphQLRequest {
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

/// The token of a socket's first message: where browsers put it, who cannot send an Authorization field.
enum ConnectionInitToken {
    /// Names, in lower case, under which clients send the bare token.
    private static let bareNames: Set<String> = ["token", "authtoken", "accesstoken", "access_token"]

    /// The token of `{"Authorization": "Bearer <token>"}` or `{"authToken": "<token>"}`; nil where there is none.
    ///
    /// It may also stand in a member `headers`. Names are in any case, as those of fields are.
    ///
    /// - Throws: `AuthenticationError` where it is there in another form.
    static func read(_ payload: InputObject) throws(AuthenticationError) -> String? {
        for (name, value) in payload.fields {
            if name.matches("authorization") {
                if let text = try text(value) { return try BearerToken.read(text) }
            } else if bareNames.contains(name.lowercased()) {
                // Some put the whole of the field there.
                if let text = try text(value) {
                    return try BearerToken.read(text.contains(" ") ? text : "Bearer \(text)")
                }
            }
        }
        for (name, value) in payload.fields {
            if name.matches("headers"), case .object(let headers) = value { return try read(headers) }
        }
        return nil
    }

    /// A text that says something; nil for what a client sends that has no token.
    private static func text(_ value: InputValue) throws(AuthenticationError) -> String? {
        switch value {
        case .null: nil
        case .string(let text): text.isEmpty ? nil : text
        default: throw .notBearer
        }
    }
}

extension InputObject {
    /// Whether a socket's first message asks to be told which upstream calls its operations cost:
    /// `{"Portico-Upstream": true}`, where browsers put what they cannot send as a header field.
    ///
    /// The word "true" does as well, as does a member `headers` with either.
    var requestsUpstreamReport: Bool {
        for (name, value) in fields {
            switch value {
            case .boolean(true) where name.matches("portico-upstream"): return true
            case .string(let word) where name.matches("portico-upstream") && word.matches("true"): return true
            case .object(let headers) where name.matches("headers") && headers.requestsUpstreamReport:
                return true
            default: continue
            }
        }
        return false
    }
}

/// What the server says (GraphQL over WebSocket, "Message types").
enum ServerMessage: Sendable {
    case acknowledge
    case pong(InputObject?)
    case next(id: String, GraphQLResponse)
    /// The operation did not begin; nothing more comes for it.
    case error(id: String, GraphQLResponse)
    case complete(id: String)

    /// The message in a frame of its own.
    var frame: ByteBuffer {
        switch self {
        case .acknowledge: .text(#"{"type":"connection_ack"}"#)
        case .pong(nil): .text(#"{"type":"pong"}"#)
        case .pong(let payload?):
            .frame(.text) { text in
                text.writeStaticString(#"{"type":"pong","payload":"#)
                text.writeBytes(InputValue.object(payload).json)
                text.writeStaticString("}")
            }
        case .next(let id, let response): Self.frame(of: "next", id, response.body)
        case .error(let id, let response): Self.frame(of: "error", id, response.errors)
        case .complete(let id):
            .frame(.text) { text in
                text.writeStaticString(#"{"id":"#)
                text.writeBytes(InputValue.string(id).json)
                text.writeStaticString(#","type":"complete"}"#)
            }
        }
    }

    private static func frame(
        of type: StaticString, _ id: String, _ payload: some Collection<UInt8>
    ) -> ByteBuffer {
        .frame(.text, expecting: payload.count + id.utf8.count + 48) { text in
            text.writeStaticString(#"{"id":"#)
            text.writeBytes(InputValue.string(id).json)
            text.writeStaticString(#","type":""#)
            text.writeStaticString(type)
            text.writeStaticString(#"","payload":"#)
            text.writeBytes(payload)
            text.writeStaticString("}")
        }
    }
}

extension GraphQLResponse {
    /// The errors of a response that has nothing else, as an array of JSON.
    var errors: ArraySlice<UInt8> {
        let start = Array(#"{"errors":"#.utf8)
        guard body.starts(with: start), body.last == UInt8(ascii: "}") else {
            return Array(#"[{"message":"Internal server error"}]"#.utf8)[...]
        }
        return body.dropFirst(start.count).dropLast()
    }
}

extension ByteBuffer {
    /// A whole frame of a server's, which are never masked (RFC 6455, section 5.2), in one piece of memory: what is sent to
    /// many is mostly such frames, and each piece more would be another of every write.
    ///
    /// - Parameters:
    ///   - opcode: What it is.
    ///   - bytes: About as many as are written.
    ///   - write: Writes what it holds.
    /// - Returns: the frame, ready to be sent.
    static func frame(
        _ opcode: WebSocketOpcode, expecting bytes: Int = 128, _ write: (inout ByteBuffer) -> Void
    ) -> ByteBuffer {
        var frame = ByteBufferAllocator().buffer(capacity: maximumHeaderLength + bytes)
        // How long the head is, is known when all is there; it is put right before that.
        frame.moveWriterIndex(to: maximumHeaderLength)
        frame.moveReaderIndex(to: maximumHeaderLength)
        write(&frame)
        let length = frame.readableBytes
        let start: Int
        switch length {
        case ..<126:
            start = maximumHeaderLength - 2
            frame.setInteger(UInt8(length), at: start + 1)
        case ..<65_536:
            start = maximumHeaderLength - 4
            frame.setInteger(UInt8(126), at: start + 1)
            frame.setInteger(UInt16(length), at: start + 2)
        default:
            start = maximumHeaderLength - 10
            frame.setInteger(UInt8(127), at: start + 1)
            frame.setInteger(UInt64(length), at: start + 2)
        }
        frame.setInteger(finBit | UInt8(webSocketOpcode: opcode), at: start)
        frame.moveReaderIndex(to: start)
        return frame
    }

    /// A frame of text.
    static func text(_ text: StaticString) -> ByteBuffer {
        frame(.text) { $0.writeStaticString(text) }
    }

    private static var maximumHeaderLength: Int { 10 }
    /// No other frame continues it.
    private static var finBit: UInt8 { 0x80 }
}
