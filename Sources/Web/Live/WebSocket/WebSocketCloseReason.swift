import NIOCore

/// Why a socket is closed: the codes of GraphQL over WebSocket, and those of RFC 6455 (section 7.4.1) that are needed.
struct WebSocketCloseReason: Error, Hashable, Sendable {
    let code: UInt16
    let message: String

    /// - Parameters:
    ///   - code: of the protocol.
    ///   - message: for people; cut to what a closing frame has room for.
    init(_ code: UInt16, _ message: String) {
        self.code = code
        self.message = WebSocketCloseReason.cut(message, to: WebSocketCloseReason.room)
    }

    /// What a control frame holds behind the code, in bytes (RFC 6455, section 5.5).
    private static let room = 123

    /// As many whole characters of a text as so many bytes hold.
    private static func cut(_ text: String, to bytes: Int) -> String {
        var cut = text.prefix(bytes)
        while cut.utf8.count > bytes { cut.removeLast() }
        return String(cut)
    }

    static let goingAway = WebSocketCloseReason(1001, "The server is stopping")
    static let idle = WebSocketCloseReason(1001, "Nothing was heard from the client for too long")
    static let protocolError = WebSocketCloseReason(1002, "A frame is none that a client may send (RFC 6455)")
    static func messageTimeout(limit: TimeAmount) -> WebSocketCloseReason {
        WebSocketCloseReason(1008, "A message took longer than \(limit.secondsRoundedUp) seconds to arrive")
    }
    static let invalidText = WebSocketCloseReason(1007, "Text must be UTF-8")
    static let messageTooLarge = WebSocketCloseReason(1009, "Message too large")

    /// Clients connect again later, as after ``tooManySockets(limit:)``.
    static let requestMemory = WebSocketCloseReason(
        1013, "The messages that are being received take too much memory")

    /// Clients connect again later (1013 of the IANA registry of close codes).
    static func tooManySockets(limit: Int) -> WebSocketCloseReason {
        WebSocketCloseReason(1013, "A user may have \(limit) WebSockets at a time; close one of them")
    }
    static func invalidMessage(_ why: String) -> WebSocketCloseReason { WebSocketCloseReason(4400, why) }
    static let unauthorized = WebSocketCloseReason(4401, "Unauthorized")
    /// Clients connect again after 4403, and obtain their token again; after 4401, clients of graphql-ws do
    /// not.
    static let malformedToken = WebSocketCloseReason(
        4403, #"The token of the first message is malformed: send {"Authorization": "Bearer <token>"}"#)
    /// As ``malformedToken``, for a token that is unknown or has ended before the first message.
    static let invalidToken = WebSocketCloseReason(
        4403, "The token is not valid: sign in again, and connect with the new token")
    static let endedToken = WebSocketCloseReason(
        4403, "The session has ended: connect again with another token")
    static let subprotocolNotAcceptable = WebSocketCloseReason(4406, "Subprotocol not acceptable")
    static let initialisationTimeout = WebSocketCloseReason(4408, "Connection initialisation timeout")
    static func subscriberExists(_ id: String) -> WebSocketCloseReason {
        // As much of the id as leaves room for the rest.
        WebSocketCloseReason(4409, "Subscriber for \(cut(id, to: room - 31)) already exists")
    }
    static let tooManyInitialisations = WebSocketCloseReason(4429, "Too many initialisation requests")
}

extension WebSocketCloseReason {
    /// The code of a client's closing frame; nil where it gives none (RFC 6455, section 5.5.1).
    ///
    /// - Throws: what is wrong with the frame: a code that nobody may send (section 7.4), or a reason that is no UTF-8.
    static func code(of frame: ByteBuffer) throws(WebSocketCloseReason) -> UInt16? {
        var rest = frame
        guard rest.readableBytes > 0 else { return nil }
        guard let code = rest.readInteger(as: UInt16.self), isSent(code) else { throw .protocolError }
        guard String(validating: rest.readableBytesView, as: UTF8.self) != nil else { throw .invalidText }
        return code
    }

    /// Whether a code stands in frames: 1004 to 1006 and 1015 never do, and others below 3000 are not registered.
    private static func isSent(_ code: UInt16) -> Bool {
        switch code {
        case 1000...1003, 1007...1014, 3000...4999: true
        default: false
        }
    }
}
