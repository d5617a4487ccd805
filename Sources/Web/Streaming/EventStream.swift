import GraphQL
import NIOCore
import Synchronization

/// One stream of server-sent events with the responses of several operations (GraphQL over Server-Sent Events,
/// "Single connection mode").
///
/// A client reserves the stream, opens it, and starts and stops operations with separate requests. The stream ends with
/// its connection, and its operations end with it.
final class EventStream: Sendable {
    /// The name of the stream in the requests of its client: 128 random bits.
    let token: String
    /// The user or guest for whom the stream was reserved; nil for a client without a session.
    private let principal: String?
    /// Counts the stream for its client, from the reservation on.
    private let permit: ClientShares.Permit?
    private let limit: Int
    // Requests of several connections change the state: those that start and stop operations, and the stream's own.
    private let state = Mutex(State())

    private struct State {
        var phase = Phase.reserved(waiting: [])
        /// The running operations by their ids, which the client chooses.
        var operations: [UTF8Key: Operation] = [:]
        var lastNumber = 0
    }

    /// An operation that waits until the stream is open; it gets nil if the stream ends before.
    private typealias Waiter = CheckedContinuation<BodyWriter?, Never>

    private enum Phase {
        /// The client has not opened the stream yet; operations wait for it.
        case reserved(waiting: [Waiter])
        case open(BodyWriter)
        case ended
    }

    private struct Operation {
        /// Distinguishes the operation from an earlier one with the same id.
        let number: Int
        let task: Task<Void, Never>
        let isSubscription: Bool
        /// Whether the token has ended while the operation was running, which was cancelled for it.
        var hasTokenEnded = false
    }

    init(principal: String?, holding permit: ClientShares.Permit?, limit: Int) {
        var generator = SystemRandomNumberGenerator()
        token = generator.next().sixteenDigits + generator.next().sixteenDigits
        self.principal = principal
        self.permit = permit
        self.limit = limit
    }

    /// Whether the client of a session may use the stream.
    func belongs(to session: any GraphQLSession) -> Bool { session.principal == principal }

    /// Whether no connection has opened the stream.
    var isReserved: Bool {
        state.withLock { if case .reserved = $0.phase { true } else { false } }
    }

    /// Starts an operation, whose responses are sent when the stream is open.
    ///
    /// - Parameters:
    ///   - operation: The operation.
    ///   - id: The id of the operation in the messages.
    ///   - end: Called when the operation has ended, or if it does not start.
    /// - Throws: If an operation with this id is running, if there are too many, or if the stream has ended.
    func start(
        _ operation: StreamedOperation, id: String, onEnd end: @escaping @Sendable () -> Void
    ) throws(HTTPError) {
        let failure = state.withLock { state -> HTTPError? in
            if case .ended = state.phase { return .unknownEventStream }
            if state.operations[UTF8Key(id)] != nil { return .operationExists(id.shortened(toBytes: 40)) }
            guard state.operations.count < limit else {
                return .overloaded(.operationsOfSocket(limit: limit))
            }
            state.lastNumber += 1
            let number = state.lastNumber
            let task = Task(executorPreference: operation.executor) {
                if let writer = await self.writer() {
                    await CurrentRequest.$id.withValue(operation.context.requestID) {
                        await self.run(operation, id: id, number: number, to: writer)
                    }
                }
                self.remove(id, number: number)
                end()
            }
            state.operations[UTF8Key(id)] = Operation(
                number: number, task: task, isSubscription: operation.request.operationType == .subscription)
            return nil
        }
        if let failure {
            end()
            throw failure
        }
    }

    /// Stops an operation; an operation that has ended already is not an error.
    func stop(_ id: String) {
        let operation = state.withLock { $0.operations.removeValue(forKey: UTF8Key(id)) }
        operation?.task.cancel()
    }

    /// Opens the stream: sends the responses of its operations, and keep-alive messages, until its client disconnects.
    ///
    /// If the server stops, subscriptions end without the message that they are complete, so that clients reconnect; queries and
    /// mutations are finished.
    ///
    /// - Throws: If the stream is open already, or has ended.
    func open(heartbeat interval: Duration, onEnd end: @escaping @Sendable () -> Void) throws(HTTPError)
        -> StreamingBody
    {
        guard isReserved else { throw .eventStreamIsOpen }
        return StreamingBody { [self] writer in
            // Of two connections that open the stream at the same time, one ends here.
            guard begin(writer) else { return }
            defer {
                close()
                end()
            }
            // The client receives bytes immediately, and knows that the stream is open.
            try await writer.write(ByteBuffer(bytes: StreamFormat.eventStream.heartbeat))
            while !Task.isCancelled {
                try? await Task.sleep(for: interval)
                try await writer.write(ByteBuffer(bytes: StreamFormat.eventStream.heartbeat))
            }
            // The client is connected, so the server stops.
            await finishOperations(heartbeat: interval, writer)
        }
    }

    /// Ends the subscriptions, and waits until the other operations have ended, or the client has disconnected.
    private func finishOperations(heartbeat interval: Duration, _ writer: BodyWriter) async {
        let (subscriptions, others) = state.withLock { state in
            let tasks = Dictionary(grouping: state.operations.values, by: \.isSubscription)
                .mapValues { $0.map(\.task) }
            state.operations = state.operations.filter { !$0.value.isSubscription }
            return (tasks[true] ?? [], tasks[false] ?? [])
        }
        for task in subscriptions { task.cancel() }
        if others.isEmpty { return }
        // In a task of its own, because this one is cancelled.
        await Task {
            await withTaskGroup(of: Void.self) { group in
                group.addTask { for task in others { await task.value } }
                group.addTask {
                    let heartbeat = ByteBuffer(bytes: StreamFormat.eventStream.heartbeat)
                    while (try? await Task.sleep(for: interval)) != nil {
                        guard (try? await writer.write(heartbeat)) != nil else { break }
                    }
                    for task in others { task.cancel() }
                }
                await group.next()
                group.cancelAll()
            }
        }.value
    }

    /// Ends the stream and its operations, unless a connection has opened it.
    ///
    /// - Returns: False if a connection has opened the stream, or it has ended before.
    func expire() -> Bool { close(onlyIfReserved: true) }

    /// Ends the stream and its operations.
    ///
    /// - Parameter onlyIfReserved: Whether it has an effect only on a stream that no connection has opened.
    /// - Returns: Whether it has ended the stream.
    @discardableResult
    private func close(onlyIfReserved: Bool = false) -> Bool {
        let ended = state.withLock { state -> ([Waiter], [Task<Void, Never>])? in
            var waiting: [Waiter] = []
            if case .reserved(let reserved) = state.phase {
                waiting = reserved
            } else if onlyIfReserved {
                return nil
            }
            let tasks = state.operations.values.map(\.task)
            state.phase = .ended
            state.operations = [:]
            return (waiting, tasks)
        }
        guard let (waiting, tasks) = ended else { return false }
        for task in tasks { task.cancel() }
        for continuation in waiting { continuation.resume(returning: nil) }
        return true
    }

    private func begin(_ writer: BodyWriter) -> Bool {
        let waiting = state.withLock { state -> [Waiter]? in
            guard case .reserved(let waiting) = state.phase else { return nil }
            state.phase = .open(writer)
            return waiting
        }
        for continuation in waiting ?? [] { continuation.resume(returning: writer) }
        return waiting != nil
    }

    /// Returns the writer of the open stream; nil if the stream ends before it is opened.
    private func writer() async -> BodyWriter? {
        await withCheckedContinuation { continuation in
            let writer = state.withLock { state -> BodyWriter?? in
                switch state.phase {
                case .reserved(let waiting):
                    state.phase = .reserved(waiting: waiting + [continuation])
                    return nil
                case .open(let writer): return .some(writer)
                case .ended: return .some(nil)
                }
            }
            if let writer { continuation.resume(returning: writer) }
        }
    }

    /// - Returns: The operation; nil if its client has stopped it, or the stream has ended.
    @discardableResult
    private func remove(_ id: String, number: Int) -> Operation? {
        state.withLock { state in
            guard state.operations[UTF8Key(id)]?.number == number else { return nil }
            return state.operations.removeValue(forKey: UTF8Key(id))
        }
    }

    /// Runs an operation, and sends its responses, and the message that it is complete.
    ///
    /// If there is no memory for a response, or the token has ended, the message before `complete` has the reason.
    private func run(_ operation: StreamedOperation, id: String, number: Int, to writer: BodyWriter) async {
        // Here and not in `start`: the closure can be called at once, when the lock of the state must not be held.
        let stopObserving =
            operation.endsWithToken
            ? operation.context.session.onEnd { self.endToken(of: id, number: number) } : nil
        defer { stopObserving?() }
        let isMutation = operation.request.operationType == .mutation
        var reason: GraphQLResponse?
        do {
            try await operation.run { part in
                switch part {
                case .response(let response), .rejection(let response):
                    // A mutation that its client has stopped is executed nevertheless. Its id may be another operation's by now.
                    guard self.hasOperation(id, number: number) else { throw CancellationError() }
                    try await writer.write(EventStream.next(id, response), isMutation: isMutation)
                case .endedToken: reason = operation.endedToken
                }
            }
        } catch let error as HTTPError {
            reason = error.graphQLResponse(id: operation.context.requestID)
        } catch {
            // The client has disconnected.
            return
        }
        // First, because the client can use the id again when it has the message.
        guard let ended = remove(id, number: number) else { return }
        if ended.hasTokenEnded { reason = operation.endedToken }
        // With the longest id, the messages together have less than 4 KiB, for which there is always memory. An error means that
        // the client has disconnected.
        var messages = reason.map { EventStream.next(id, $0) } ?? ByteBuffer()
        messages.writeImmutableBuffer(EventStream.complete(id))
        try? await writer.write(messages)
    }

    /// Whether an operation runs: its client has not stopped it, and the stream has not ended.
    private func hasOperation(_ id: String, number: Int) -> Bool {
        state.withLock { $0.operations[UTF8Key(id)]?.number == number }
    }

    /// Cancels an operation whose token has ended; its task sends the reason.
    private func endToken(of id: String, number: Int) {
        let task = state.withLock { state -> Task<Void, Never>? in
            let key = UTF8Key(id)
            guard var operation = state.operations[key], operation.number == number else { return nil }
            operation.hasTokenEnded = true
            state.operations[key] = operation
            return operation.task
        }
        // In a task of its own, because the handlers of a cancellation can take locks that the caller holds.
        if let task { Task { task.cancel() } }
    }

    private static func next(_ id: String, _ response: GraphQLResponse) -> ByteBuffer {
        var message = ByteBuffer(string: "event: next\ndata: {\"id\":")
        message.writeBytes(InputValue.string(id).json)
        message.writeString(",\"payload\":")
        message.writeBytes(response.body)
        message.writeString("}\n\n")
        return message
    }

    private static func complete(_ id: String) -> ByteBuffer {
        var message = ByteBuffer(string: "event: complete\ndata: {\"id\":")
        message.writeBytes(InputValue.string(id).json)
        message.writeString("}\n\n")
        return message
    }
}
