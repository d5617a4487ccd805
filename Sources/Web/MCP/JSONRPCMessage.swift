import GraphQL
import NIOHTTP1

/// A request or notification of JSON-RPC 2.0, as the Model Context Protocol sends them in the body of a POST.
struct JSONRPCMessage: Sendable {
    /// A short string or an integer; nil for a notification.
    let id: InputValue?
    /// The method; of a longer text than any method has, the beginning.
    let method: String
    let parameters: InputObject

    /// - Throws: `JSONRPCError` for a text that is not one message: a batch, a response, or another object.
    init(json: [UInt8], limits: JSONLimits) throws(JSONRPCError) {
        let value: InputValue
        do throws(JSONError) {
            value = try InputValue(json: json.span, limits: limits)
        } catch {
            throw JSONRPCError(.parseError, "The body is not JSON. \(error.message)")
        }
        guard case .object(let message) = value, message["jsonrpc"] == .string("2.0"),
            case .string(let method)? = message["method"]
        else {
            throw JSONRPCError(
                .invalidRequest, "The body must be one request or notification of JSON-RPC 2.0, not a batch.")
        }
        switch message["id"] {
        case nil: id = nil
        case let value? where Self.isToken(value): id = value
        case .string?:
            throw JSONRPCError(.invalidRequest, "The \"id\" has more than \(Self.longestID) bytes.")
        default: throw JSONRPCError(.invalidRequest, "The \"id\" must be a string or an integer.")
        }
        switch message["params"] {
        case nil: parameters = [:]
        case .object(let object)?: parameters = object
        default: throw JSONRPCError(.invalidRequest, "\"params\" must be an object.", id: id)
        }
        self.method = method.shortened(toBytes: 80)
    }

    /// The client's token for the progress of the request (Model Context Protocol, "Progress"); nil if it asks for none,
    /// or if the token has not the form of an id.
    var progressToken: InputValue? {
        guard case .object(let meta)? = parameters["_meta"], let token = meta["progressToken"],
            Self.isToken(token)
        else { return nil }
        return token
    }

    /// The maximum length in bytes of an id, which the response repeats.
    private static let longestID = 256

    /// Whether a value is an integer, or a text that responses can repeat.
    private static func isToken(_ value: InputValue) -> Bool {
        switch value {
        case .int: true
        case .string(let text): text.utf8.count <= longestID
        case .null, .boolean, .number, .enum, .list, .object: false
        }
    }

    /// The response to a request, whose result is JSON.
    static func response(_ result: [UInt8], to id: InputValue) -> [UInt8] {
        let start = #"{"jsonrpc":"2.0","id":"#.utf8 + id.json + #","result":"#.utf8
        return start + result + "}".utf8
    }

    /// The text of a required parameter; of a longer one than any tool or resource has, the beginning.
    ///
    /// - Throws: `JSONRPCError` if it is missing or not a string.
    func text(_ name: String) throws(JSONRPCError) -> String {
        guard case .string(let text)? = parameters[name] else {
            throw JSONRPCError(.invalidParams, "\(method) needs the parameter \"\(name)\", a string.", id: id)
        }
        return text.shortened(toBytes: 160)
    }
}

/// An error of JSON-RPC 2.0, section 5.1, or of the Model Context Protocol.
struct JSONRPCError: Error {
    let code: Code
    let message: String
    /// The id of the request; nil if it is unknown.
    var id: InputValue?
    var data: InputObject?

    init(_ code: Code, _ message: String, id: InputValue? = nil, data: InputObject? = nil) {
        (self.code, self.message, self.id, self.data) = (code, message, id, data)
    }

    enum Code: Int {
        case parseError = -32_700
        case invalidRequest = -32_600
        case methodNotFound = -32_601
        case invalidParams = -32_602
        /// Until revision 2025-11-25; later ones have `invalidParams`.
        case resourceNotFound = -32_002
        /// The request was refused before its body was read.
        case refused = -32_000
        /// A header field and the body differ.
        case headerMismatch = -32_020
        case unsupportedProtocolVersion = -32_022

        /// Whether the status of the response states the error in all revisions: the message is not read, or its
        /// revision is not supported (Model Context Protocol 2025-06-18, "Protocol Version Header").
        var isOfTransport: Bool {
            switch self {
            case .parseError, .invalidRequest, .unsupportedProtocolVersion: true
            case .methodNotFound, .invalidParams, .resourceNotFound, .refused, .headerMismatch: false
            }
        }
    }

    /// The status of the response (Model Context Protocol 2026-07-28, "Streamable HTTP").
    var status: HTTPResponseStatus {
        switch code {
        case .methodNotFound: .notFound
        case .parseError, .invalidRequest, .invalidParams, .headerMismatch, .unsupportedProtocolVersion,
            .resourceNotFound, .refused:
            .badRequest
        }
    }

    var body: InputObject {
        var error: InputObject = ["code": .int(code.rawValue), "message": .string(message)]
        error["data"] = data.map { .object($0) }
        return ["jsonrpc": .string("2.0"), "id": id ?? .null, "error": .object(error)]
    }
}
