import GraphQL
import NIOCore

/// An operation whose responses come one after the other, with what is told of it: to its reader, metrics, the log
/// and traces.
struct StreamedOperation: Sendable {
    let request: PreparedRequest
    let context: RequestContext
    let tracer: RequestTracer?
    let recorder: OperationRecorder
    let memory: StreamMemory
    let scheduler: FairScheduler
    /// The client whose share of the memory it uses; nil for a client that is exempt from shares.
    let client: ClientIdentity?

    /// The executor for its tasks; nil for the global one.
    var executor: (any TaskExecutor)? { scheduler.executor(for: client) }

    /// What comes of it.
    enum Part: Sendable {
        case response(GraphQLResponse)
        /// It did not begin, and nothing more comes.
        case rejection(GraphQLResponse)
        /// The token has ended, before the operation started or since, and no further response follows.
        case endedToken
    }

    /// Whether it ends with its token.
    ///
    /// An operation with one response has begun with a valid token, and may have ended the token itself.
    var endsWithToken: Bool { request.operationType == .subscription }

    /// The response to a stream whose token has ended.
    var endedToken: GraphQLResponse { Self.endedToken(context.requestID) }

    /// The response to a stream whose token has ended.
    ///
    /// - Parameter id: The id of its request.
    /// - Returns: The response.
    static func endedToken(_ id: RequestID) -> GraphQLResponse {
        HTTPError.unauthorized(.endedToken).graphQLResponse(id: id)
    }

    /// Hands each response on when the one before is taken, and returns when the operation is over.
    ///
    /// It is counted and logged with its first response, since it may last for days; what its reader gives up before is
    /// not. Its span ends with it.
    ///
    /// - Parameters:
    ///   - executor: Makes the responses to the events of a subscription, and passes them to `take`; nil for the
    ///     task's own executor. A query or mutation may be more work, and is executed there.
    ///   - take: Takes what comes of it.
    /// - Throws: what `take` throws, which ends the operation.
    func run(
        eventsOn executor: (any TaskExecutor)? = nil, _ take: (Part) async throws -> Void
    ) async throws {
        let span = span
        var course = Progress()
        defer { span?.end(course.outcome, of: context.requestID, upstreamCalls: course.upstreamCalls) }
        let retained = request.retained
        guard memory.reserve(retained, for: client) else {
            let refusal = HTTPError.overloaded(.streamMemory).graphQLResponse(id: context.requestID)
            record(refusal.outcome, in: &course)
            return try await take(.rejection(refusal))
        }
        defer { memory.release(retained, for: client) }
        guard context.session.isValid else { return try await take(.endedToken) }
        // Its client may have gone while it waited for its turn. A mutation is executed once it is accepted.
        if Task.isCancelled, request.operationType != .mutation { return }
        switch await context.session.subscribe(
            request, in: context.executing(in: span, log: course.log))
        {
        case .failure(let refused):
            record(refused.response.outcome, in: &course)
            // Sockets tell nothing but its errors, so that is all it has.
            try await take(.rejection(refused.response))
        case .success(let responses):
            try await withTaskExecutorPreference(responses.isSubscription ? executor : nil) {
                for await response in responses {
                    let cost = record(response.outcome, in: &course)
                    try await take(
                        .response(context.reportsUpstream ? response.adding(extensions: cost) : response))
                }
            }
            if Task.isCancelled { return }
            if responses.isSubscription, !context.session.isValid { return try await take(.endedToken) }
            if course.outcome == nil { record(.complete, in: &course) }
        }
    }

    /// What has happened so far.
    private struct Progress {
        let start = NIODeadline.now()
        let log = UpstreamLog()
        /// The first that was not complete; nil before there is a response.
        var outcome: GraphQLResponse.Outcome?
        var upstreamCalls = 0
    }

    /// Notes a response, and counts the operation with the first one.
    ///
    /// - Returns: what the response has cost since the one before.
    @discardableResult
    private func record(_ outcome: GraphQLResponse.Outcome, in course: inout Progress) -> InputObject {
        let now = ContinuousClock.now
        let log = course.log.drain(until: now)
        let use = log.use(until: now)
        if course.outcome == nil {
            var facts = OperationSummary(request, outcome)
            facts.upstream = use
            recorder.record(facts, of: context.requestID, took: .now() - course.start)
        }
        if course.outcome ?? .complete == .complete { course.outcome = outcome }
        course.upstreamCalls += use.calls
        return context.reportsUpstream ? log.report(until: now) : InputObject()
    }

    private var span: OperationSpan? {
        guard let tracer, let trace = context.trace else { return nil }
        return OperationSpan(tracer, in: trace, request.operationType, named: request.operationName)
    }
}

extension StreamingBody {
    /// Sends responses as they arrive, and keep-alive messages between them.
    ///
    /// The next response is requested when the client has received the one before: a slow client delays only
    /// its own stream. If the server stops, the stream ends without the message that it is complete, so that
    /// clients reconnect. If its token ends, a subscription gets UNAUTHENTICATED and ends at once.
    ///
    /// - Parameters:
    ///   - form: The format of the responses.
    ///   - interval: The time between two keep-alive messages; shorter than the timeouts of the server and of
    ///     proxies.
    ///   - operation: Started when the head of its response is sent.
    ///   - permit: Released when the response ends, or is not needed.
    init(
        _ form: StreamFormat, heartbeat interval: Duration, of operation: StreamedOperation,
        holding permit: ClientShares.Permit?
    ) {
        let type = operation.request.operationType
        self.init(endsByItself: type != .subscription, isMutation: type == .mutation) { writer in
            defer { withExtendedLifetime(permit) {} }
            // So that a client knows at once that it is heard.
            try await writer.write(form.start + form.heartbeat)
            let (ends, end) = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))
            let stopObserving =
                operation.endsWithToken ? operation.context.session.onEnd { end.yield() } : nil
            defer { stopObserving?() }
            let hasTokenEnded = try await withThrowingTaskGroup(of: Bool.self) { group in
                group.addTask {
                    while true {
                        try await Task.sleep(for: interval)
                        try await writer.write(form.heartbeat)
                    }
                }
                group.addTask(executorPreference: operation.executor) {
                    var hasTokenEnded = false
                    try await operation.run { part in
                        switch part {
                        case .response(let response), .rejection(let response):
                            try await writer.write(form.part(response))
                        case .endedToken: hasTokenEnded = true
                        }
                    }
                    return hasTokenEnded
                }
                if stopObserving != nil {
                    group.addTask {
                        for await _ in ends { return true }
                        return false
                    }
                }
                // When the first task ends, the others are not needed any more.
                let hasTokenEnded = try await group.next() ?? false
                group.cancelAll()
                while await group.nextResult() != nil {}
                return hasTokenEnded
            }
            if Task.isCancelled { return }
            try await writer.write(hasTokenEnded ? form.interruption(operation.endedToken) : form.end)
        }
    }
}

extension BodyWriter {
    fileprivate func write(_ bytes: [UInt8]) async throws {
        try await write(ByteBuffer(bytes: bytes))
    }
}
