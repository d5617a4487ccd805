import GraphQL
package import NIOCore
package import NIOWebSocket

/// One WebSocket with the protocol graphql-transport-ws: performs the actions of `GraphQLWebSocketState`.
///
/// The file is longer than 350 lines, because all methods change the same state on one event loop.
package final class GraphQLWebSocketHandler: ChannelDuplexHandler {
    package typealias InboundIn = WebSocketFrame
    package typealias OutboundIn = ByteBuffer
    package typealias OutboundOut = ByteBuffer

    private let service: GraphQLWebSocketService
    private let supportsSubprotocol: Bool
    /// The request of the handshake; its session is replaced by that of the first message.
    private var request: RequestContext
    /// True if the first message was accepted: no operation starts before.
    private var isAccepted = false
    /// Counts the WebSocket for its client; nil if it is not counted.
    private var permit: ClientShares.Permit?
    private var state: GraphQLWebSocketState
    private var operations: [UTF8Key: SocketOperation] = [:]
    private var operationCount = 0
    /// The promises of operations that wait until the channel is writable.
    private var waiting: [EventLoopPromise<Void>] = []
    private var timers: [Scheduled<Void>] = []
    private var keepalive: RepeatedTask?
    private var hasReceivedSincePing = true
    /// True if reading waits until the channel is writable.
    private var holdsRead = false
    private var isClosing = false
    /// True if the token of the first message has ended.
    ///
    /// No operation starts after that.
    private var hasTokenEnded = false
    private var stopObservingToken: (@Sendable () -> Void)?
    /// True if the server is shutting down.
    private var isDraining = false
    private var context: ChannelHandlerContext?

    package init(
        _ service: GraphQLWebSocketService, _ request: RequestContext, supportsSubprotocol: Bool,
        holding permit: ClientShares.Permit?
    ) {
        (self.service, self.request, self.permit) = (service, request, permit)
        self.supportsSubprotocol = supportsSubprotocol
        state = GraphQLWebSocketState(limit: service.limits.operationsPerSocket)
    }

    // MARK: - The connection

    package func handlerAdded(context: ChannelHandlerContext) {
        self.context = context
        _ = service.load.sockets.acquire()
        guard supportsSubprotocol else { return close(.subprotocolNotAcceptable) }
        let handler = NIOLoopBound(self, eventLoop: context.eventLoop)
        timers.append(
            context.eventLoop.scheduleTask(in: service.limits.initialisationTimeout) {
                if !handler.value.state.isInitialised { handler.value.close(.initialisationTimeout) }
            })
        let interval = service.limits.keepalive
        keepalive = context.eventLoop.scheduleRepeatedTask(initialDelay: interval, delay: interval) { _ in
            handler.value.keepAlive()
        }
    }

    package func handlerRemoved(context: ChannelHandlerContext) { end() }

    package func channelInactive(context: ChannelHandlerContext) {
        end()
        context.fireChannelInactive()
    }

    /// Pauses reading while the channel is not writable: responses would accumulate for a client that sends
    /// and does not read.
    package func read(context: ChannelHandlerContext) {
        if context.channel.isWritable { context.read() } else { holdsRead = true }
    }

    package func channelWritabilityChanged(context: ChannelHandlerContext) {
        if context.channel.isWritable {
            resume()
            if holdsRead {
                holdsRead = false
                context.read()
            }
        }
        context.fireChannelWritabilityChanged()
    }

    package func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
        switch event {
        case is DrainEvent:
            isDraining = true
            closeIfDrained()
        case is GracePeriodEndEvent:
            let drainTimeout = service.limits.drainTimeout
            for id in unfinished { reject(id, .aborted(limit: drainTimeout)) }
            close(.goingAway)
        default: context.fireUserInboundEventTriggered(event)
        }
    }

    /// The ids of queries and mutations without a response.
    private var unfinished: [String] {
        operations.filter { $1.type != .subscription }.map(\.key.text)
    }

    /// Closes the WebSocket of a server that shuts down, after the responses to its queries and mutations.
    private func closeIfDrained() {
        if isDraining, unfinished.isEmpty { close(.goingAway) }
    }

    package func errorCaught(context: ChannelHandlerContext, error: any Error) {
        switch error {
        case let reason as WebSocketCloseReason: close(reason)
        case NIOWebSocketError.invalidFrameLength: close(.messageTooLarge)
        default: close(.protocolError)
        }
    }

    /// Sends a ping, and closes a WebSocket from which nothing was received since the last one.
    private func keepAlive() {
        guard hasReceivedSincePing else { return close(.idle) }
        hasReceivedSincePing = false
        send(.frame(.ping) { _ in })
    }

    private func end() {
        if context != nil { service.load.sockets.release() }
        for operation in operations.values { operation.task.cancel() }
        operations.removeAll()
        for timer in timers { timer.cancel() }
        keepalive?.cancel()
        stopObservingToken?()
        stopObservingToken = nil
        resume()
        permit = nil
        context = nil
    }

    // MARK: - Frames

    package func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        let frame = unwrapInboundIn(data)
        hasReceivedSincePing = true
        guard !isClosing || frame.opcode == .connectionClose else { return }
        switch frame.opcode {
        case .text: receive(frame.unmaskedData)
        case .ping: send(.frame(.pong) { $0.writeImmutableBuffer(frame.unmaskedData) })
        case .connectionClose: echoClose(frame.unmaskedData)
        case .binary: close(.invalidMessage("Invalid message: must be text"))
        default: break
        }
    }

    private func receive(_ text: ByteBuffer) {
        guard let message = String(validating: text.readableBytesView, as: UTF8.self) else {
            return close(.invalidText)
        }
        do throws(WebSocketCloseReason) {
            let limits = JSONLimits(
                depth: service.limits.jsonDepth, bytes: service.limits.body,
                values: service.limits.jsonValues)
            let action = try state.receive(ClientMessage(json: message.utf8, limits: limits))
            if let action { perform(action) }
        } catch {
            close(error)
        }
    }

    private func send(_ frame: ByteBuffer, holding reservation: MemoryBudget.Reservation? = nil) {
        guard !isClosing, let context else { return }
        context.writeAndFlush(
            wrapOutboundOut(frame), promise: context.eventLoop.promise(holding: reservation))
    }

    private func send(_ message: ServerMessage) { send(message.frame) }

    /// Sends a close frame with the reason, and waits for the close frame of the client for a limited time.
    private func close(_ reason: WebSocketCloseReason, linger: TimeAmount? = nil) {
        guard !isClosing, let context else { return }
        send(
            .frame(.connectionClose) { data in
                data.writeInteger(reason.code)
                data.writeString(reason.message)
            })
        isClosing = true
        for operation in operations.values { operation.task.cancel() }
        let channel = context.channel
        timers.append(
            context.eventLoop.scheduleTask(in: linger ?? service.limits.lingerTimeout) {
                channel.closeWithoutHandshake()
            })
    }

    /// Responds to the client's close frame with the same code.
    private func echoClose(_ data: ByteBuffer) {
        guard let context else { return }
        guard !isClosing else { return context.close(promise: nil) }
        do throws(WebSocketCloseReason) {
            let code = try WebSocketCloseReason.code(of: data)
            send(.frame(.connectionClose) { data in if let code { data.writeInteger(code) } })
        } catch {
            return close(error)
        }
        isClosing = true
        context.close(promise: nil)
    }

    // MARK: - Messages

    private func perform(_ action: GraphQLWebSocketState.Action) {
        switch action {
        case .initialise(let payload): initialise(payload)
        case .send(let message): send(message)
        case .begin(let id, let request): begin(request, id: id)
        case .end(let id):
            operations.removeValue(forKey: UTF8Key(id))?.task.cancel()
            closeIfDrained()
        case .reject(let id):
            reject(id, .overloaded(.operationsOfSocket(limit: service.limits.operationsPerSocket)))
        }
    }

    private func initialise(_ payload: InputObject) {
        guard let context else { return }
        let token: String?
        do throws(AuthenticationError) {
            token = try ConnectionInitToken.read(payload) ?? request.token
        } catch {
            return close(.malformedToken)
        }
        let session = service.authentication.session(token)
        guard let verify = session.verification else { return accept(session, token, payload) }
        let (handler, eventLoop) = (NIOLoopBound(self, eventLoop: context.eventLoop), context.eventLoop)
        Task {
            let session = await verify()
            eventLoop.execute { handler.value.accept(session, token, payload) }
        }
    }

    /// Accepts the first message of the client, unless its token is rejected.
    private func accept(_ session: any GraphQLSession, _ token: String?, _ payload: InputObject) {
        guard let context, !isClosing else { return }
        // A rejected token is not handled like a missing one: a client whose WebSocket is closed with this
        // code obtains its token again.
        guard session.tokenRejection == nil else { return close(.invalidToken) }
        guard count(for: session.user) else {
            return close(.tooManySockets(limit: service.limits.socketsPerClient))
        }
        (request.session, request.token, isAccepted) = (session, token, true)
        if let application = ClientApplication(payload) { request.application = application }
        if service.authentication.allowsUpstreamReports, payload.requestsUpstreamReport {
            request.reportsUpstream = true
        }
        send(.acknowledge)
        let (handler, eventLoop) = (NIOLoopBound(self, eventLoop: context.eventLoop), context.eventLoop)
        stopObservingToken = session.onEnd { eventLoop.execute { handler.value.tokenEnded() } }
    }

    /// Counts the WebSocket for a user, unless the handshake had a token of the same user.
    ///
    /// - Returns: False if the user has reached the limit.
    private func count(for user: String?) -> Bool {
        if user == request.session.user { return true }
        do {
            permit = try service.load.shares.socket(of: user, at: request.client)
            return true
        } catch {
            return false
        }
    }

    // MARK: - The end of the token

    /// The time for operations with one response to send it, such as the mutation that has ended the token.
    package static let lastResponses = TimeAmount.milliseconds(500)
    /// The time for a client to respond to the close frame after that.
    ///
    /// The sum of this time, the one above, and the time to detect that another process has ended a token is
    /// less than a second.
    package static let lastLinger = TimeAmount.milliseconds(200)

    /// Closes the WebSocket, because its token has ended.
    ///
    /// Its streams get UNAUTHENTICATED as a last event, and neither `complete` nor `error`: clients then
    /// start them again after they have connected with another token.
    func tokenEnded() {
        guard !isClosing, !hasTokenEnded, let context else { return }
        hasTokenEnded = true
        for (id, running) in operations where running.type == .subscription { endStream(id, running) }
        if operations.isEmpty { return closeAfterToken() }
        let handler = NIOLoopBound(self, eventLoop: context.eventLoop)
        timers.append(
            context.eventLoop.scheduleTask(in: Self.lastResponses) { handler.value.closeAfterToken() })
    }

    /// Ends a stream whose token has ended.
    private func endStream(_ id: UTF8Key, _ running: SocketOperation) {
        send(.next(id: id.text, StreamedOperation.endedToken(running.requestID)))
        running.task.cancel()
        finish(id.text)
    }

    private func closeAfterToken() { close(.endedToken, linger: Self.lastLinger) }

    // MARK: - Operations

    private func reject(_ id: String, _ error: HTTPError) {
        send(.error(id: id, error.graphQLResponse(id: service.ids.make())))
    }

    private func begin(_ operation: GraphQLRequest, id: String) {
        guard let context, isAccepted else { return close(.unauthorized) }
        // The operation gets no response: the WebSocket is closed, and clients send the operation again with
        // another token.
        guard !hasTokenEnded, request.session.isValid else { return tokenEnded() }
        let admission: GraphQLWebSocketService.Admission
        do throws(HTTPError) {
            admission = try service.admit(operation, in: request, isDraining: isDraining)
        } catch {
            state.finish(id)
            return reject(id, error)
        }
        operationCount &+= 1
        let sender = SocketOperation.Sender(
            handler: NIOLoopBound(self, eventLoop: context.eventLoop), id: id, number: operationCount)
        operations[UTF8Key(id)] = SocketOperation(admission, sender, streams: service.load.streams)
    }

    /// Sets the type of an operation whose request was prepared on its executor.
    func setType(_ type: OperationType?, of id: String, number: Int) {
        let key = UTF8Key(id)
        guard !isClosing, var running = operations[key], running.number == number else { return }
        running.type = type
        operations[key] = running
        if hasTokenEnded, type == .subscription { endStream(key, running) }
        closeIfDone()
    }

    /// Removes an operation whose last message is sent.
    private func finish(_ id: String) {
        operations[UTF8Key(id)] = nil
        state.finish(id)
    }

    /// Sends a message of an operation, unless the operation has ended.
    func send(
        _ message: ServerMessage, of id: String, number: Int, isLast: Bool
    ) -> SocketOperation.SendResult {
        guard let context, !isClosing, let running = operations[UTF8Key(id)], running.number == number else {
            return .over
        }
        let frame = message.frame
        var reservation: MemoryBudget.Reservation?
        let isMutation = running.type == .mutation
        let isReserved = service.load.responseMemory.reserve(
            frame.readableBytes, for: service.load.shares.address(request.client), uncounted: 4 << 10,
            isMutation: isMutation, in: &reservation)
        if isLast || !isReserved { finish(id) }
        guard isReserved else {
            reject(id, .overloaded(isMutation ? .mutationMemory : .responseMemory))
            closeIfDone()
            return .over
        }
        send(frame, holding: reservation)
        if isLast { closeIfDone() }
        guard !context.channel.isWritable, !isLast else { return .sent }
        let promise = context.eventLoop.makePromise(of: Void.self)
        waiting.append(promise)
        return .waits(promise.futureResult)
    }

    /// Closes the WebSocket after its last response, if its token has ended or the server shuts down.
    private func closeIfDone() {
        if hasTokenEnded, operations.isEmpty { closeAfterToken() }
        closeIfDrained()
    }

    private func resume() {
        let promises = waiting
        waiting = []
        for promise in promises { promise.succeed() }
    }
}
