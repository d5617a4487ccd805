import GraphQL
import Logging
import NIOCore
import NIOHTTP1

/// One connection: takes requests from the codec, has them answered in order, and writes the answers.
///
/// An answer that is at hand is written where it was asked for, on the event loop, without a task. Its responses are
/// bytes already, so the pipeline needs no encoder, and each leaves in one write; answers to requests that arrived in
/// one read are flushed together.
final class ConnectionHandler: ChannelDuplexHandler {
    typealias InboundIn = HTTPServerRequestPart
    typealias OutboundIn = ByteBuffer
    typealias OutboundOut = ByteBuffer

    private let server: ServerState
    private var assembler: RequestAssembler
    /// Requests behind the current one.
    private var waiting: CircularBuffer<Exchange> = []
    private var current: Current?
    /// Set with the last answer: from then on nothing is read or answered.
    private var isOver = false
    private var isDraining = false
    /// Whether a read has begun and not yet completed; flushing waits for its end.
    private var isInRead = false
    private var needsFlush = false
    /// Whether a read was asked for and held back, because enough requests wait.
    private var holdsRead = false
    /// Whether a client waits for `100 Continue`.
    private var owesInvitation = false
    private var deadline: ConnectionDeadline
    private var timer: Scheduled<Void>?
    /// Where the handler stands in the pipeline; nil once it has left.
    private var context: ChannelHandlerContext?

    /// A request whose answer is waited for.
    private struct Current {
        let exchange: Exchange
        let task: Task<Void, Never>
    }

    init(_ server: ServerState) {
        self.server = server
        assembler = RequestAssembler(router: server.router, limits: server.limits)
        deadline = ConnectionDeadline(now: .now(), server.limits)
    }

    // MARK: - Channel

    func handlerAdded(context: ChannelHandlerContext) {
        self.context = context
    }

    func handlerRemoved(context: ChannelHandlerContext) {
        self.context = nil
    }

    func channelActive(context: ChannelHandlerContext) {
        switch server.connections.add(context.channel) {
        case .admitted: setTimer(context: context)
        case .full: turnAway(context: context)
        case .draining: context.close(promise: nil)
        }
        context.fireChannelActive()
    }

    func channelInactive(context: ChannelHandlerContext) {
        isOver = true
        timer?.cancel()
        timer = nil
        waiting.removeAll()
        current?.task.cancel()
        current = nil
        server.connections.remove(context.channel)
        context.fireChannelInactive()
    }

    /// Bytes have arrived, and will come back as parts of requests; false where they are of no interest any more.
    func bytesArrived() -> Bool {
        guard !isOver else { return false }
        if deadline.phase == .idle, let context { enter(.head, context: context) }
        return true
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        guard !isOver else { return }
        isInRead = true
        switch assembler.receive(unwrapInboundIn(data), newID: server.requestIDs.make) {
        case .nothing: break
        case .invite:
            owesInvitation = true
            inviteIfDue(context: context)
        case .exchange(let exchange): enqueue(exchange, context: context)
        }
    }

    func channelReadComplete(context: ChannelHandlerContext) {
        isInRead = false
        flushIfNeeded(context: context)
        settle(context: context)
        context.fireChannelReadComplete()
    }

    func read(context: ChannelHandlerContext) {
        // A request that waits is enough: what the client sends beyond stays in its socket.
        guard waiting.isEmpty || isOver else {
            holdsRead = true
            return
        }
        context.read()
    }

    func channelWritabilityChanged(context: ChannelHandlerContext) {
        if context.channel.isWritable { proceed(context: context) } else { settle(context: context) }
        context.fireChannelWritabilityChanged()
    }

    func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
        guard event is DrainEvent else { return context.fireUserInboundEventTriggered(event) }
        isDraining = true
        let isIdle = current == nil && waiting.isEmpty && !assembler.isMidRequest && deadline.phase == .idle
        if isIdle { context.close(promise: nil) }
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        guard let parserError = error as? HTTPParserError, !isOver, context.channel.isActive else {
            server.logger.debug("Connection failed", metadata: ["error": "\(error)"])
            return context.close(promise: nil)
        }
        refuse(HTTPProblem(parserError, server.limits), context: context)
    }

    // MARK: - Requests in order

    private func enqueue(_ exchange: Exchange, context: ChannelHandlerContext) {
        guard waiting.count < server.limits.pipelinedRequests else {
            return refuse(.tooManyPipelined(limit: server.limits.pipelinedRequests), context: context)
        }
        waiting.append(exchange)
        serve(context: context)
    }

    /// Answers with a problem once everything before it is answered, and ends the connection.
    private func refuse(_ problem: HTTPProblem, context: ChannelHandlerContext) {
        waiting.append(Exchange(ending: problem, id: server.requestIDs.make()))
        proceed(context: context)
    }

    /// Answers what can be answered.
    private func serve(context: ChannelHandlerContext) {
        while !isOver, current == nil, context.channel.isWritable, let exchange = waiting.popFirst() {
            switch exchange.work {
            case .tell(let response): write(response, for: exchange, context: context)
            case .answer(let destination, let body):
                let answer = server.router.answer(
                    destination, body: body, id: exchange.id, isStopping: isDraining)
                switch answer {
                case .ready(let response): write(response, for: exchange, context: context)
                case .later(let fetch): wait(for: fetch, exchange, context: context)
                }
            }
        }
    }

    /// Says that there is no room, and closes at once: a connection too many is not kept for politeness.
    private func turnAway(context: ChannelHandlerContext) {
        isOver = true
        let id = server.requestIDs.make()
        let buffer = HTTPProblem.tooManyConnections.response(id: id).wireForm(
            id: id, date: server.date, persistence: .closed, isBodyLeftOut: false,
            allocator: context.channel.allocator)
        context.writeAndFlush(wrapOutboundOut(buffer)).assumeIsolated().whenComplete { _ in
            context.close(promise: nil)
        }
    }

    /// Goes on after something outside a read has happened.
    private func proceed(context: ChannelHandlerContext) {
        serve(context: context)
        inviteIfDue(context: context)
        if !isInRead { flushIfNeeded(context: context) }
        settle(context: context)
        if holdsRead, waiting.isEmpty {
            holdsRead = false
            context.read()
        }
    }

    private func inviteIfDue(context: ChannelHandlerContext) {
        guard owesInvitation, !isOver, current == nil, waiting.isEmpty else { return }
        owesInvitation = false
        // A client that has sent its body by now has not waited.
        guard assembler.isMidRequest else { return }
        context.write(
            wrapOutboundOut(ByteBuffer(staticString: "HTTP/1.1 100 Continue\r\n\r\n")), promise: nil)
        needsFlush = true
    }

    // MARK: - Answers that are waited for

    private func wait(
        for fetch: @escaping @Sendable () async throws -> HTTPResponse, _ exchange: Exchange,
        context: ChannelHandlerContext
    ) {
        guard server.inFlight.enter() else {
            return write(
                HTTPProblem.tooManyRequestsInFlight.response(id: exchange.id), for: exchange, context: context
            )
        }
        let bound = NIOLoopBound((connection: self, context: context), eventLoop: context.eventLoop)
        let eventLoop = context.eventLoop
        let task = Task { [server, id = exchange.id] in
            let result: Result<HTTPResponse, any Error>
            do {
                result = .success(try await fetch())
            } catch {
                result = .failure(error)
            }
            server.inFlight.leave()
            eventLoop.execute {
                bound.value.connection.finish(id, with: result, context: bound.value.context)
            }
        }
        current = Current(exchange: exchange, task: task)
        enter(.answering, context: context)
    }

    private func finish(
        _ id: RequestID, with result: Result<HTTPResponse, any Error>, context: ChannelHandlerContext
    ) {
        // Otherwise the client has gone, or has been told that it took too long.
        guard let exchange = current?.exchange, exchange.id == id else { return }
        current = nil
        switch result {
        case .success(let response): write(response, for: exchange, context: context)
        case .failure(let error):
            server.logger.error(
                "Request failed", metadata: ["requestID": "\(id)", "error": "\(type(of: error))"])
            write(HTTPProblem.internalError.response(id: id), for: exchange, context: context)
        }
        proceed(context: context)
    }

    /// The phase has taken too long.
    private func expire(context: ChannelHandlerContext) {
        let limits = server.limits
        switch deadline.phase {
        case .idle, .writing, .ending, .lingering: context.close(promise: nil)
        case .head: refuse(.slow(.head, limit: limits.headTimeout), context: context)
        case .body: refuse(.slow(.body, limit: limits.bodyTimeout), context: context)
        case .answering:
            guard let current else { return }
            current.task.cancel()
            self.current = nil
            let problem = HTTPProblem.answerTooSlow(limit: limits.answerTimeout)
            write(problem.response(id: current.exchange.id), for: current.exchange, context: context)
            proceed(context: context)
        }
    }

    // MARK: - Writing

    private func write(_ response: HTTPResponse, for exchange: Exchange, context: ChannelHandlerContext) {
        let isLast = response.endsConnection || isDraining || !exchange.isKeepAlive
        let buffer = response.wireForm(
            id: exchange.id, date: server.date,
            persistence: isLast ? .closed : exchange.isHTTP10 ? .kept : .assumed,
            isBodyLeftOut: exchange.method == .HEAD, allocator: context.channel.allocator)
        needsFlush = true
        log(exchange, response)
        guard isLast else {
            context.write(wrapOutboundOut(buffer), promise: nil)
            return enter(.idle, context: context)
        }
        isOver = true
        waiting.removeAll()
        enter(.ending, context: context)
        context.write(wrapOutboundOut(buffer)).assumeIsolated().whenComplete { _ in
            self.linger(context: context)
        }
    }

    /// Ends the connection without losing the last answer: closing while the client still sends would reset the
    /// connection, and the reset may overtake the answer (RFC 9112, section 9.6).
    private func linger(context: ChannelHandlerContext) {
        guard context.channel.isActive else { return }
        enter(.lingering, context: context)
        context.close(mode: .output, promise: nil)
        context.read()
    }

    private func flushIfNeeded(context: ChannelHandlerContext) {
        guard needsFlush else { return }
        needsFlush = false
        context.flush()
    }

    private func log(_ exchange: Exchange, _ response: HTTPResponse) {
        server.logger.debug(
            "Answered",
            metadata: [
                "requestID": "\(exchange.id)", "method": "\(exchange.method.rawValue)",
                "path": "\(exchange.path)",
                "status": "\(response.status.code)", "bytes": "\(response.body.count)",
            ])
    }

    // MARK: - Phases

    /// Finds the phase that the connection is in by now, after reads and writes.
    private func settle(context: ChannelHandlerContext) {
        guard !isOver else { return }
        let phase: ConnectionPhase =
            if !context.channel.isWritable {
                .writing
            } else if current != nil {
                .answering
            } else if assembler.isMidRequest {
                .body
            } else {
                deadline.phase == .head ? .head : .idle
            }
        if phase != deadline.phase { enter(phase, context: context) }
    }

    private func enter(_ phase: ConnectionPhase, context: ChannelHandlerContext) {
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
