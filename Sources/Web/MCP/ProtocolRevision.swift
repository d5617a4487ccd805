import GraphQL
import PorticoCore

/// A revision of the Model Context Protocol that the server supports.
enum ProtocolRevision: String, CaseIterable {
    case march2025 = "2025-03-26"
    case june2025 = "2025-06-18"
    case november2025 = "2025-11-25"
    case july2026 = "2026-07-28"

    /// Whether each request contains the revision and the client's capabilities, in place of a first request
    /// `initialize`.
    var isStateless: Bool { self == .july2026 }

    /// The revisions for `server/discover`.
    static let stateless = allCases.filter(\.isStateless).map { InputValue.string($0.rawValue) }

    /// The revision for the result of `initialize`: the client's, or the latest one that has this method.
    init(offeredIn message: JSONRPCMessage) {
        guard case .string(let text)? = message.parameters["protocolVersion"],
            let revision = ProtocolRevision(rawValue: text.shortened(toBytes: 16)), !revision.isStateless
        else {
            self = .november2025
            return
        }
        self = revision
    }
}

/// The header fields of a request that repeat parts of its body, so that proxies can read them.
struct ProtocolHead: Sendable {
    private let version: String?
    private let method: String?
    private let name: String?

    init(_ fields: RequestHeaders) {
        (version, method, name) = (fields[.mcpVersion], fields[.mcpMethod], fields[.mcpName])
    }

    /// Whether the fields name a revision without `initialize`.
    var isStateless: Bool { version.flatMap { ProtocolRevision(rawValue: $0) }?.isStateless ?? false }

    /// Returns the revision of a message.
    ///
    /// A request without the field has revision 2025-03-26, the last one that did not require it.
    ///
    /// - Throws: `JSONRPCError` for an unknown revision, and for a body that differs from the fields.
    func revision(of message: JSONRPCMessage) throws(JSONRPCError) -> ProtocolRevision {
        guard let version else { return .march2025 }
        guard let revision = ProtocolRevision(rawValue: version) else {
            let supported = ProtocolRevision.allCases.map { InputValue.string($0.rawValue) }
            throw JSONRPCError(
                .unsupportedProtocolVersion, "MCP-Protocol-Version is not one of the supported revisions.",
                id: message.id,
                data: ["supported": .list(supported), "requested": .string(version.shortened(toBytes: 80))])
        }
        if revision.isStateless, message.id != nil { try check(message, version) }
        return revision
    }

    private func check(_ message: JSONRPCMessage, _ version: String) throws(JSONRPCError) {
        guard case .object(let meta)? = message.parameters["_meta"],
            let stated = meta["io.modelcontextprotocol/protocolVersion"],
            meta["io.modelcontextprotocol/clientCapabilities"] != nil
        else {
            throw JSONRPCError(
                .invalidParams,
                """
                "params._meta" must have "io.modelcontextprotocol/protocolVersion" and \
                "io.modelcontextprotocol/clientCapabilities".
                """, id: message.id)
        }
        guard stated == .string(version) else {
            throw mismatch("MCP-Protocol-Version", "the revision in \"params._meta\"", message)
        }
        guard method == message.method else { throw mismatch("Mcp-Method", "the method", message) }
        let parameter: String
        switch message.method {
        case "tools/call", "prompts/get": parameter = "name"
        case "resources/read": parameter = "uri"
        default: return
        }
        guard case .string(let text)? = message.parameters[parameter] else { return }
        guard name.flatMap({ HeaderText(encoded: $0) })?.text.hasSameBytes(as: text) == true else {
            throw mismatch("Mcp-Name", "the parameter \"\(parameter)\"", message)
        }
    }

    private func mismatch(_ field: String, _ subject: String, _ message: JSONRPCMessage) -> JSONRPCError {
        JSONRPCError(.headerMismatch, "The header field \(field) differs from \(subject).", id: message.id)
    }
}

/// A text in a header field: itself, or `=?base64?…?=` if it has other characters than visible ASCII.
private struct HeaderText {
    let text: String

    /// Nil for Base64 that is not canonical, or not of UTF-8.
    init?(encoded field: String) {
        guard field.hasPrefix("=?base64?"), field.hasSuffix("?="), field.utf8.count >= 11 else {
            text = field
            return
        }
        let payload = String(field.dropFirst(9).dropLast(2))
        guard let bytes = Base64.standard.decoded(payload.utf8), Base64.standard.encoded(bytes) == payload,
            let text = String(validating: bytes, as: UTF8.self)
        else { return nil }
        self.text = text
    }
}
