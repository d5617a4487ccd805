import NIOCore
import NIOHPACK
import NIOHTTP1
import NIOHTTP2

/// The handlers of an HTTP/2 connection (RFC 9113): each stream is a channel with one request.
///
/// NIO's handler limits resets, empty frames, continuations and control frames of a client.
enum HTTP2Pipeline {
    static func addHandlers(to channel: any Channel, _ server: ServerState) throws {
        let limits = server.limits
        var connection = NIOHTTP2Handler.ConnectionConfiguration()
        connection.initialSettings = [
            HTTP2Setting(parameter: .maxConcurrentStreams, value: limits.streamsPerConnection),
            HTTP2Setting(parameter: .maxHeaderListSize, value: limits.uri + limits.headers),
        ]
        let closer = HTTP2ConnectionCloser(of: server.load.connections, idleTimeout: limits.idleTimeout)
        let handler = NIOHTTP2Handler(
            mode: .server, eventLoop: channel.eventLoop, connectionConfiguration: connection,
            streamConfiguration: NIOHTTP2Handler.StreamConfiguration(),
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
        try channel.pipeline.syncOperations.addHandlers([handler, closer])
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
    private let idleTimeout: TimeAmount
    private var openStreams: Set<HTTP2StreamID> = []
    /// The latest stream of the client, for GOAWAY: later streams were not processed.
    private var latestStream = HTTP2StreamID.rootStream
    private var idleSince = NIODeadline.now()
    private var isDraining = false
    private var timer: Scheduled<Void>?
    private var context: ChannelHandlerContext?

    init(of connections: OpenConnections, idleTimeout: TimeAmount) {
        self.connections = connections
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
        sendGoAway(after: .maxID, context: context)
        closeIfIdle()
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
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
        sendGoAway(after: latestStream, context: context)
        context.close(promise: nil)
    }

    private func sendGoAway(after latest: HTTP2StreamID, context: ChannelHandlerContext) {
        let payload = HTTP2Frame.FramePayload.goAway(
            lastStreamID: latest, errorCode: .noError, opaqueData: nil)
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
