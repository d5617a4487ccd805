import GraphQL
package import Logging
import NIOCore
import NIOHTTP1
import PorticoCore

/// `/graphql`: GraphQL over HTTP, draft of 2025.
///
/// A class, because the handler of each request holds a reference to it: all references in a struct would be
/// copied. What is decided before the body arrives is in `GraphQLRoute+Admission.swift`.
package final class GraphQLRoute: Route {
    let session: @Sendable (_ bearerToken: String?) -> any GraphQLSession
    private let documents: DocumentResolver
    private let responseCache: ResponseCache
    let jsonLimits: JSONLimits
    private let batchLimit: Int
    let quota: ClientRateLimits
    let allowsGET: Bool
    let allowsUpstreamReports: Bool
    private let prepare: @Sendable (GraphQLRequest) -> PreparedRequest
    private let heartbeat: Duration
    package let sockets: GraphQLWebSocketService
    let eventStreams: EventStreamService
    let shares: ClientShares
    let tracer: RequestTracer?
    private let recorder: OperationRecorder
    private let streamMemory: StreamMemory
    private let scheduler: FairScheduler
    let hasStartPage: Bool

    /// The route of a service.
    ///
    /// - Parameters:
    ///   - service: The service.
    ///   - configuration: The configuration of the server.
    ///   - load: The resources of the server.
    ///   - logger: The logger of responses.
    ///   - hasStartPage: Whether there is a page at `/`, to which a browser is sent that opens the endpoint.
    package init(
        _ service: GraphQLService, _ configuration: ServerConfiguration, _ load: ServerResources,
        _ logger: Logger, hasStartPage: Bool = false
    ) {
        self.hasStartPage = hasStartPage
        let limits = configuration.limits
        session = service.session
        documents = DocumentResolver(service.documents)
        responseCache = ResponseCache(bytes: limits.responseCache)
        jsonLimits = JSONLimits(
            depth: limits.jsonDepth, bytes: max(limits.body, limits.uri), values: limits.jsonValues)
        batchLimit = limits.batch
        quota = load.quota
        allowsGET = configuration.allowsGET
        allowsUpstreamReports = configuration.allowsUpstreamReports
        prepare = service.prepare
        tracer = service.tracer
        shares = load.shares
        heartbeat = .nanoseconds(limits.heartbeat.nanoseconds)
        streamMemory = load.streamMemory
        scheduler = load.scheduler
        recorder = OperationRecorder(
            metrics: load.metrics, logger: logger, level: configuration.responseLogLevel,
            countUse: service.countUse)
        eventStreams = EventStreamService(limits, load)
        sockets = GraphQLWebSocketService(
            session: session, prepare: prepare, documents: documents, tracer: tracer,
            recorder: recorder, allowsUpstreamReports: allowsUpstreamReports, load: load, limits: limits)
    }

    /// Responds with the present session of the request's token.
    ///
    /// It may have ended since the head arrived: while the body was received, or during earlier requests. The response
    /// waits for a token that must be verified, which is charged then.
    func verified(
        _ context: RequestContext, _ respond: @escaping @Sendable (RequestContext) -> MaybeAsync<HTTPResponse>
    ) -> MaybeAsync<HTTPResponse> {
        let isCharged = context.session.verification == nil
        let context = context.hasTokenEnded ? renewed(context) : context
        guard context.session.verification != nil else { return respond(context) }
        return .async { [self] in
            let context = try await verified(context)
            do throws(HTTPError) {
                if !isCharged, let credential = context.credential {
                    try quota.charge(credential: credential, from: context.client)
                }
            } catch {
                return error.response(as: context.responseType, id: context.requestID)
            }
            return try await respond(context).value()
        }
    }

    /// The context with the session of a token that had to be verified.
    ///
    /// The request has no slot of the admission queue during the verification, which can wait for the keys of an identity
    /// provider.
    ///
    /// - Throws: `CancellationError` if the request was cancelled meanwhile.
    private func verified(_ context: RequestContext) async throws -> RequestContext {
        guard let verify = context.session.verification else { return context }
        let session = await AdmissionSlot.released { await verify() }
        try Task.checkCancellation()
        return replacing(session, in: context)
    }

    /// Executes a query or mutation of the server's own documents, as if a client had sent it.
    func execute(_ request: GraphQLRequest, in context: RequestContext) -> MaybeAsync<HTTPResponse> {
        var context = context
        context.allowedOperations = GraphQLRoute.singleResponseOperations
        return respond(to: prepare(request), in: context)
    }

    /// Executes a query or mutation of the server's own documents in a stream with one response.
    ///
    /// - Throws: `.overloaded` if the client has reached its limit of streams.
    func stream(
        _ request: GraphQLRequest, as format: StreamFormat, in context: RequestContext
    ) throws(HTTPError) -> HTTPResponse {
        try stream(prepare(request), as: format, in: context)
    }

    /// Charges a further request of a batch; the first one was charged with the head.
    private func charge(_ context: RequestContext) throws(HTTPError) {
        try quota.charge(context.client)
        if let credential = context.credential {
            try quota.charge(credential: credential, from: context.client)
        }
    }

    /// The same context after its token has ended, with the session of a request that arrives now.
    private func renewed(_ context: RequestContext) -> RequestContext {
        replacing(session(context.token), in: context)
    }

    private func replacing(_ session: any GraphQLSession, in context: RequestContext) -> RequestContext {
        var context = context
        context.session = session
        if session.tokenRejection != nil { (context.token, context.bypassesCache) = (nil, false) }
        return context
    }

    func respond(
        to source: Source, body: ByteBuffer, in context: RequestContext
    ) -> MaybeAsync<HTTPResponse> {
        var context = context
        do throws(HTTPError) {
            switch source {
            case .url(let parameters):
                let request = prepare(
                    try documents.resolve(GraphQLRequest(parameters, jsonLimits: jsonLimits)))
                if let format = streamFormat(of: request, in: context) {
                    guard request.operationType != .mutation else {
                        throw .methodNotAllowed(.GET, allowed: [.POST])
                    }
                    context.allowedOperations = [.query, .subscription]
                    return .ready(try stream(request, as: format, in: context))
                }
                context.allowedOperations = GraphQLRoute.safeOperations
                return respond(to: request, in: context).map(\.withCacheHeaders)
            case .body:
                switch try RequestBody(body, jsonLimits: jsonLimits, batchLimit: batchLimit) {
                case .single(let request):
                    let request = prepare(try documents.resolve(request))
                    if let format = streamFormat(of: request, in: context) {
                        return .ready(try stream(request, as: format, in: context))
                    }
                    context.allowedOperations = GraphQLRoute.singleResponseOperations
                    return respond(to: request, in: context)
                case .batch(let requests):
                    for _ in requests.dropFirst() { try charge(context) }
                    context.allowedOperations = GraphQLRoute.singleResponseOperations
                    return respond(to: requests, in: context)
                }
            case .eventStream(let request): return try respond(to: request, body, in: context)
            }
        } catch {
            return .ready(error.response(as: context.responseType, id: context.requestID))
        }
    }

    private func respond(
        to request: EventStreamRequest, _ body: ByteBuffer, in context: RequestContext
    ) throws(HTTPError) -> MaybeAsync<HTTPResponse> {
        switch request {
        case .reserve: return .ready(try eventStreams.reserve(for: context))
        case .open(let token): return .ready(try eventStreams.open(token, for: context))
        case .stop(let token, let id): return .ready(try eventStreams.stop(id, on: token, for: context))
        case .start(let token):
            guard case .single(let request) = try RequestBody(body, jsonLimits: jsonLimits, batchLimit: 1)
            else {
                throw .invalidRequest(.batchNotAllowed)
            }
            let prepared = prepare(try documents.resolve(request))
            // Clients wait for events after a response with a status of success.
            if prepared.operationType == nil {
                return respond(to: prepared, in: context).map { response in
                    var response = response
                    response.status = .badRequest
                    return response
                }
            }
            return .ready(
                try eventStreams.start(request.extensions, on: token, for: context) {
                    streamed(prepared, in: context, payloads: .pendingAndCompleted)
                })
        }
    }

    /// The types of operation that a safe method may execute.
    private static let safeOperations: Set<OperationType> = [.query]
    /// The types of operation that have one response.
    private static let singleResponseOperations: Set<OperationType> = [.query, .mutation]

    private func respond(
        to request: PreparedRequest, in context: RequestContext
    ) -> MaybeAsync<HTTPResponse> {
        // A report of upstream calls belongs to this response only.
        let policy = context.reportsUpstream ? CachePolicy(maxAge: 0) : request.cachePolicy
        let key = policy.flatMap {
            ResponseCache.Key(request, $0, audience: context.session.cacheAudience)
        }
        if let key, !context.bypassesCache, let stored = responseCache.response(for: key, now: .now()) {
            recorder.recordUse(of: request, stored.response.outcome, by: context.application)
            return .ready(
                HTTPResponse(stored.response, to: request, policy, age: stored.age, in: context))
        }
        let log = UpstreamLog()
        let span = span(of: request, in: context)
        let finish = { @Sendable [self] (response: GraphQLResponse) -> HTTPResponse in
            recorder.recordUse(of: request, response.outcome, by: context.application)
            if response.outcome == .notAllowed, request.operationType == .subscription {
                return HTTPError.severalResponses.response(as: context.responseType, id: context.requestID)
            }
            // A response with expired values is not stored.
            let policy = log.servesStale ? policy.map { _ in CachePolicy(maxAge: 0) } : policy
            if let key, let policy { responseCache.store(response, for: key, policy, now: .now()) }
            var result = HTTPResponse(response, to: request, policy, age: nil, in: context)
            result.operation?.upstream = log.use(until: .now)
            return result
        }
        switch execute(request, in: context, span, log) {
        case .ready(let response): return .ready(finish(response))
        case .async(let fetch):
            return .async { [self] in
                // The token may have ended while the request was in the queue.
                guard context.hasTokenEnded else { return finish(try await fetch()) }
                span?.end(nil, of: context.requestID, upstreamCalls: 0)
                return try await respond(to: request, in: try await verified(renewed(context))).value()
            }
        }
    }

    /// Executes each request of a batch; one that fails does not affect the others.
    private func respond(
        to requests: [GraphQLRequest], in context: RequestContext
    ) -> MaybeAsync<HTTPResponse> {
        let start = NIODeadline.now()
        let memory = BatchMemory()
        let responses = MaybeAsync.each(requests) { [self] request -> MaybeAsync<GraphQLResponse> in
            do throws(HTTPError) {
                let prepared = prepare(try documents.resolve(request))
                return respond(toOneOfSeveral: prepared, since: start, in: context).map {
                    memory.retain($0, to: prepared.operationType ?? .query)
                }
            } catch {
                return .ready(error.graphQLResponse(id: context.requestID))
            }
        }
        return responses.map { HTTPResponse(batch: $0, as: context.responseType, id: context.requestID) }
    }

    private func respond(
        toOneOfSeveral request: PreparedRequest, since start: NIODeadline, in context: RequestContext
    ) -> MaybeAsync<GraphQLResponse> {
        let log = UpstreamLog()
        let span = span(of: request, in: context)
        let finish = { @Sendable [recorder] (response: GraphQLResponse) -> GraphQLResponse in
            recorder.recordUse(of: request, response.outcome, by: context.application)
            var summary = OperationSummary(request, response.outcome, from: context.application)
            summary.upstream = log.use(until: .now)
            recorder.record(summary, of: context.requestID, took: .now() - start)
            return response
        }
        switch execute(request, in: context, span, log) {
        case .ready(let response): return .ready(finish(response))
        case .async(let fetch):
            return .async { [self] in
                // As for a single request.
                guard context.hasTokenEnded else { return finish(try await fetch()) }
                span?.end(nil, of: context.requestID, upstreamCalls: 0)
                // The other requests of the batch go on, so this one keeps their slot.
                var present = renewed(context)
                if let verify = present.session.verification {
                    present = replacing(await verify(), in: present)
                }
                return try await respond(toOneOfSeveral: request, since: start, in: present).value()
            }
        }
    }

    /// Executes an operation with one response, which ends its span.
    private func execute(
        _ request: PreparedRequest, in context: RequestContext, _ span: OperationSpan?, _ log: UpstreamLog
    ) -> MaybeAsync<GraphQLResponse> {
        var response = context.session.execute(request, in: context.executing(in: span, log: log))
        if let span { response = span.ending(with: response, of: context.requestID, log: log) }
        guard context.reportsUpstream else { return response }
        return response.map { $0.adding(extensions: log.report(until: .now)) }
    }

    private func span(of request: PreparedRequest, in context: RequestContext) -> OperationSpan? {
        guard let tracer, let trace = context.trace else { return nil }
        return OperationSpan(tracer, in: trace, request.operationType, named: request.operationName)
    }

    // MARK: - Several responses

    /// The format of a stream, if the operation has several responses or payloads, or the client accepts no
    /// other format.
    private func streamFormat(of request: PreparedRequest, in context: RequestContext) -> StreamFormat? {
        let accepted = context.accepted
        if request.operationType == .subscription { return accepted.stream }
        if let incremental = accepted.incremental, request.hasIncrementalDirectives {
            return incremental.stream
        }
        return accepted.single == nil ? accepted.stream ?? accepted.incremental?.stream : nil
    }

    private func stream(
        _ request: PreparedRequest, as format: StreamFormat, in context: RequestContext
    ) throws(HTTPError) -> HTTPResponse {
        let user = context.session.user
        let permit = try shares.stream(of: user, at: context.client)
        let body = StreamingBody(
            format, heartbeat: heartbeat,
            of: streamed(request, in: context, payloads: context.accepted.incremental?.payloads),
            holding: permit)
        return HTTPResponse(uncached: format, body)
    }

    private func streamed(
        _ request: PreparedRequest, in context: RequestContext, payloads: IncrementalFormat?
    ) -> StreamedOperation {
        var context = context
        context.incrementalFormat = payloads
        // The request is counted. A stream, which can last for days, does not retain its token.
        context.token = nil
        return StreamedOperation(
            request: request, context: context, tracer: tracer, recorder: recorder, memory: streamMemory,
            scheduler: scheduler, client: shares.client(context.session.user, at: context.client))
    }
}
