import NIOCore
import NIOHPACK
import NIOHTTP1
import NIOHTTP2

/// The handlers of an HTTP/2 connection (RFC 9113): each stream is a channel with one request.
///
/// NIO's handler limits errors of streams, empty frames and continuations of a client; see ``mostFrames`` for the rest.
enum HTTP2Pipeline {
    static func addHandlers(to channel: any Channel, _ server: ServerState) throws {
        let limits = server.limits
        var connection = NIOHTTP2Handler.ConnectionConfiguration()
        connection.initialSettings = [
            HTTP2Setting(parameter: .maxConcurrentStreams, value: limits.streamsPerConnection),
            HTTP2Setting(parameter: .maxHeaderListSize, value: limits.uri + limits.headers),
        ]
        // Data that were on their way when their stream was reset are no error of the connection.
        connection.maximumRecentlyResetStreams = 2 * limits.streamsPerConnection
        connection.controlFrameRateLimit.maximumCount = mostFrames
        connection.controlFrameRateLimit.windowLength = .seconds(1)
        var streams = NIOHTTP2Handler.StreamConfiguration()
        streams.streamResetFrameRateLimit.maximumCount = mostFrames
        streams.streamResetFrameRateLimit.windowLength = .seconds(1)
        let errors = ConnectionErrorObserver()
        let closer = HTTP2ConnectionCloser(
            of: server.load.connections, errors, idleTimeout: limits.idleTimeout)
        let handler = NIOHTTP2Handler(
            mode: .server, eventLoop: channel.eventLoop, connectionConfiguration: connection,
            streamConfiguration: streams,
            streamDelegate: HTTP2ConnectionCloser.StreamDelegate(
                closer: NIOLoopBound(closer, eventLoop: channel.eventLoop))
        ) { stream in
            stream.eventLoop.makeCompletedFuture {
                try stream.pipeline.syncOperations.addHandlers([
                    AuthorityHandler(), HTTP2FramePayloadToHTTP1ServerCodec(),
                    HTTPConnectionHandler(server, encoding: .http2),
                ])
            }
        }
        try channel.pipeline.syncOperations.addHandlers([errors, handler, closer])
    }

    /// The most cancelled requests, and the most control frames, of a connection in one second.
    ///
    /// A proxy sends the requests of many clients on one connection and cancels one for each client that goes away. With the
    /// limit of NIO, 200 in 30 seconds, their connection ended. The work of a cancelled request is cancelled,
    /// ``ServerLimits/streamsPerConnection`` bounds the requests at a time, and each counts against the rates of its client. NIO
    /// allocates a time for each frame that the limit allows, so the window is short.
    private static let mostFrames = 500

    /// Ends a stream whose response is complete, and the rest of whose request is not needed (RFC 9113, section 8.1).
    ///
    /// A channel that is closed sends CANCEL, with which a client may discard the response.
    static func endRequest(of stream: any Channel) {
        let codec = try? stream.pipeline.syncOperations.context(
            handlerType: HTTP2FramePayloadToHTTP1ServerCodec.self)
        // From the codec's context, since the codec takes no frames.
        codec?.writeAndFlush(NIOAny(HTTP2Frame.FramePayload.rstStream(.noError)), promise: nil)
    }
}

/// Observes whether NIO's handler has ended the connection with GOAWAY and an error (RFC 9113, section 5.4.1).
///
/// The handler fires the errors of streams and of the connection in the same way, and some types of errors can be either.
private final class ConnectionErrorObserver: ChannelOutboundHandler {
    typealias OutboundIn = IOData
    typealias OutboundOut = IOData

    private(set) var hasSentError = false
    /// The number of bytes of a frame that are in the next writes: the handler writes the data of a frame apart.
    private var missing = 0

    private static let headLength = 9
    private static let goAway: UInt32 = 7

    func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
        if case .byteBuffer(let bytes) = unwrapOutboundIn(data) { observe(bytes) }
        context.write(data, promise: promise)
    }

    private func observe(_ bytes: ByteBuffer) {
        let skipped = min(missing, bytes.readableBytes)
        missing -= skipped
        var position = bytes.readerIndex + skipped
        // The head of a frame: its length in three bytes, its type, flags, and stream (RFC 9113, section 4.1).
        while let start = bytes.getInteger(at: position, as: UInt32.self) {
            // The error follows the last stream (section 6.8).
            let error = bytes.getInteger(at: position + Self.headLength + 4, as: UInt32.self) ?? 0
            if start & 0xFF == Self.goAway, error != 0 { hasSentError = true }
            position += Self.headLength + Int(start >> 8)
        }
        missing += max(0, position - bytes.writerIndex)
    }
}

/// Compares `:authority` with a Host field beside it (RFC 9113, section 8.3.1), before NIO's codec drops the former.
///
/// An equal Host field is removed, and the codec makes one of `:authority`. For a different one, the head gets both.
private final class AuthorityHandler: ChannelInboundHandler {
    typealias InboundIn = HTTP2Frame.FramePayload
    typealias InboundOut = HTTP2Frame.FramePayload

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        guard case .headers(var frame) = unwrapInboundIn(data),
            let host = frame.headers.first(name: "host"),
            let authority = frame.headers.first(name: ":authority"),
            let scheme = frame.headers.first(name: ":scheme")
        else { return context.fireChannelRead(data) }
        let url = RequestTarget.Authority(
            host: authority, defaultPort: RequestTarget.Authority.defaultPort(of: scheme) ?? 443)
        if frame.headers["host"].count == 1, url.isSame(as: host) {
            frame.headers.remove(name: "host")
        } else {
            frame.headers.add(name: "host", value: authority)
        }
        context.fireChannelRead(wrapInboundOut(.headers(frame)))
    }
}

/// Closes a connection that has had no streams for too long, and one of a stopping server when its streams
/// have ended.
///
/// After the announcement of a shutdown, GOAWAY follows the next stream of a client, which then opens no others on
/// this connection.
///
/// NIO's own handler for this waits for the client's response to a ping, which a silent client never sends,
/// and starts its timer only when a connection becomes active, which one behind a TLS handshake already is.
private final class HTTP2ConnectionCloser: ChannelInboundHandler {
    typealias InboundIn = HTTP2Frame
    typealias OutboundOut = HTTP2Frame

    private let connections: OpenConnections
    private let errors: ConnectionErrorObserver
    private let idleTimeout: TimeAmount
    private var openStreams: Set<HTTP2StreamID> = []
    /// The latest stream of the client, for GOAWAY: later streams were not processed.
    private var latestStream = HTTP2StreamID.rootStream
    private var idleSince = NIODeadline.now()
    private var isDraining = false
    private var timer: Scheduled<Void>?
    private var context: ChannelHandlerContext?

    init(of connections: OpenConnections, _ errors: ConnectionErrorObserver, idleTimeout: TimeAmount) {
        self.connections = connections
        self.errors = errors
        self.idleTimeout = idleTimeout
    }

    /// Forwards the opening and closing of streams.
    struct StreamDelegate: NIOHTTP2StreamDelegate {
        let closer: NIOLoopBound<HTTP2ConnectionCloser>

        func streamCreated(_ id: HTTP2StreamID, channel: any Channel) { closer.value.opened(id) }

        func streamClosed(_ id: HTTP2StreamID, channel: any Channel) { closer.value.closed(id) }
    }

    private func opened(_ id: HTTP2StreamID) {
        openStreams.insert(id)
        latestStream = max(latestStream, id)
        // The codec is within a read.
        if connections.isStopping { context?.eventLoop.assumeIsolated().execute { self.drain() } }
    }

    private func closed(_ id: HTTP2StreamID) {
        openStreams.remove(id)
        guard openStreams.isEmpty else { return }
        idleSince = .now()
        // The last frame of the stream is not flushed yet, and would be lost.
        if isDraining { context?.eventLoop.assumeIsolated().execute { self.closeIfIdle() } }
    }

    func handlerAdded(context: ChannelHandlerContext) {
        self.context = context
        setTimer(context: context)
    }

    func handlerRemoved(context: ChannelHandlerContext) { end() }

    func channelInactive(context: ChannelHandlerContext) {
        end()
        context.fireChannelInactive()
    }

    private func end() {
        timer?.cancel()
        timer = nil
        context = nil
    }

    func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
        guard event is DrainEvent else { return context.fireUserInboundEventTriggered(event) }
        drain()
    }

    private func drain() {
        guard !isDraining, let context else { return }
        isDraining = true
        // The client may open streams before it reads this; they get a response, too (RFC 9113, section 6.8).
        sendGoAway(after: .maxID, .noError, context: context)
        closeIfIdle()
    }

    /// Closes the connection for its own errors only: NIO has answered those of a stream with RST_STREAM (RFC 9113, section
    /// 5.4.2).
    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        if !errors.hasSentError {
            // The fields of a head that was too long to be sent are in the server's table of HPACK only, and NIO sends no GOAWAY.
            let isDesynchronized = error is NIOHTTP2Errors.UnableToSerializeFrame
            guard
                isDesynchronized
                    || !(error is any NIOHTTP2Error) && !(error is NIOHTTP2Errors.StreamError)
            else { return }
            // That, or an error of TLS or of the system.
            sendGoAway(after: latestStream, .internalError, context: context)
        }
        context.close(promise: nil)
    }

    /// Uses one timer, which is set again if streams were open in the meantime.
    private func setTimer(context: ChannelHandlerContext) {
        let start = openStreams.isEmpty ? idleSince : .now()
        timer = context.eventLoop.assumeIsolated().scheduleTask(deadline: start + idleTimeout) {
            if self.openStreams.isEmpty, self.idleSince + self.idleTimeout <= .now() {
                self.closeIfIdle()
            } else {
                self.setTimer(context: context)
            }
        }
    }

    private func closeIfIdle() {
        guard let context, openStreams.isEmpty else { return }
        sendGoAway(after: latestStream, .noError, context: context)
        context.close(promise: nil)
    }

    private func sendGoAway(
        after latest: HTTP2StreamID, _ error: HTTP2ErrorCode, context: ChannelHandlerContext
    ) {
        let payload = HTTP2Frame.FramePayload.goAway(lastStreamID: latest, errorCode: error, opaqueData: nil)
        context.writeAndFlush(
            wrapOutboundOut(HTTP2Frame(streamID: .rootStream, payload: payload)), promise: nil)
    }
}

extension RequestEvent {
    /// Converts a decoded part of a stream.
    init(_ part: HTTPServerRequestPart, limits: ServerLimits) {
        switch part {
        case .head(let head):
            do throws(HTTPError) {
                self = .head(try RequestHead(head, limits: limits))
            } catch {
                self = .malformed(error, head.method)
            }
        case .body(let bytes): self = .body(bytes)
        case .end: self = .end
        }
    }
}

extension RequestHead {
    /// - Throws: The defect of the message.
    fileprivate init(_ head: HTTPRequestHead, limits: ServerLimits) throws(HTTPError) {
        guard head.uri.utf8.count <= limits.uri else { throw .uriTooLong(limit: limits.uri) }
        guard head.headers.size <= limits.headers else { throw .headersTooLarge(limit: limits.headers) }
        guard head.headers.countOfLines <= limits.headerFields else {
            throw .tooManyFields(limit: limits.headerFields)
        }
        guard let target = RequestTarget(head.uri) else { throw .malformed(.target) }
        guard head.headers["host"].count < 2 else { throw .malformed(.severalHosts) }
        try self.init(
            method: head.method, target: target, fields: RequestHeaders(head.headers, limits: limits),
            isHTTP10: false)
    }
}

extension RequestHeaders {
    /// Picks the known ones, in one pass.
    fileprivate init(_ headers: HTTPHeaders, limits: ServerLimits) throws(HTTPError) {
        self.init(limits: limits)
        for (name, value) in headers {
            if let name = Name(name.utf8.span) { try add(name, value) }
        }
    }
}

extension HTTPHeaders {
    /// In bytes, with the four that separate name, value and line in HTTP/1.1.
    fileprivate var size: Int {
        reduce(0) { $0 + $1.name.utf8.count + $1.value.utf8.count + 4 }
    }

    /// The number of fields, where the parts of the Cookie field are one field: clients split it so that it is compressed
    /// better (RFC 9113, section 8.2.3).
    fileprivate var countOfLines: Int {
        let cookies = reduce(0) { $0 + ($1.name == "cookie" ? 1 : 0) }
        return cookies > 1 ? count - cookies + 1 : count
    }
}
