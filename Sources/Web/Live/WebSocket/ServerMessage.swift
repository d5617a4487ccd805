import GraphQL

/// What the server says (GraphQL over WebSocket, "Message types").
enum ServerMessage: Sendable {
    case acknowledge
    case pong(InputObject?)
    case next(id: String, GraphQL.Response)
    /// The operation did not begin; nothing more comes for it.
    case error(id: String, GraphQL.Response)
    case complete(id: String)

    var json: [UInt8] {
        switch self {
        case .acknowledge: Array(#"{"type":"connection_ack"}"#.utf8)
        case .pong(nil): Array(#"{"type":"pong"}"#.utf8)
        case .pong(let payload?):
            Array(#"{"type":"pong","payload":"#.utf8) + InputValue.object(payload).json + Self.end
        case .next(let id, let response): Self.start("next", id) + response.body + Self.end
        case .error(let id, let response): Self.start("error", id) + response.errors + Self.end
        case .complete(let id):
            Array(#"{"id":"#.utf8) + InputValue.string(id).json + Array(#","type":"complete"}"#.utf8)
        }
    }

    private static let end: [UInt8] = [UInt8(ascii: "}")]

    private static func start(_ type: String, _ id: String) -> [UInt8] {
        Array(#"{"id":"#.utf8) + InputValue.string(id).json + Array(#","type":"\#(type)","payload":"#.utf8)
    }
}

extension GraphQL.Response {
    /// The errors of a response that has nothing else, as an array of JSON.
    fileprivate var errors: ArraySlice<UInt8> {
        let start = Array(#"{"errors":"#.utf8)
        guard body.starts(with: start), body.last == UInt8(ascii: "}") else {
            return Array(#"[{"message":"Internal server error"}]"#.utf8)[...]
        }
        return body.dropFirst(start.count).dropLast()
    }
}
