import NIOCore
import NIOWebSocket

/// The last handler of a WebSocket's pipeline: passes messages on, responds to pings and close frames, and
/// sends pings.
final class WebSocketHandler: ChannelDuplexHandler {
    typealias InboundIn = WebSocketFrame
    typealias OutboundIn = WebSocketFrame
    typealias OutboundOut = WebSocketFrame

    private let queue: WebSocketReceiveQueue
    private let limits: WebSocketLimits
    private var pinging: RepeatedTask?
    private var hasReceived = true
    private var isClosing = false

    init(_ queue: WebSocketReceiveQueue, _ limits: WebSocketLimits) {
        self.queue = queue
        self.limits = limits
    }

    func handlerAdded(context: ChannelHandlerContext) {
        let interval = TimeAmount(limits.pingInterval)
        let bound = NIOLoopBound((handler: self, context: context), eventLoop: context.eventLoop)
        pinging = context.eventLoop.scheduleRepeatedTask(initialDelay: interval, delay: interval) { _ in
            bound.value.handler.sendPing(bound.value.context)
        }
    }

    func handlerRemoved(context: ChannelHandlerContext) {
        pinging?.cancel()
        queue.finish(.interrupted)
    }

    func channelInactive(context: ChannelHandlerContext) {
        queue.finish(.interrupted)
        context.fireChannelInactive()
    }

    /// Reads only while messages are being received: data that is not read waits at the server.
    func read(context: ChannelHandlerContext) {
        if queue.shouldRead() { context.read() }
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        let frame = unwrapInboundIn(data)
        hasReceived = true
        // Extensions were not agreed on, and servers must not mask; RFC 6455, sections 5.1 and 5.2.
        guard frame.maskKey == nil, !frame.rsv1, !frame.rsv2, !frame.rsv3 else {
            fail(.protocolViolation, .protocolError, context)
            return
        }
        switch frame.opcode {
        case .text: queue.deliver(WebSocketMessage(.text, Array(frame.data.readableBytesView)))
        case .binary: queue.deliver(WebSocketMessage(.binary, Array(frame.data.readableBytesView)))
        case .ping: send(.pong, frame.data, context)
        case .connectionClose: didReceiveClose(frame, context)
        case .pong: break
        default: fail(.protocolViolation, .protocolError, context)
        }
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        switch error {
        case NIOWebSocketError.invalidFrameLength: fail(.tooLarge, .messageTooLarge, context)
        case NIOWebSocketFrameAggregator.Error.accumulatedFrameSizeIsTooLarge,
            NIOWebSocketFrameAggregator.Error.tooManyFragments:
            fail(.tooLarge, .messageTooLarge, context)
        case is NIOWebSocketError, is NIOWebSocketFrameAggregator.Error:
            fail(.protocolViolation, .protocolError, context)
        default:
            queue.finish(.interrupted)
            context.close(promise: nil)
        }
    }

    /// Sends a close frame when the caller closes the connection, and waits a short time for the server's.
    func triggerUserOutboundEvent(
        context: ChannelHandlerContext, event: Any, promise: EventLoopPromise<Void>?
    ) {
        guard let goodbye = event as? WebSocketCloseRequest else {
            context.triggerUserOutboundEvent(event, promise: promise)
            return
        }
        queue.finish(.closedHere)
        promise?.succeed()
        guard !isClosing else { return }
        sendClose(.init(codeNumber: goodbye.code), context)
        let bound = NIOLoopBound(context, eventLoop: context.eventLoop)
        context.eventLoop.scheduleTask(in: TimeAmount(limits.closeTimeout)) {
            bound.value.close(promise: nil)
        }
        // The server's close frame can follow messages that are no longer received.
        context.read()
    }

    // MARK: Steps

    private func sendPing(_ context: ChannelHandlerContext) {
        // Without a read, the end of the connection would not be noticed.
        if queue.isHeld { return }
        guard hasReceived else {
            queue.finish(.silent)
            context.close(promise: nil)
            return
        }
        hasReceived = false
        send(.ping, ByteBuffer(), context)
    }

    private func didReceiveClose(_ frame: WebSocketFrame, _ context: ChannelHandlerContext) {
        var data = frame.data
        let code = data.readInteger(as: UInt16.self)
        queue.finish(.closed(code: code.map(Int.init)))
        if !isClosing {
            let body = code.map { ByteBuffer(integer: $0) } ?? ByteBuffer()
            send(.connectionClose, body, context)
            isClosing = true
        }
        context.close(promise: nil)
    }

    private func fail(
        _ error: WebSocketError, _ code: WebSocketErrorCode, _ context: ChannelHandlerContext
    ) {
        queue.finish(error)
        if !isClosing { sendClose(code, context) }
        context.close(promise: nil)
    }

    private func sendClose(_ code: WebSocketErrorCode, _ context: ChannelHandlerContext) {
        isClosing = true
        var data = ByteBuffer()
        data.write(webSocketErrorCode: code)
        send(.connectionClose, data, context)
    }

    private func send(_ opcode: WebSocketOpcode, _ data: ByteBuffer, _ context: ChannelHandlerContext) {
        let frame = WebSocketFrame(fin: true, opcode: opcode, maskKey: .random(), data: data)
        context.writeAndFlush(wrapOutboundOut(frame), promise: nil)
    }
}

/// The event that makes a ``WebSocketHandler`` close the connection.
struct WebSocketCloseRequest: Sendable {
    /// 1000 to 4999.
    let code: Int
}

extension TimeAmount {
    /// The same duration in nanoseconds, limited to the maximum.
    init(_ duration: Duration) {
        let (seconds, attoseconds) = duration.components
        let (product, overflow) = seconds.multipliedReportingOverflow(by: 1_000_000_000)
        let (sum, overflowAgain) = product.addingReportingOverflow(attoseconds / 1_000_000_000)
        self = .nanoseconds(overflow || overflowAgain ? (seconds < 0 ? 0 : .max / 4) : sum)
    }
}
