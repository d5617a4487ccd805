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
    /// Messages that wait to be received.
    ///
    /// With more, nothing is read from the network, so that the server waits; what one
    /// read of it brought is kept still.
    package var waitingMessages = 256
    /// How often the server is asked whether it is there.
    ///
    /// One that answers none between two times is not.
    package var pingInterval = Duration.seconds(20)
    /// How long the server's word is waited for when the connection is closed from here.
    package var closeTimeout = Duration.seconds(2)

    package init() {}
}
