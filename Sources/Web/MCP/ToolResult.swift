import GraphQL

/// The result of a call (Model Context Protocol, "Tool Result").
enum ToolResult: Sendable {
    /// The reason why the call was not executed.
    case refusal(String)
    /// The GraphQL response, as JSON.
    case response([UInt8])

    /// The message that contains the result, as JSON: the response as text, and as structured content if it has data.
    ///
    /// A response without data, or with errors in place of all root fields, is an error. One with errors beside its data is not,
    /// because the data is usable. The bytes of the response are copied, because parsed values need many times their memory.
    /// The message is written once, since the response is in it twice.
    func message(id: InputValue, _ revision: ProtocolRevision, isEvent: Bool = false) -> [UInt8] {
        let text: String
        var structured: [UInt8] = []
        switch self {
        case .refusal(let message): text = message
        case .response(let bytes):
            text = String(decoding: bytes, as: UTF8.self)
            // The output schema does not apply to errors.
            if Self.hasData(bytes) { structured = bytes }
        }
        let id = id.json
        // Quotes and backslashes take two bytes in a text.
        let escapes = text.utf8.count { $0 == UInt8(ascii: "\"") || $0 == UInt8(ascii: "\\") }
        let size = text.utf8.count + escapes + structured.count + id.count + 256
        return ResponseWriter.bytes(expecting: size) { writer in
            if isEvent { writer.write(json: "event: message\ndata: ") }
            writer.write(json: #"{"jsonrpc":"2.0","id":"#)
            writer.write(json: id.span)
            writer.write(json: #","result":{"content":[{"type":"text","text":"#)
            writer.write(text)
            writer.write(json: #"}],"isError":"#)
            writer.write(structured.isEmpty)
            if !structured.isEmpty {
                writer.write(json: #","structuredContent":"#)
                writer.write(json: structured.span)
            }
            if revision.isStateless { writer.write(json: #","resultType":"complete""#) }
            writer.write(json: "}}")
            if isEvent { writer.write(json: "\n\n") }
        }
    }

    /// Whether a response has data, and not errors in place of all root fields.
    ///
    /// Its keys are names of GraphQL, which have no escapes.
    private static func hasData(_ response: [UInt8]) -> Bool {
        let (start, null) = (#"{"data":{"#.utf8, #"":null"#.utf8)
        guard response.starts(with: start) else { return false }
        var rest = response.dropFirst(start.count)
        while rest.first == UInt8(ascii: "\"") {
            rest = rest.dropFirst().drop { $0 != UInt8(ascii: "\"") }
            guard rest.starts(with: null) else { return true }
            rest = rest.dropFirst(null.count)
            if rest.first == UInt8(ascii: ",") { rest = rest.dropFirst() }
        }
        return !rest.starts(with: #"},"errors":"#.utf8)
    }
}

/// The events of the call of a tool whose client asks for its progress: that it has started, and its result.
package struct ToolCallFormat: Sendable, Hashable {
    /// The id of the call.
    private let id: InputValue
    /// The client's token for the progress of the call.
    private let progressToken: InputValue
    private let tool: String
    private let revision: ProtocolRevision

    init(_ tool: Tool, id: InputValue, progressToken: InputValue, _ revision: ProtocolRevision) {
        (self.tool, self.id) = (tool.name, id)
        (self.progressToken, self.revision) = (progressToken, revision)
    }

    /// The notification that the call has started (Model Context Protocol, "Progress").
    var start: [UInt8] {
        let parameters: InputObject = [
            "progressToken": progressToken, "progress": .int(0), "total": .int(1),
            "message": .string("The operation \(tool) has started."),
        ]
        let notification: InputObject = [
            "jsonrpc": .string("2.0"), "method": .string("notifications/progress"),
            "params": .object(parameters),
        ]
        return Self.event(InputValue.object(notification).json)
    }

    /// The result of the call.
    func result(_ response: GraphQLResponse) -> [UInt8] {
        ToolResult.response(response.body).message(id: id, revision, isEvent: true)
    }

    /// An event; the JSON has no line breaks.
    private static func event(_ json: [UInt8]) -> [UInt8] {
        "event: message\ndata: ".utf8 + json + "\n\n".utf8
    }
}
