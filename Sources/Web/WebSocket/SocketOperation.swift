import GraphQL
import NIOCore

/// A running operation of a WebSocket: its task sends a message for each response.
struct SocketOperation {
    /// Distinguishes the operation from a previous one with the same id.
    let number: Int
    let requestID: RequestID
    /// The type of the operation; nil if its request is invalid, or not prepared yet.
    var type: OperationType?
    let task: Task<Void, Never>

    /// Starts an operation.
    ///
    /// - Parameters:
    ///   - admission: The operation, counted in `streams`.
    ///   - sender: Sends its messages.
    ///   - streams: Counts the operation until it ends.
    init(_ admission: GraphQLWebSocketService.Admission, _ sender: Sender, streams: BoundedCounter) {
        number = sender.number
        requestID = admission.requestID
        type = admission.type
        // The events of users' subscriptions are executed on the event loop that sends the responses.
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

    /// The result of sending a message.
    enum SendResult: Sendable {
        /// The operation had ended, and the message was not sent.
        case over
        case sent
        /// The message is sent; the next one must wait until the future is completed.
        case waits(EventLoopFuture<Void>)
    }

    /// Sends the messages of an operation through the handler of its WebSocket.
    struct Sender: Sendable {
        let handler: NIOLoopBound<GraphQLWebSocketHandler>
        let id: String
        let number: Int

        /// Reports the type of the operation, before its first message is sent.
        func setType(_ type: OperationType?) {
            handler.eventLoop.execute { [handler, id, number] in
                handler.value.setType(type, of: id, number: number)
            }
        }

        /// Reports that the token has ended, which an operation can detect before its WebSocket is notified.
        func tokenEnded() {
            handler.eventLoop.execute { [handler] in handler.value.tokenEnded() }
        }

        /// Sends a message, and returns when the client can receive the next one.
        ///
        /// - Throws: `CancellationError` if the client has ended the operation.
        func send(_ message: ServerMessage, isLast: Bool) async throws {
            let result: SendResult
            if handler.eventLoop.inEventLoop {
                result = handler.value.send(message, of: id, number: number, isLast: isLast)
            } else {
                result = try await handler.eventLoop.submit { [handler, id, number] in
                    handler.value.send(message, of: id, number: number, isLast: isLast)
                }.get()
            }
            switch result {
            case .over: throw CancellationError()
            case .sent: return
            case .waits(let writable): try await writable.get()
            }
        }
    }
}

/// Runs tasks on an event loop: they use its channels without a hop, and many tasks at the same time wake
/// one thread once.
///
/// Only for short tasks: all other work of the event loop waits meanwhile.
final class EventLoopExecutor: TaskExecutor {
    private let eventLoop: any EventLoop

    /// Creates an executor.
    ///
    /// - Parameter eventLoop: An event loop that is not shut down while a task prefers this executor.
    init(_ eventLoop: any EventLoop) {
        self.eventLoop = eventLoop
    }

    func enqueue(_ job: consuming ExecutorJob) {
        // An executor must run each job exactly once. The compiler cannot check that the event loop calls
        // the closure once.
        let job = UnownedJob(job)
        eventLoop.execute { [self] in unsafe job.runSynchronously(on: asUnownedTaskExecutor()) }
    }
}
