import GraphQL
import NIOCore
import NIOWebSocket

/// What the server says (GraphQL over WebSocket, "Message types").
enum ServerMessage: Sendable {
    case acknowledge
    case pong(InputObject?)
    case next(id: String, GraphQL.GraphQLResponse)
    /// The operation did not begin; nothing more comes for it.
    case error(id: String, GraphQL.GraphQLResponse)
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

extension GraphQL.GraphQLResponse {
    /// The errors of a response that has nothing else, as an array of JSON.
    var errors: ArraySlice<UInt8> {
        let start = Array(#"{"errors":"#.utf8)
        guard body.starts(with: start), body.last == UInt8(ascii: "}") else {
            return Array(#"[{"message":"Internal server error"}]"#.utf8)[...]
        }
        return body.dropFirst(start.count).dropLast()
    }
}
