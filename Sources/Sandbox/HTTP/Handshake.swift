import NIOCore

/// What becomes of a request to open a WebSocket.
enum Handshake: Sendable {
    /// The answer lets the client in; `serve` talks to it until the stream closes.
    case accepted(Response, serve: @Sendable (any Channel, AsyncStream<StreamFrame>) async -> Void)
    case refused(Response)
}
