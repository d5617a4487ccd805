/// A whole message, all of its fragments together.
package struct WebSocketMessage: Hashable, Sendable {
    package enum Kind: Hashable, Sendable {
        /// Said to be UTF-8, which the reader of its content checks.
        case text
        case binary
    }

    package let kind: Kind
    package let bytes: [UInt8]

    package init(_ kind: Kind, _ bytes: [UInt8]) {
        self.kind = kind
        self.bytes = bytes
    }

    package static func text(_ text: String) -> WebSocketMessage {
        WebSocketMessage(.text, Array(text.utf8))
    }
}

/// The bounds of a ``WebSocketConnection``.
package struct WebSocketLimits: Sendable {
    /// Bytes of one frame.
    package var frameBytes = 1 << 20
    /// Bytes of one message.
    package var messageBytes = 4 << 20
    /// Frames of one message.
    package var messageFrames = 1_024
    /// The number of messages that can wait to be received.
    ///
    /// Above it, nothing is read from the network, so that the server waits; messages of the last read are
    /// still stored.
    package var waitingMessages = 256
    /// The interval of pings.
    ///
    /// A server that sends no pong between two pings is regarded as disconnected.
    package var pingInterval = Duration.seconds(20)
    /// The time to wait for the server's close frame.
    package var closeTimeout = Duration.seconds(2)

    package init() {}
}
