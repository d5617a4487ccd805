package import NIOHTTP1

/// What a route answers, and how it is put on the wire.
package struct SandboxResponse: Sendable {
    package var status: HTTPResponseStatus
    package var headers: HTTPHeaders
    package var body: [UInt8]
    package var delivery: Delivery = .complete

    /// How much of the response reaches the client.
    package enum Delivery: Sendable, Hashable {
        case complete
        /// The head promises the whole body; the connection closes after half of it.
        case truncated
        /// The connection closes without a byte.
        case none
    }

    package init(status: HTTPResponseStatus, headers: HTTPHeaders = [:], body: [UInt8] = []) {
        self.status = status
        self.headers = headers
        self.body = body
    }

    package static func json(_ document: JSONDocument, status: HTTPResponseStatus = .ok) -> SandboxResponse {
        SandboxResponse(
            status: status, headers: ["Content-Type": "application/json; charset=UTF-8"], body: document.bytes
        )
    }

    package static func text(
        _ text: String, type: String = "text/plain; charset=UTF-8", status: HTTPResponseStatus
    ) -> SandboxResponse {
        SandboxResponse(status: status, headers: ["Content-Type": type], body: Array(text.utf8))
    }
}
