import NIOCore
import NIOWebSocket

/// Assembles the frames of a client into messages, within the limits of length, total memory and time.
///
/// NIO's aggregator stores every frame with the buffer that it was read into, so that a message of 1,024
/// bytes can retain 64 MB.
package final class WebSocketMessageAssembler: ChannelInboundHandler {
    typealias InboundIn = WebSocketFrame
    typealias InboundOut = WebSocketFrame

    /// The number of bytes that the frame decoder has received and not decoded yet.
    package final class Undecoded {
        package fileprivate(set) var count = 0

        package init() {}
    }

    private let undecoded: Undecoded
    private let budget: MemoryBudget
    private let client: ClientAddress?
    /// In bytes.
    private let maximumMessageLength: Int
    /// The maximum time from the first byte of a message to its last.
    private let timeout: TimeAmount
    /// The message whose last fragment has not arrived yet.
    private var message: (opcode: WebSocketOpcode, data: ByteBuffer)?
    private var reservation: MemoryBudget.Reservation?
    private var deadline: Scheduled<Void>?
    private var hasDelivered = false
    private var isOver = false

    /// Creates the assembler of one WebSocket.
    ///
    /// - Parameters:
    ///   - undecoded: Shared with the decoder.
    ///   - budget: The memory for incomplete messages.
    ///   - client: The client whose share of the budget they use; nil for a client without a share.
    ///   - limits: The limits of the server.
    init(_ undecoded: Undecoded, _ budget: MemoryBudget, for client: ClientAddress?, _ limits: ServerLimits) {
        self.undecoded = undecoded
        self.budget = budget
        self.client = client
        maximumMessageLength = limits.body
        timeout = limits.bodyTimeout
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        let received = unwrapInboundIn(data)
        guard !isOver else {
            // The client's response to the close frame is still processed.
            if received.opcode == .connectionClose { context.fireChannelRead(data) }
            return
        }
        do throws(WebSocketCloseReason) {
            guard let frame = try assemble(received) else { return }
            context.fireChannelRead(wrapInboundOut(frame))
        } catch {
            end(error, context: context)
        }
    }

    /// Returns a complete message or a control frame; nil if more fragments must follow.
    private func assemble(_ frame: WebSocketFrame) throws(WebSocketCloseReason) -> WebSocketFrame? {
        try check(frame)
        guard !frame.opcode.isControlOpcode else { return frame }
        if frame.fin { hasDelivered = true }
        // RFC 6455, section 5.4: fragments of different messages must not be interleaved.
        guard (frame.opcode == .continuation) == (message != nil) else { throw .protocolError }
        if frame.fin, message == nil { return frame }
        var data = message?.data ?? ByteBuffer()
        guard frame.data.readableBytes <= maximumMessageLength - data.readableBytes else {
            throw .messageTooLarge
        }
        let opcode = message?.opcode ?? frame.opcode
        // Releases the stored reference, so that appending does not copy.
        message = nil
        data.writeImmutableBuffer(frame.unmaskedData)
        guard frame.fin else {
            message = (opcode, data)
            return nil
        }
        return WebSocketFrame(fin: true, opcode: opcode, data: data)
    }

    /// Rejects frames that a client must not send (RFC 6455, sections 5.1, 5.2 and 5.5.1).
    private func check(_ frame: WebSocketFrame) throws(WebSocketCloseReason) {
        guard frame.maskKey != nil, !frame.rsv1, !frame.rsv2, !frame.rsv3,
            Self.opcodes.contains(frame.opcode)
        else { throw .protocolError }
    }

    /// The opcodes that are not reserved.
    private static let opcodes: Set<WebSocketOpcode> = [
        .continuation, .text, .binary, .connectionClose, .ping, .pong,
    ]

    /// Counts the incomplete bytes after a read, and limits the time until the message is complete.
    func channelReadComplete(context: ChannelHandlerContext) {
        context.fireChannelReadComplete()
        guard !isOver else { return }
        let incomplete = undecoded.count + (message?.data.readableBytes ?? 0)
        guard budget.reserve(incomplete, for: client, uncounted: 4 << 10, in: &reservation) else {
            return end(.requestMemory, context: context)
        }
        if incomplete == 0 || hasDelivered {
            deadline?.cancel()
            deadline = nil
        }
        hasDelivered = false
        guard incomplete > 0, deadline == nil else { return }
        deadline = context.eventLoop.assumeIsolated().scheduleTask(in: timeout) {
            self.end(.messageTimeout(limit: self.timeout), context: context)
        }
    }

    private func end(_ reason: WebSocketCloseReason, context: ChannelHandlerContext) {
        release()
        context.fireErrorCaught(reason)
    }

    private func release() {
        isOver = true
        message = nil
        reservation = nil
        deadline?.cancel()
        deadline = nil
    }

    func channelInactive(context: ChannelHandlerContext) {
        release()
        context.fireChannelInactive()
    }

    func handlerRemoved(context: ChannelHandlerContext) { release() }
}

/// NIO's frame decoder, which reports the number of undecoded bytes, and does not retain the buffer that
/// they were read into.
package struct CountingFrameDecoder: ByteToMessageDecoder {
    typealias InboundOut = WebSocketFrame

    private var decoder: WebSocketFrameDecoder
    private let undecoded: WebSocketMessageAssembler.Undecoded

    package init(maxFrameSize: Int, _ undecoded: WebSocketMessageAssembler.Undecoded) {
        decoder = WebSocketFrameDecoder(maxFrameSize: maxFrameSize)
        self.undecoded = undecoded
    }

    mutating func decode(context: ChannelHandlerContext, buffer: inout ByteBuffer) throws -> DecodingState {
        defer { undecoded.count = buffer.readableBytes }
        let state = try decoder.decode(context: context, buffer: &buffer)
        // The rest of the frame can take long to arrive, and the buffer of the read is not counted.
        if state == .needMoreData { buffer.releaseReadBuffer() }
        return state
    }
}

/// The reason why a WebSocket is closed, with a code of GraphQL over WebSocket or of RFC 6455 (section
/// 7.4.1).
struct WebSocketCloseReason: Error, Hashable, Sendable {
    let code: UInt16
    let message: String

    /// Creates a reason.
    ///
    /// - Parameters:
    ///   - code: The code of the protocol.
    ///   - message: The text for people; truncated to the maximum length in a close frame.
    init(_ code: UInt16, _ message: String) {
        self.code = code
        self.message = WebSocketCloseReason.truncated(message, to: WebSocketCloseReason.maximumReasonLength)
    }

    /// The maximum length of the text in a control frame, in bytes without the code (RFC 6455, section 5.5).
    private static let maximumReasonLength = 123

    /// Truncates a text to a maximum number of bytes, at the end of a character.
    private static func truncated(_ text: String, to bytes: Int) -> String {
        var cut = text.prefix(bytes)
        while cut.utf8.count > bytes { cut.removeLast() }
        return String(cut)
    }

    static let goingAway = WebSocketCloseReason(1001, "The server is stopping")
    static let idle = WebSocketCloseReason(1001, "Nothing was heard from the client for too long")
    static let protocolError = WebSocketCloseReason(1002, "A frame is none that a client may send (RFC 6455)")
    static func messageTimeout(limit: TimeAmount) -> WebSocketCloseReason {
        WebSocketCloseReason(
            1008, "A message took longer than \(Duration(limit).secondsRoundedUp) seconds to arrive")
    }
    static let invalidText = WebSocketCloseReason(1007, "Text must be UTF-8")
    static let messageTooLarge = WebSocketCloseReason(1009, "Message too large")

    /// Clients reconnect later, as after ``tooManySockets(limit:)``.
    static let requestMemory = WebSocketCloseReason(
        1013, "The messages that are being received take too much memory")

    /// Clients reconnect later (code 1013 of the IANA registry).
    static func tooManySockets(limit: Int) -> WebSocketCloseReason {
        WebSocketCloseReason(1013, "A user may have \(limit) WebSockets at a time; close one of them")
    }
    static func invalidMessage(_ description: String) -> WebSocketCloseReason {
        WebSocketCloseReason(4400, description)
    }
    static let unauthorized = WebSocketCloseReason(4401, "Unauthorized")
    /// Clients reconnect after 4403, and obtain their token again; after 4401, clients of graphql-ws do not.
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
        // The id is truncated, so that the whole sentence fits.
        WebSocketCloseReason(
            4409, "Subscriber for \(truncated(id, to: maximumReasonLength - 31)) already exists")
    }
    static let tooManyInitialisations = WebSocketCloseReason(4429, "Too many initialisation requests")
}

extension WebSocketCloseReason {
    /// Reads the code of a client's close frame; nil if it has none (RFC 6455, section 5.5.1).
    ///
    /// - Throws: The error in the frame: a code that must not be sent (section 7.4), or a reason that is not
    ///   UTF-8.
    static func code(of frame: ByteBuffer) throws(WebSocketCloseReason) -> UInt16? {
        var rest = frame
        guard rest.readableBytes > 0 else { return nil }
        guard let code = rest.readInteger(as: UInt16.self), isAllowed(code) else { throw .protocolError }
        guard String(validating: rest.readableBytesView, as: UTF8.self) != nil else { throw .invalidText }
        return code
    }

    /// True if a code may be in a frame: 1004 to 1006 and 1015 may not, and other codes below 3000 are not
    /// registered.
    private static func isAllowed(_ code: UInt16) -> Bool {
        switch code {
        case 1000...1003, 1007...1014, 3000...4999: true
        default: false
        }
    }
}
