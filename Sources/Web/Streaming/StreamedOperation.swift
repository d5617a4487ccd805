import GraphQL
import NIOCore

/// An operation with several responses, one after the other.
struct StreamedOperation: Sendable {
    let request: PreparedRequest
    let context: RequestContext
    private let resources: OperationResources
    /// The client whose share of the memory the operation uses; nil for a client that is exempt from shares.
    private let client: ClientIdentity?

    init(_ request: PreparedRequest, in context: RequestContext, _ resources: OperationResources) {
        (self.request, self.context, self.resources) = (request, context, resources)
        client = resources.load.shares.client(context.session.user, at: context.client)
    }

    /// The executor for the tasks of the operation; nil for the global one.
    var executor: (any TaskExecutor)? { resources.load.scheduler.executor(for: client) }

    /// A part of the result.
    enum Part: Sendable {
        case response(GraphQLResponse)
        /// The operation did not start; no part follows.
        case rejection(GraphQLResponse)
        /// The token has ended, before or after the start of the operation; no part follows.
        case endedToken
    }

    /// True if the operation ends with its token.
    ///
    /// An operation with one response was started with a valid token, and may have ended the token itself.
    var endsWithToken: Bool { request.operationType == .subscription }

    /// The response to a stream whose token has ended.
    var endedToken: GraphQLResponse { Self.endedToken(context.requestID) }

    /// The response to a stream whose token has ended.
    ///
    /// - Parameter id: The id of the request.
    /// - Returns: The response.
    static func endedToken(_ id: RequestID) -> GraphQLResponse {
        HTTPError.unauthorized(.endedToken).graphQLResponse(id: id)
    }

    /// Runs the operation and passes each response on after the previous one is accepted; returns when the
    /// operation ends.
    ///
    /// The operation is counted and logged with its first response, since it can last for days; an operation
    /// that is cancelled before is neither counted nor logged. Its span ends with it.
    ///
    /// - Parameters:
    ///   - executor: Produces the responses to the events of a subscription, and passes them to `receive`;
    ///     nil for the task's own executor. A query or mutation can take longer, and is executed on the
    ///     task's own executor.
    ///   - receive: Receives each part.
    /// - Throws: An error of `receive`, which ends the operation.
    func run(
        eventsOn executor: (any TaskExecutor)? = nil, _ receive: (Part) async throws -> Void
    ) async throws {
        let span = resources.span(of: request, in: context)
        let memory = resources.load.streamMemory
        var progress = Progress()
        defer { span?.end(progress.outcome, of: context.requestID, upstreamCalls: progress.upstreamCalls) }
        let retained = request.retained
        guard memory.reserve(retained, for: client) else {
            let rejection = HTTPError.overloaded(.streamMemory).graphQLResponse(id: context.requestID)
            record(rejection.outcome, in: &progress)
            return try await receive(.rejection(rejection))
        }
        defer { memory.release(retained, for: client) }
        guard context.session.isValid else { return try await receive(.endedToken) }
        // The client may have disconnected while the operation was queued. A mutation is executed once it is
        // accepted.
        if Task.isCancelled, request.operationType != .mutation { return }
        var context = context.executing(in: span, log: progress.log)
        // A client of a WebSocket requests a format with each operation.
        if context.incrementalFormat != nil, let format = request.incrementalFormat {
            context.incrementalFormat = format
        }
        switch await context.session.subscribe(request, in: context) {
        case .failure(let error):
            record(error.response.outcome, in: &progress)
            // The WebSocket protocol sends only the errors of a rejection, so a rejection contains only
            // errors.
            try await receive(.rejection(error.response))
        case .success(let responses):
            try await withTaskExecutorPreference(responses.isSubscription ? executor : nil) {
                for await response in responses {
                    let cost = record(response.outcome, in: &progress)
                    try await receive(
                        .response(context.reportsUpstream ? response.adding(extensions: cost) : response))
                }
            }
            if Task.isCancelled { return }
            if responses.isSubscription, !context.session.isValid { return try await receive(.endedToken) }
            if progress.outcome == nil { record(.complete, in: &progress) }
        }
    }

    /// The state of the execution.
    private struct Progress {
        let start = NIODeadline.now()
        let log = UpstreamLog()
        /// The first outcome that is not `complete`; nil before the first response.
        var outcome: GraphQLResponse.Outcome?
        var upstreamCalls = 0
    }

    /// Records a response, and counts the operation with the first one.
    ///
    /// - Returns: The report of the upstream calls since the previous response.
    @discardableResult
    private func record(_ outcome: GraphQLResponse.Outcome, in progress: inout Progress) -> InputObject {
        let now = ContinuousClock.now
        // The payloads of a query are parts of one response, so their times count from the operation's start: a
        // deferred load may have begun before the first payload.
        let isSubscription = request.operationType == .subscription
        let log = progress.log.drain(until: now, nextFrom: isSubscription ? nil : progress.log.start)
        let use = log.use(until: now)
        if progress.outcome == nil {
            let recorder = resources.recorder
            recorder.recordUse(of: request, outcome, by: context.application)
            var summary = OperationSummary(request, outcome, from: context.application)
            summary.upstream = use
            recorder.record(summary, of: context.requestID, took: .now() - progress.start)
        }
        if progress.outcome ?? .complete == .complete { progress.outcome = outcome }
        progress.upstreamCalls += use.calls
        return context.reportsUpstream ? log.report(until: now) : InputObject()
    }
}

/// How the stream of an operation ends.
private enum Ending {
    case complete
    case endedToken
    /// A response could not be sent, for this reason.
    case failed(GraphQLResponse)
}

extension StreamingBody {
    /// Sends responses as they arrive, and keep-alive messages between them.
    ///
    /// The next response is requested when the client has received the previous one: a slow client delays
    /// only its own stream. If the server stops, the stream ends without the message that it is complete, so
    /// that clients reconnect. If its token ends, a subscription gets UNAUTHENTICATED and ends immediately. If there is no
    /// memory for a response, the client gets OVERLOADED instead of it.
    ///
    /// - Parameters:
    ///   - format: The format of the responses.
    ///   - interval: The time between two keep-alive messages; shorter than the timeouts of the server and
    ///     of proxies.
    ///   - operation: Started when the head of its response is sent.
    ///   - permit: Released when the response ends, or is not needed.
    init(
        _ format: StreamFormat, heartbeat interval: Duration, of operation: StreamedOperation,
        holding permit: ClientShares.Permit?
    ) {
        let type = operation.request.operationType
        self.init(endsByItself: type != .subscription) { writer in
            defer { withExtendedLifetime(permit) {} }
            // The client receives bytes immediately, and knows that the stream is open.
            try await writer.write(format.start + format.heartbeat)
            let (ends, end) = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))
            let stopObserving =
                operation.endsWithToken ? operation.context.session.onEnd { end.yield() } : nil
            defer { stopObserving?() }
            let ending = try await withThrowingTaskGroup(of: Ending.self) { group in
                group.addTask {
                    while true {
                        try await Task.sleep(for: interval)
                        try await writer.write(format.heartbeat)
                    }
                }
                group.addTask(executorPreference: operation.executor) {
                    var ending = Ending.complete
                    do {
                        try await operation.run { part in
                            switch part {
                            case .response(let response), .rejection(let response):
                                try await writer.write(format.part(response), isMutation: type == .mutation)
                            case .endedToken: ending = .endedToken
                            }
                        }
                    } catch let error as HTTPError {
                        ending = .failed(error.graphQLResponse(id: operation.context.requestID))
                    }
                    return ending
                }
                if stopObserving != nil {
                    group.addTask {
                        for await _ in ends { return .endedToken }
                        return .complete
                    }
                }
                // When the first task ends, the others are cancelled.
                let ending = try await group.next() ?? .complete
                group.cancelAll()
                while await group.nextResult() != nil {}
                return ending
            }
            switch ending {
            // The reason is sent also if the server stops meanwhile. A subscription is not complete: its client starts it again.
            case .failed(let reason):
                try await writer.write(
                    type == .subscription ? format.interruption(reason) : format.part(reason) + format.end)
            case _ where Task.isCancelled: return
            case .endedToken: try await writer.write(format.interruption(operation.endedToken))
            case .complete: try await writer.write(format.end)
            }
        }
    }
}

extension BodyWriter {
    fileprivate func write(_ bytes: [UInt8], isMutation: Bool = false) async throws {
        try await write(ByteBuffer(bytes: bytes), isMutation: isMutation)
    }
}
