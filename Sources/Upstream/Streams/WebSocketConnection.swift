import NIOCore

/// A WebSocket to a provider (RFC 6455), as its client.
///
/// Messages are received in the order in which they came. Pings are answered and sent without further ado. When nobody
/// receives, nothing is read: the server has to wait, and memory is bounded.
///
/// ```swift
/// let socket = try await WebSocketConnection.open(url, headers: headers, before: deadline)
/// defer { socket.close() }
/// try await socket.send(.text("{\"action\":\"listen\"}"))
/// while true { handle(try await socket.receive()) }
/// ```
package final class WebSocketConnection: Sendable {
    private let channel: any Channel
    private let inbox: WebSocketReceiveQueue

    init(_ channel: any Channel, _ inbox: WebSocketReceiveQueue) {
        self.channel = channel
        self.inbox = inbox
    }

    deinit {
        channel.close(promise: nil)
    }

    /// The next message.
    ///
    /// - Throws: why the connection has ended, once all messages have been received that came before; `cancelled` with the
    ///   task, which loses no message.
    package func receive() async throws(WebSocketError) -> WebSocketMessage {
        try await inbox.receive { channel.read() }
    }

    /// Sends a message, and returns when it has been handed to the network.
    ///
    /// - Throws: why the connection has ended.
    package func send(_ message: WebSocketMessage) async throws(WebSocketError) {
        if let end = inbox.end { throw end }
        let frame = WebSocketConnection.frame(of: message)
        do {
            try await channel.writeAndFlush(frame).get()
        } catch {
            throw inbox.end ?? .interrupted
        }
    }

    /// Ends the connection: the server is told, and who receives gets ``WebSocketError/closedHere``.
    ///
    /// - Parameter code: RFC 6455, section 7.4: 1000 for a work that is done.
    package func close(code: Int = 1_000) {
        let code = (1_000...4_999).contains(code) ? code : 1_000
        channel.triggerUserOutboundEvent(WebSocketCloseRequest(code: code), promise: nil)
    }

    /// Why it has ended; nil while it stands.
    package var end: WebSocketError? { inbox.end }
}
