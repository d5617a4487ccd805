import GraphQL
import NIOCore
import NIOWebSocket

/// A socket that speaks GraphQL over WebSocket: does what `SocketState` says about each message, and runs the operations.
final class SocketHandler: ChannelDuplexHandler {
    typealias InboundIn = WebSocketFrame
    typealias OutboundIn = ByteBuffer
    typealias OutboundOut = ByteBuffer

    private struct Operation {
        /// Tells it from an earlier one of the same id.
        let number: Int
        let task: Task<Void, Never>
    }

    private struct Caller {
        let responder: Responder
        let token: String?
        /// Whether responses tell which upstream calls they have cost.
        let hearsOfUpstream: Bool
    }

    private let service: SocketService
    private let socket: SocketService.Socket
    private var state: SocketState
    /// Who has said who they are: what answers them.
    private var caller: Caller?
    private var operations: [String: Operation] = [:]
    private var operationCount = 0
    /// Operations that wait until the client takes more.
    private var waiting: [EventLoopPromise<Void>] = []
    private var timers: [Scheduled<Void>] = []
    private var keepalive: RepeatedTask?
    private var wasHeard = true
    /// Whether reading waits until the client takes what it was sent.
    private var holdsRead = false
    private var isClosing = false
    private var context: ChannelHandlerContext?

    init(_ service: SocketService, _ socket: SocketService.Socket) {
        self.service = service
        self.socket = socket
        state = SocketState(limit: service.limits.operationsPerSocket)
    }

    // MARK: - The connection

    func handlerAdded(context: ChannelHandlerContext) {
        self.context = context
        _ = service.load.sockets.enter()
        guard socket.speaksProtocol else { return close(.subprotocolNotAcceptable) }
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

    func handlerRemoved(context: ChannelHandlerContext) { end() }

    func channelInactive(context: ChannelHandlerContext) {
        end()
        context.fireChannelInactive()
    }

    /// A client that only sends is not read on: what it is to be answered would pile up here.
    func read(context: ChannelHandlerContext) {
        if context.channel.isWritable { context.read() } else { holdsRead = true }
    }

    func channelWritabilityChanged(context: ChannelHandlerContext) {
        if context.channel.isWritable {
            resume()
            if holdsRead {
                holdsRead = false
                context.read()
            }
        }
        context.fireChannelWritabilityChanged()
    }

    func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
        if event is DrainEvent { close(.goingAway) } else { context.fireUserInboundEventTriggered(event) }
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        switch error {
        case let reason as CloseReason: close(reason)
        case NIOWebSocketError.invalidFrameLength,
            NIOWebSocketFrameAggregator.Error.accumulatedFrameSizeIsTooLarge,
            NIOWebSocketFrameAggregator.Error.tooManyFragments:
            close(.messageTooLarge)
        default: close(.protocolError)
        }
    }

    /// Asks whether the client is still there, and ends a socket from which nothing was heard since the last time, or
    /// whose session has ended.
    private func keepAlive() {
        if let caller, !caller.responder.isValid() { return close(.unauthorized) }
        guard wasHeard else { return close(.idle) }
        wasHeard = false
        send(.frame(.ping) { _ in })
    }

    private func end() {
        if context != nil { service.load.sockets.leave() }
        for operation in operations.values { operation.task.cancel() }
        operations.removeAll()
        for timer in timers { timer.cancel() }
        keepalive?.cancel()
        resume()
        context = nil
    }

    // MARK: - Frames

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        let frame = unwrapInboundIn(data)
        wasHeard = true
        guard !isClosing || frame.opcode == .connectionClose else { return }
        switch frame.opcode {
        case .text: receive(frame.unmaskedData)
        case .ping: send(.frame(.pong) { $0.writeImmutableBuffer(frame.unmaskedData) })
        case .connectionClose: answerClose(frame.unmaskedData)
        case .binary: close(.invalidMessage("Invalid message: must be text"))
        default: break
        }
    }

    private func receive(_ text: ByteBuffer) {
        guard let message = String(validating: text.readableBytesView, as: UTF8.self) else {
            return close(.invalidText)
        }
        do throws(CloseReason) {
            let limits = JSONLimits(depth: service.limits.jsonDepth, bytes: service.limits.body)
            let action = try state.receive(ClientMessage(json: message.utf8, limits: limits))
            if let action { perform(action) }
        } catch {
            close(error)
        }
    }

    private func send(_ frame: ByteBuffer) {
        guard !isClosing else { return }
        context?.writeAndFlush(wrapOutboundOut(frame), promise: nil)
    }

    private func send(_ message: ServerMessage) { send(message.frame) }

    /// Says why, and waits for the client's word that it has read it, for a while.
    private func close(_ reason: CloseReason) {
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
            context.eventLoop.scheduleTask(in: service.limits.lingerTimeout) { channel.close(promise: nil) })
    }

    /// Says goodbye with the client's code.
    private func answerClose(_ data: ByteBuffer) {
        guard let context else { return }
        guard !isClosing else { return context.close(promise: nil) }
        do throws(CloseReason) {
            let code = try CloseReason.code(of: data)
            send(.frame(.connectionClose) { answer in if let code { answer.writeInteger(code) } })
        } catch {
            return close(error)
        }
        isClosing = true
        context.close(promise: nil)
    }

    // MARK: - Messages

    private func perform(_ action: SocketState.Action) {
        switch action {
        case .initialise(let payload): initialise(payload)
        case .say(let message): send(message)
        case .begin(let id, let request): begin(request, id: id)
        case .end(let id): operations.removeValue(forKey: id)?.task.cancel()
        case .refuse(let id):
            refuse(id, .overloaded(.operationsOfSocket(limit: service.limits.operationsPerSocket)))
        }
    }

    private func initialise(_ payload: InputObject) {
        do throws(Unauthorized) {
            let token = try SocketToken.read(payload) ?? socket.token
            caller = Caller(
                responder: try service.responder(token).get(), token: token,
                hearsOfUpstream: service.tellsUpstream && (socket.asksForUpstream || payload.asksForUpstream))
            send(.acknowledge)
        } catch {
            close(.forbidden)
        }
    }

    private func refuse(_ id: String, _ problem: HTTPProblem) {
        send(.error(id: id, problem.graphQLResponse(id: service.ids.make())))
    }

    private func begin(_ request: GraphQL.Request, id: String) {
        guard let context, let caller, caller.responder.isValid() else { return close(.unauthorized) }
        let resolved: GraphQL.Request
        do throws(HTTPProblem) {
            try service.quota.charge(socket.client)
            if let token = caller.token { try service.quota.charge(token: token, from: socket.client) }
            resolved = try service.documents.resolve(request)
            guard service.load.streams.enter() else { throw .overloaded(.streams) }
        } catch {
            _ = state.finish(id)
            return refuse(id, error)
        }
        operationCount &+= 1
        let number = operationCount
        let teller = Teller(NIOLoopBound(self, eventLoop: context.eventLoop), id: id, number: number)
        let operation = follow(resolved, for: caller)
        let task = Task { [streams = service.load.streams] in
            await RunningRequest.$id.withValue(operation.circumstances.id) {
                // A client that wants to hear no more of it has ended it.
                try? await SocketHandler.run(operation, telling: teller)
            }
            streams.leave()
        }
        operations[id] = Operation(number: number, task: task)
    }

    private func follow(_ request: GraphQL.Request, for caller: Caller) -> FollowedOperation {
        FollowedOperation(
            request: request, responder: caller.responder,
            circumstances: RequestCircumstances(
                id: service.ids.make(), trace: socket.trace,
                allowedOperations: [.query, .mutation, .subscription], demandsFresh: false,
                client: socket.client),
            hearsOfUpstream: caller.hearsOfUpstream, tracer: service.tracer, type: service.operationType,
            recorder: service.recorder)
    }

    /// Runs an operation to its end, or until the client wants to hear no more of it.
    private static func run(_ operation: FollowedOperation, telling teller: Teller) async throws {
        var isRefused = false
        // Events are answered where the answers are sent.
        try await operation.run(eventsOn: EventLoopExecutor(teller.eventLoop)) { part in
            switch part {
            case .response(let response):
                try await teller.tell(.next(id: teller.id, response), isLast: false)
            case .refusal(let response):
                isRefused = true
                try await teller.tell(.error(id: teller.id, response), isLast: true)
            }
        }
        if !isRefused { try await teller.tell(.complete(id: teller.id), isLast: true) }
    }

    /// Where an operation tells the client what came of it.
    private struct Teller: Sendable {
        let id: String
        var eventLoop: any EventLoop { handler.eventLoop }
        private let handler: NIOLoopBound<SocketHandler>
        private let number: Int

        init(_ handler: NIOLoopBound<SocketHandler>, id: String, number: Int) {
            self.handler = handler
            self.id = id
            self.number = number
        }

        /// Returns when the client takes more.
        ///
        /// - Throws: `CancellationError` where it wants to hear no more of the operation.
        func tell(_ message: ServerMessage, isLast: Bool) async throws {
            let reception: Reception
            if eventLoop.inEventLoop {
                reception = handler.value.tell(message, id, number, isLast: isLast)
            } else {
                reception = try await eventLoop.submit { [handler, id, number] in
                    handler.value.tell(message, id, number, isLast: isLast)
                }.get()
            }
            switch reception {
            case .over: throw CancellationError()
            case .taken: return
            case .waits(let writable): try await writable.get()
            }
        }
    }

    /// What became of a message.
    private enum Reception: Sendable {
        /// The operation is over; nobody is told.
        case over
        case taken
        /// It is taken, and nothing more before the future has ended.
        case waits(EventLoopFuture<Void>)
    }

    private func tell(_ message: ServerMessage, _ id: String, _ number: Int, isLast: Bool) -> Reception {
        guard let context, !isClosing, operations[id]?.number == number else { return .over }
        if isLast {
            operations[id] = nil
            _ = state.finish(id)
        }
        send(message)
        guard !context.channel.isWritable, !isLast else { return .taken }
        let promise = context.eventLoop.makePromise(of: Void.self)
        waiting.append(promise)
        return .waits(promise.futureResult)
    }

    private func resume() {
        let promises = waiting
        waiting = []
        for promise in promises { promise.succeed() }
    }
}
