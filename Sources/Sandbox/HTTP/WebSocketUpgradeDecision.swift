import NIOCore

/// What becomes of a request to open a WebSocket.
enum WebSocketUpgradeDecision: Sendable {
    /// The answer lets the client in; `serve` talks to it until the stream closes.
    case accepted(SandboxResponse, serve: @Sendable (any Channel, AsyncStream<StreamFrame>) async -> Void)
    case rejected(SandboxResponse)
}
