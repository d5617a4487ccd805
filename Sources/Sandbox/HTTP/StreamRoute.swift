package import NIOHTTP1

/// One endpoint that becomes a WebSocket (RFC 6455): whom it lets in, and what is said there.
package struct StreamRoute: Sendable {
    package let template: PathTemplate
    /// Nil to let the client in; else why not, as an answer to the handshake.
    package let rejection: @Sendable (SandboxRequest) async throws -> SandboxResponse?
    /// Headers of the answer that lets a client in.
    package let headers: HTTPHeaders
    /// Talks to the client; the stream is closed when it returns, and it is cancelled when the stream closes.
    package let serve: @Sendable (SandboxRequest, WebSocketStream) async -> Void

    package init(
        _ template: PathTemplate, headers: HTTPHeaders = [:],
        rejection: @escaping @Sendable (SandboxRequest) async throws -> SandboxResponse? = { _ in nil },
        serve: @escaping @Sendable (SandboxRequest, WebSocketStream) async -> Void
    ) {
        self.template = template
        self.headers = headers
        self.rejection = rejection
        self.serve = serve
    }

    /// As handshakes are counted and faults are addressed: `GET /v2/{feed}`.
    package var name: String { "GET \(template)" }

    /// As faults of single messages from the sandbox are addressed: `GET /v2/{feed} message`.
    package static func messageName(of name: String) -> String { "\(name) message" }
}

/// What goes over a stream in one message, whole.
package enum StreamFrame: Sendable, Hashable {
    case text(String)
    case binary([UInt8])

    var bytes: [UInt8] {
        switch self {
        case .text(let text): Array(text.utf8)
        case .binary(let bytes): bytes
        }
    }
}
