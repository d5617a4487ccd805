import GraphQL
import Logging
import NIOCore
import NIOHTTP1

/// Handles one HTTP/1.1 connection, or one stream of HTTP/2: receives the parts of requests from its codec,
/// calls the route in the order of the requests, and writes the responses.
///
/// A synchronous response is written on the event loop, without a task. Responses of one tick of the event
/// loop are flushed together, unless the connection uses TLS.
final class HTTPConnectionHandler: ChannelDuplexHandler, RemovableChannelHandler {
    typealias InboundIn = HTTPServerRequestPart
    typealias OutboundIn = Never

    let server: ServerState
    let encoding: ResponseEncoding
    private var assembler: RequestAssembler
    /// Requests behind the current one.
    var waiting: CircularBuffer<HTTPExchange> = []
    var current: CurrentExchange?
    /// True with the last response: no further request is read or handled.
    var isOver = false
    /// Whether the server is shutting down: requests that have arrived are finished, new ones are refused.
    var isDraining: Bool { assembler.isDraining }
    /// Whether the connection is closed as soon as it is idle.
    ///
    /// Set for connections that were open when the shutdown began.
    private var closesWhenIdle = false
    /// Whether the grace period of the shutdown is over.
    private var isPastGracePeriod = false
    /// Whether a read has begun and not yet completed; flushing waits for its end.
    private var isInRead = false
    var needsFlush = false
    /// The batch in which responses are flushed; nil with TLS, whose handler may close the connection
    /// itself.
    private(set) var flushRound: FlushBatcher?
    /// Whether a read was requested and held back, because enough requests wait.
    var holdsRead = false
    /// Whether a part of a head has arrived, according to the codec.
    var isMidHead = false
    /// Whether the client waits for `100 Continue` to the request that is arriving.
    private var owesInvitation = false
    private var deadline: ConnectionTimer
    /// The bytes that the client had still to read when it was last checked.
    private var unread = 0
    /// The bytes of long bodies of HTTP/2 whose write has not completed.
    var unwritten = 0
    var timer: Scheduled<Void>?
    /// The context of the handler; nil after its removal.
    private(set) var context: ChannelHandlerContext?

    init(_ server: ServerState, encoding: ResponseEncoding) {
        self.server = server
        self.encoding = encoding
        assembler = RequestAssembler(
            router: server.router, limits: server.limits, memory: server.load.requestMemory,
            shares: server.load.shares, trustedProxies: server.configuration.trustedProxies,
            reportProxy: server.reportProxy)
        deadline = ConnectionTimer(now: .now(), server.limits)
    }

    /// Whether a request's head has arrived and its end has not.
    var isMidRequest: Bool { assembler.isMidRequest }

    // MARK: - Channel

    func handlerAdded(context: ChannelHandlerContext) {
        self.context = context
        // Behind a handshake, the connection is counted by then.
        if context.channel.isActive { begin(context: context) }
    }

    func handlerRemoved(context: ChannelHandlerContext) {
        self.context = nil
    }

    func channelActive(context: ChannelHandlerContext) {
        switch encoding {
        case .http1:
            switch server.load.connections.add(
                context.channel, from: ClientAddress(context.channel.remoteAddress))
            {
            case .admitted:
                flushRound = server.flushRounds.round(of: context.eventLoop)
                begin(context: context)
            case .full: rejectConnection(.connections, context: context)
            case .addressFull: rejectConnection(.connectionsOfAddress, context: context)
            }
        case .http2:
            server.load.connections.add(stream: context.channel)
            begin(context: context)
        }
        context.fireChannelActive()
    }

    private func begin(context: ChannelHandlerContext) {
        assembler.peer = ClientAddress(context.channel.remoteAddress)
        // A stream of HTTP/2 gets this by an event.
        if encoding == .http1 { assembler.isDraining = server.load.connections.isDraining }
        setTimer(context: context)
    }

    func channelInactive(context: ChannelHandlerContext) {
        isOver = true
        timer?.cancel()
        timer = nil
        waiting.removeAll()
        for promise in current?.body?.waiting ?? [] { promise.fail(CancellationError()) }
        current?.cancel(in: server.load.admissionQueue)
        current = nil
        context.fireChannelInactive()
    }

    /// NIO's codec of HTTP/2 fires parts; that of HTTP/1.1 calls.
    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        receive(RequestEvent(unwrapInboundIn(data), limits: server.limits))
    }

    /// Takes the next part of a request; the end of the read must follow.
    func receive(_ part: RequestEvent) {
        guard !isOver, let context else { return }
        isInRead = true
        switch assembler.receive(part, newID: server.requestIDs.make) {
        case .nothing: break
        case .invite:
            owesInvitation = true
            inviteIfDue(context: context)
        case .exchange(let exchange): enqueue(exchange, context: context)
        }
    }

    func channelReadComplete(context: ChannelHandlerContext) {
        isInRead = false
        if assembler.isMidRequest { assembler.releaseReadBuffers() }
        flushIfNeeded(context: context)
        settle(context: context)
        context.fireChannelReadComplete()
    }

    func read(context: ChannelHandlerContext) {
        // One waiting request is enough: further bytes of the client stay in its socket.
        guard waiting.isEmpty || isOver else {
            holdsRead = true
            return
        }
        context.read()
    }

    func channelWritabilityChanged(context: ChannelHandlerContext) {
        if context.channel.isWritable {
            resumeWriters()
            proceed(context: context)
        } else {
            settle(context: context)
        }
        context.fireChannelWritabilityChanged()
    }

    func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
        switch event {
        case is DrainEvent: drain(context: context)
        case is GracePeriodEndEvent: abort(context: context)
        default: context.fireUserInboundEventTriggered(event)
        }
    }

    /// Begins the shutdown of the connection: takes no new requests, and closes it after the responses to
    /// those that have arrived.
    private func drain(context: ChannelHandlerContext) {
        assembler.isDraining = true
        closesWhenIdle = true
        if let body = current?.body, !body.endsByItself { current?.cancel(in: server.load.admissionQueue) }
        if isMidHead, current == nil, waiting.isEmpty { reject(.shuttingDown, context: context) }
        settle(context: context)
    }

    /// Ends the grace period: requests without a response get one with the reason.
    private func abort(context: ChannelHandlerContext) {
        drain(context: context)
        isPastGracePeriod = true
        let problem = HTTPError.aborted(limit: server.limits.drainTimeout)
        guard !isOver else { return }
        // The response has begun, and its client must not take a part of it as complete.
        guard current?.body == nil else { return close(context: context) }
        failCurrent(with: problem, context: context)
        if !isOver, assembler.isMidRequest { reject(problem, context: context) }
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        server.logger.debug("Connection failed", metadata: ["error": "\(error)"])
        close(context: context)
    }

    // MARK: - Requests in order

    private func enqueue(_ exchange: HTTPExchange, context: ChannelHandlerContext) {
        // The request is complete, and the next one may expect nothing.
        owesInvitation = false
        if current == nil, waiting.isEmpty, context.channel.isWritable {
            return respond(to: exchange, context: context)
        }
        guard waiting.count < server.limits.pipelinedRequests else {
            let overload = HTTPError.Overload.pipelinedRequests(limit: server.limits.pipelinedRequests)
            return reject(.overloaded(overload), context: context)
        }
        var waitingExchange = exchange
        if case .handle(let answerer, var body) = exchange.work {
            // It may wait long, and would retain the buffer that it was read into.
            body.releaseReadBuffer()
            waitingExchange.work = .handle(answerer, body: body)
        }
        waiting.append(waitingExchange)
    }

    /// Responds with an error after all earlier responses, and ends the connection.
    private func reject(_ problem: HTTPError, context: ChannelHandlerContext) {
        waiting.append(HTTPExchange(ending: problem, id: server.requestIDs.make()))
        proceed(context: context)
    }

    /// Handles the requests that can be handled.
    private func serve(context: ChannelHandlerContext) {
        while !isOver, current == nil, context.channel.isWritable, let exchange = waiting.popFirst() {
            respond(to: exchange, context: context)
        }
    }

    private func respond(to exchange: HTTPExchange, context: ChannelHandlerContext) {
        switch exchange.work {
        case .respond(let response): send(response, for: exchange, context: context)
        case .handle where isPastGracePeriod:
            let problem = HTTPError.aborted(limit: server.limits.drainTimeout)
            send(problem.response(id: exchange.id), for: exchange, context: context)
        case .handle(let answerer, let body):
            var begun = exchange
            begun.work = .started
            switch answerer(body, isDraining) {
            case .ready(let response): send(response, for: begun, context: context)
            case .async(let fetch): wait(for: fetch, begun, context: context)
            }
        case .started: break
        }
    }

    /// Responds that the server is overloaded, and closes the connection at once.
    private func rejectConnection(_ overload: HTTPError.Overload, context: ChannelHandlerContext) {
        isOver = true
        let exchange = HTTPExchange(ending: .overloaded(overload), id: server.requestIDs.make())
        guard case .respond(let response) = exchange.work else { return }
        let output = encode(response, for: exchange, isLast: true, context: context)
        let promise = context.eventLoop.makePromise(of: Void.self)
        write(output, context: context, promise: promise)
        context.flush()
        promise.futureResult.assumeIsolated().whenComplete { _ in context.close(promise: nil) }
    }

    /// Goes on after something outside a read has happened.
    func proceed(context: ChannelHandlerContext) {
        serve(context: context)
        inviteIfDue(context: context)
        if !isInRead { flushIfNeeded(context: context) }
        settle(context: context)
        if holdsRead, waiting.isEmpty, self.context != nil {
            holdsRead = false
            context.read()
        }
    }

    private func inviteIfDue(context: ChannelHandlerContext) {
        guard owesInvitation, !isOver, current == nil, waiting.isEmpty else { return }
        owesInvitation = false
        write(encoding.invitation, context: context)
        needsFlush = true
    }

    // MARK: - Phases

    /// The phase has taken too long.
    private func expire(context: ChannelHandlerContext) {
        let limits = server.limits
        switch deadline.phase {
        case .idle: close(context: context)
        case .writing, .ending:
            // A client that reads steadily continues, however long the response takes.
            guard unread - unreadBytes(context: context) >= encoding.leastProgress else {
                return context.channel.closeWithoutHandshake()
            }
            enter(deadline.phase, context: context)
        case .lingering: context.channel.closeWithoutHandshake()
        case .head: reject(.slow(.head, limit: limits.headTimeout), context: context)
        case .body: reject(.slow(.body, limit: limits.bodyTimeout), context: context)
        case .queued: failCurrent(with: .overloaded(.requestsInFlight), context: context)
        case .answering: failCurrent(with: .responseTimeout(limit: limits.responseTimeout), context: context)
        case .streaming:
            server.logger.error(
                "Streamed response timed out",
                metadata: ["requestID": "\(current?.exchange.id, default: "-")"])
            close(context: context)
        }
    }

    /// Finds the phase that the connection is in by now, after reads and writes.
    func settle(context: ChannelHandlerContext) {
        guard !isOver else { return }
        let phase: ConnectionPhase =
            if !context.channel.isWritable {
                .writing
            } else if let current {
                current.phase
            } else if assembler.isMidRequest {
                .body
            } else {
                isMidHead ? .head : .idle
            }
        // A stream of HTTP/2 has already ended with its response.
        if phase == .idle, closesWhenIdle, encoding == .http1 { return closeAfterResponses(context: context) }
        if phase != deadline.phase { enter(phase, context: context) }
    }

    /// Closes an idle connection after its client has received the earlier responses.
    private func closeAfterResponses(context: ChannelHandlerContext) {
        isOver = true
        enter(.ending, context: context)
        let promise = context.eventLoop.makePromise(of: Void.self)
        context.writeAndFlush(NIOAny(ByteBuffer()), promise: promise)
        promise.futureResult.assumeIsolated().whenComplete { _ in context.close(promise: nil) }
    }

    /// The bytes that are written and that the client has still to read, without those that the system has.
    ///
    /// A stream of HTTP/2 has no such number of its own, and its bytes also wait for the client's window. Without any, it
    /// waits because the connection has much to write, which counts then.
    private func unreadBytes(context: ChannelHandlerContext) -> Int {
        switch encoding {
        case .http1: (try? context.channel.syncOptions?.getOption(.bufferedWritableBytes)) ?? 0
        case .http2 where unwritten > 0: unwritten
        case .http2: (try? context.channel.parent?.syncOptions?.getOption(.bufferedWritableBytes)) ?? 0
        }
    }

    /// Begins to observe whether the client reads; TLS passes bytes on when they are flushed.
    func observeReading(context: ChannelHandlerContext) {
        switch deadline.phase {
        case .writing, .ending: unread = unreadBytes(context: context)
        case .idle, .head, .body, .queued, .answering, .streaming, .lingering: break
        }
    }

    func enter(_ phase: ConnectionPhase, context: ChannelHandlerContext) {
        defer { observeReading(context: context) }
        if deadline.enter(phase, now: .now(), server.limits) { setTimer(context: context) }
    }

    private func setTimer(context: ChannelHandlerContext) {
        timer?.cancel()
        timer = context.eventLoop.assumeIsolated().scheduleTask(deadline: deadline.end) {
            if self.deadline.timerFired(now: .now()) {
                self.expire(context: context)
            } else {
                self.setTimer(context: context)
            }
        }
    }
}
