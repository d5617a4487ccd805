import GraphQL
import NIOCore

/// A running operation of a socket: its task sends a message for each response.
struct SocketOperation {
    /// Tells it from an earlier one of the same id.
    let number: Int
    let requestID: RequestID
    /// The type of the operation; nil if its request is refused, or not prepared yet.
    var type: OperationType?
    let task: Task<Void, Never>

    /// Starts an operation.
    ///
    /// - Parameters:
    ///   - admission: The operation, counted in `streams`.
    ///   - sender: Sends its messages.
    ///   - streams: Counts it until it is over.
    init(_ admission: GraphQLWebSocketService.Admission, _ sender: Sender, streams: BoundedCounter) {
        number = sender.number
        requestID = admission.requestID
        type = admission.type
        // The events of users' subscriptions are answered where the responses are sent.
        let events = admission.executor ?? EventLoopExecutor(sender.handler.eventLoop)
        task = Task(executorPreference: admission.executor) {
            defer { withExtendedLifetime(admission.permit) {} }
            await CurrentRequest.$id.withValue(admission.requestID) {
                let operation = admission.operation()
                if admission.type == nil { sender.setType(operation.request.operationType) }
                // It throws only if the client has ended the operation.
                try? await SocketOperation.run(operation, eventsOn: events, sender)
            }
            streams.release()
        }
    }

    /// Runs an operation until it is complete, or until the client ends it.
    private static func run(
        _ operation: StreamedOperation, eventsOn executor: any TaskExecutor, _ sender: Sender
    ) async throws {
        var isOver = false
        try await operation.run(eventsOn: executor) { part in
            switch part {
            case .response(let response):
                try await sender.send(.next(id: sender.id, response), isLast: false)
            case .rejection(let response):
                isOver = true
                try await sender.send(.error(id: sender.id, response), isLast: true)
            case .endedToken:
                isOver = true
                sender.tokenEnded()
            }
        }
        if !isOver { try await sender.send(.complete(id: sender.id), isLast: true) }
    }

    /// What became of a message.
    enum SendResult: Sendable {
        /// The operation had ended, and the message was not sent.
        case over
        case sent
        /// It is taken, and nothing more before the future has ended.
        case waits(EventLoopFuture<Void>)
    }

    /// Sends the messages of an operation through the handler of its socket.
    struct Sender: Sendable {
        let handler: NIOLoopBound<GraphQLWebSocketHandler>
        let id: String
        let number: Int

        /// The type of the operation is known, before its first message is sent.
        func setType(_ type: OperationType?) {
            handler.eventLoop.execute { [handler, id, number] in
                handler.value.setType(type, of: id, number: number)
            }
        }

        /// The token has ended, which an operation may detect before its socket is notified.
        func tokenEnded() {
            handler.eventLoop.execute { [handler] in handler.value.tokenEnded() }
        }

        /// Returns when the client takes more.
        ///
        /// - Throws: `CancellationError` if the client has ended the operation.
        func send(_ message: ServerMessage, isLast: Bool) async throws {
            let reception: SendResult
            if handler.eventLoop.inEventLoop {
                reception = handler.value.send(message, of: id, number: number, isLast: isLast)
            } else {
                reception = try await handler.eventLoop.submit { [handler, id, number] in
                    handler.value.send(message, of: id, number: number, isLast: isLast)
                }.get()
            }
            switch reception {
            case .over: throw CancellationError()
            case .sent: return
            case .waits(let writable): try await writable.get()
            }
        }
    }
}

/// Runs tasks on an event loop: what they do there with its channels needs no hop, and many that go on at the same time wake
/// one thread once.
///
/// Only for what is quick: all else that the event loop has to do waits meanwhile.
final class EventLoopExecutor: TaskExecutor {
    private let eventLoop: any EventLoop

    /// - Parameter eventLoop: One that is not shut down while a task prefers to run here.
    init(_ eventLoop: any EventLoop) {
        self.eventLoop = eventLoop
    }

    func enqueue(_ job: consuming ExecutorJob) {
        // An executor must run each job exactly once, which the compiler cannot follow into the closure: it is called once.
        let job = UnownedJob(job)
        eventLoop.execute { [self] in unsafe job.runSynchronously(on: asUnownedTaskExecutor()) }
    }
}
