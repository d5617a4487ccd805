import GraphQL
package import NIOCore
package import NIOWebSocket

/// A message of a client (GraphQL over WebSocket, "Message types").
enum ClientMessage: Sendable {
    case initialise(InputObject)
    case ping(InputObject?)
    case pong
    case subscribe(id: String, GraphQLRequest)
    case complete(id: String)

    /// Decodes a message.
    ///
    /// - Throws: `WebSocketCloseReason` with code 4400 and a description: the WebSocket is closed after an
    ///   invalid message.
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
        // Of a longer text than any type has, the beginning.
        switch type.shortened(toBytes: 40) {
        case "connection_init": self = .initialise(try message.object("payload") ?? InputObject())
        case "ping":
            let payload = try message.object("payload")
            // The payload is sent back; for a client that does not read, it would have to be stored.
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
        default: throw .invalidMessage("Invalid message: unknown type '\(type.shortened(toBytes: 40))'")
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

    /// A member that may be missing or null.
    fileprivate func object(_ name: String) throws(WebSocketCloseReason) -> InputObject? {
        switch self[name] {
        case nil, .null?: return nil
        case .object(let object)?: return object
        default: throw .invalidMessage("Invalid message: '\(name)' must be an object")
        }
    }

    /// A member that may be missing or null.
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

/// The token in the first message of a WebSocket: browsers cannot send an Authorization field.
enum ConnectionInitToken {
    /// Names, in lower case, under which clients send the token without `Bearer`.
    private static let bareNames: [StaticString] = ["token", "authtoken", "accesstoken", "access_token"]

    /// Reads the token of `{"Authorization": "Bearer <token>"}` or `{"authToken": "<token>"}`; nil if there
    /// is none.
    ///
    /// It may also be in a member `headers`. Names are not case-sensitive, as in header fields.
    ///
    /// - Throws: `AuthenticationError` if the token has another form.
    static func read(_ payload: InputObject) throws(AuthenticationError) -> String? {
        for (name, value) in payload.fields {
            if name.matches("authorization") {
                if let text = try text(value) { return try BearerToken.read(text) }
            } else if bareNames.contains(where: { name.matches($0) }) {
                // Some clients send the value of the Authorization field.
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

    /// A string that is not empty; nil for the values that clients without a token send.
    private static func text(_ value: InputValue) throws(AuthenticationError) -> String? {
        switch value {
        case .null: nil
        case .string(let text):
            if text.isEmpty {
                nil
            } else if text.utf8.allSatisfy({ $0 < 0x80 }) {
                text
            } else {
                throw .notBearer
            }
        default: throw .notBearer
        }
    }
}

extension InputObject {
    /// True if the first message of a WebSocket requests a report of upstream calls with each response:
    /// `{"Portico-Upstream": true}`, since browsers cannot send header fields.
    ///
    /// The string "true" is accepted, too, as is a member `headers` with either value.
    var requestsUpstreamReport: Bool {
        for (name, value) in fields {
            switch value {
            case .boolean(true) where name.matches("portico-upstream"): return true
            case .string(let text) where name.matches("portico-upstream") && text.matches("true"): return true
            case .object(let headers) where name.matches("headers") && headers.requestsUpstreamReport:
                return true
            default: continue
            }
        }
        return false
    }
}

/// A message of the server (GraphQL over WebSocket, "Message types").
enum ServerMessage: Sendable {
    case acknowledge
    case pong(InputObject?)
    case next(id: String, GraphQLResponse)
    /// The operation did not start; no message follows for it.
    case error(id: String, GraphQLResponse)
    case complete(id: String)

    /// The message in one frame.
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
    /// The errors of a response that contains nothing else, as a JSON array.
    var errors: ArraySlice<UInt8> {
        let start = Array(#"{"errors":"#.utf8)
        guard body.starts(with: start), body.last == UInt8(ascii: "}") else {
            return Array(#"[{"message":"Internal server error"}]"#.utf8)[...]
        }
        return body.dropFirst(start.count).dropLast()
    }
}

extension ByteBuffer {
    /// Returns a complete frame of a server, which is never masked (RFC 6455, section 5.2).
    ///
    /// It is in one buffer: events for many clients are mostly such frames, and each further buffer would
    /// add one element to each write.
    ///
    /// - Parameters:
    ///   - opcode: The type of the frame.
    ///   - bytes: The approximate length of the payload in bytes.
    ///   - write: Writes the payload.
    /// - Returns: The frame.
    package static func frame(
        _ opcode: WebSocketOpcode, expecting bytes: Int = 128, _ write: (inout ByteBuffer) -> Void
    ) -> ByteBuffer {
        var frame = ByteBufferAllocator().buffer(capacity: maximumHeaderLength + bytes)
        // The length of the header is known only after the payload is written; the header is then written
        // directly before it.
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
    /// The frame is the last fragment of its message.
    private static var finBit: UInt8 { 0x80 }
}
