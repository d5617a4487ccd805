import GraphQL
import Logging
import NIOCore
import NIOHTTP1
import Tracing

/// `/graphql`: GraphQL over HTTP, as its specification has it in the draft of 2025.
///
/// A class, since the answerer of each request keeps it: a struct would be copied, one reference after the other.
final class GraphQLRoute: Route {
    private let responder: @Sendable (_ bearerToken: String?) -> GraphQLSession
    private let documents: DocumentResolver
    private let responseCache: ResponseCache
    private let jsonLimits: JSONLimits
    private let batchLimit: Int
    private let quota: ClientRateLimits
    private let allowsGET: Bool
    private let allowsUpstreamReports: Bool
    private let prepare: @Sendable (GraphQLRequest) -> PreparedRequest
    private let heartbeat: Duration
    let sockets: GraphQLWebSocketService
    private let shares: ClientShares
    private let tracer: RequestTracer?
    private let recorder: OperationRecorder
    private let streamMemory: StreamMemory
    private let scheduler: FairScheduler

    init<Session>(
        _ service: GraphQLService<Session>, _ configuration: ServerConfiguration, _ load: ServerResources,
        _ logger: Logger
    ) {
        let limits = configuration.limits
        responder = service.responder
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
            metrics: load.metrics, logger: logger, level: configuration.responseLogLevel)
        sockets = GraphQLWebSocketService(
            responder: responder, prepare: prepare, documents: documents, tracer: tracer,
            recorder: recorder, allowsUpstreamReports: allowsUpstreamReports, load: load, limits: limits)
    }

    func admit(_ head: RequestHead, id: RequestID) -> Result<RequestHandler, RequestRejection> {
        if WebSocketHandshake.isRequested(by: head) { return admitSocket(head, id: id) }
        let forms = AcceptedResponses(accept: head.fields.accept)
        let type = forms.single ?? .json
        do throws(HTTPError) {
            guard !forms.isEmpty else { throw .notAcceptable(head.fields.accept ?? "") }
            let source = try source(of: head)
            let (responder, token) = try responder(for: head)
            let caller = Caller(
                id: id, trace: tracer?.context(of: head.fields), responseType: type, forms: forms,
                responder: responder, token: token,
                // Without a token it would use up the server's own quotas.
                bypassesCache: token != nil && head.fields.bypassesCache,
                client: head.client,
                reportsUpstream: allowsUpstreamReports && head.fields.requestsUpstreamReport)
            return .success { [self] body, _ in
                // The token may have ended since the head arrived: while the body was received, or during
                // earlier requests.
                if caller.hasTokenEnded { return respond(to: source, body: body, for: renewed(caller)) }
                return respond(to: source, body: body, for: caller)
            }
        } catch {
            return .failure(RequestRejection(error, as: type, id: id))
        }
    }

    // MARK: - Heads

    /// Where the parameters of a request stand.
    private enum Source: Sendable {
        case url(QueryParameters)
        case body
    }

    private func source(of head: RequestHead) throws(HTTPError) -> Source {
        let parameters = try QueryParameters(head.target.query)
        try rejectToken(in: parameters)
        switch head.method {
        case .GET where allowsGET, .HEAD where allowsGET: return .url(parameters)
        case .POST:
            // Other types, and none, are what pages of other sites can send unasked.
            guard let type = head.fields.contentType, MediaType.isJSON(type) else {
                throw .unsupportedMediaType(head.fields.contentType)
            }
            if let coding = head.fields.contentEncoding, !coding.matches("identity") {
                throw .unsupportedContentEncoding(coding)
            }
            return .body
        default: throw .methodNotAllowed(head.method, allowed: allowsGET ? [.GET, .HEAD, .POST] : [.POST])
        }
    }

    private func rejectToken(in parameters: QueryParameters) throws(HTTPError) {
        let token = parameters.pairs.first { BearerToken.urlParameters.contains($0.name.lowercased()) }
        if let token { throw .tokenInURL(parameter: token.name) }
    }

    /// The responder of a request, and the token that it counts against; nil for a refused token, as for
    /// none.
    private func responder(
        for head: RequestHead
    ) throws(HTTPError) -> (responder: GraphQLSession, token: String?) {
        let token = try token(of: head)
        let responder = responder(token)
        guard let token, responder.tokenRejection == nil else { return (responder, nil) }
        try quota.charge(token: token, from: head.client)
        return (responder, token)
    }

    private func token(of head: RequestHead) throws(HTTPError) -> String? {
        do throws(AuthenticationError) {
            return try BearerToken.read(head.fields.authorization)
        } catch {
            throw .unauthorized(error)
        }
    }

    /// Counts another request of an array, as the first was counted with its head.
    private func charge(_ caller: Caller) throws(HTTPError) {
        try quota.charge(caller.client)
        if let token = caller.token { try quota.charge(token: token, from: caller.client) }
    }

    // MARK: - Answers

    /// Who asks, and how the answer shall be.
    private struct Caller: Sendable {
        let id: RequestID
        /// Where the client stands; nil where nothing is traced.
        let trace: ServiceContext?
        let responseType: ResponseMediaType
        let forms: AcceptedResponses
        var responder: GraphQLSession
        /// The limits against which the request counts; nil without a token, and with a refused one.
        var token: String?
        var bypassesCache: Bool
        let client: ClientAddress
        /// Whether its answers tell which upstream calls they have cost.
        let reportsUpstream: Bool

        /// Whether the token was valid when the head arrived, and has ended since.
        var hasTokenEnded: Bool { token != nil && !responder.isValid() }

        func respond(
            to request: PreparedRequest, allowing allowed: Set<OperationType>, log: UpstreamLog,
            in span: OperationSpan?
        ) -> MaybeAsync<GraphQLResponse> {
            var circumstances = circumstances(allowed)
            circumstances.upstream = log
            if let span { circumstances.trace = span.context }
            var response = responder.respond(request, circumstances)
            if let span { response = span.ending(with: response, of: id, log: log) }
            guard reportsUpstream else { return response }
            return response.map { $0.adding(extensions: log.report(until: .now)) }
        }

        func circumstances(_ allowed: Set<OperationType>) -> RequestCircumstances {
            RequestCircumstances(
                id: id, trace: trace, allowedOperations: allowed, bypassesCache: bypassesCache,
                client: client)
        }
    }

    /// The same caller after its token has ended, with the session of a request that arrives now.
    private func renewed(_ caller: Caller) -> Caller {
        var caller = caller
        caller.responder = responder(caller.token)
        if caller.responder.tokenRejection != nil { (caller.token, caller.bypassesCache) = (nil, false) }
        return caller
    }

    private func respond(to source: Source, body: ByteBuffer, for caller: Caller) -> MaybeAsync<HTTPResponse>
    {
        do throws(HTTPError) {
            switch source {
            case .url(let parameters):
                let request = prepare(
                    try documents.resolve(GraphQLRequest(parameters, jsonLimits: jsonLimits)))
                if let form = streamForm(of: request, for: caller) {
                    guard request.operationType != .mutation else {
                        throw .methodNotAllowed(.GET, allowed: [.POST])
                    }
                    return .ready(
                        try stream(request, as: form, allowing: [.query, .subscription], for: caller))
                }
                return respond(to: request, allowing: GraphQLRoute.safeOperations, for: caller).map(
                    \.withCacheHeaders)
            case .body:
                switch try RequestBody(body, jsonLimits: jsonLimits, batchLimit: batchLimit) {
                case .single(let request):
                    let request = prepare(try documents.resolve(request))
                    if let form = streamForm(of: request, for: caller) {
                        return .ready(
                            try stream(
                                request, as: form, allowing: [.query, .mutation, .subscription], for: caller))
                    }
                    return respond(to: request, allowing: GraphQLRoute.allOperations, for: caller)
                case .batch(let requests):
                    for _ in requests.dropFirst() { try charge(caller) }
                    return respond(to: requests, for: caller)
                }
            }
        } catch {
            return .ready(error.response(as: caller.responseType, id: caller.id))
        }
    }

    /// What a method that changes nothing may run.
    private static let safeOperations: Set<OperationType> = [.query]
    private static let allOperations: Set<OperationType> = [.query, .mutation]

    private func respond(
        to request: PreparedRequest, allowing allowed: Set<OperationType>, for caller: Caller
    ) -> MaybeAsync<HTTPResponse> {
        // What tells of upstream calls is about this one answer, and of no use to anybody else or later.
        let policy = caller.reportsUpstream ? CachePolicy(maxAge: 0) : request.cachePolicy
        let key = policy.flatMap { ResponseCache.Key(request, $0, audience: caller.responder.audience) }
        if let key, !caller.bypassesCache, let known = responseCache.response(for: key, now: .now()) {
            return .ready(
                HTTPResponse(known.response, to: request, policy, age: known.age, as: caller.responseType))
        }
        let log = UpstreamLog()
        let span = span(of: request, for: caller)
        let finish = { @Sendable [self] (response: GraphQLResponse) -> HTTPResponse in
            if response.outcome == .notAllowed, request.operationType == .subscription {
                return HTTPError.severalResponses.response(as: caller.responseType, id: caller.id)
            }
            // What is past its time already is good for this once.
            let policy = log.servesStale ? policy.map { _ in CachePolicy(maxAge: 0) } : policy
            if let key, let policy { responseCache.store(response, for: key, policy, now: .now()) }
            var answer = HTTPResponse(response, to: request, policy, age: nil, as: caller.responseType)
            answer.operation?.upstream = log.use(until: .now)
            return answer
        }
        switch caller.respond(to: request, allowing: allowed, log: log, in: span) {
        case .ready(let response): return .ready(finish(response))
        case .async(let fetch):
            return .async { [self] in
                // The token may have ended while the request was in the queue.
                guard caller.hasTokenEnded else { return finish(try await fetch()) }
                span?.end(nil, of: caller.id, upstreamCalls: 0)
                return try await respond(to: request, allowing: allowed, for: renewed(caller)).value()
            }
        }
    }

    /// Answers each request of a batch; one that fails takes none of the others with it.
    private func respond(to requests: [GraphQLRequest], for caller: Caller) -> MaybeAsync<
        HTTPResponse
    > {
        let start = NIODeadline.now()
        let responses = MaybeAsync.each(requests) { [self] request -> MaybeAsync<GraphQLResponse> in
            do throws(HTTPError) {
                return respond(
                    toOneOfSeveral: prepare(try documents.resolve(request)), since: start, for: caller)
            } catch {
                return .ready(error.graphQLResponse(id: caller.id))
            }
        }
        return responses.map { HTTPResponse(batch: $0, as: caller.responseType, id: caller.id) }
    }

    private func respond(
        toOneOfSeveral request: PreparedRequest, since start: NIODeadline, for caller: Caller
    ) -> MaybeAsync<GraphQLResponse> {
        let log = UpstreamLog()
        let span = span(of: request, for: caller)
        let finish = { @Sendable [recorder] (response: GraphQLResponse) -> GraphQLResponse in
            var facts = OperationSummary(request, response.outcome)
            facts.upstream = log.use(until: .now)
            recorder.record(facts, of: caller.id, took: .now() - start)
            return response
        }
        switch caller.respond(to: request, allowing: GraphQLRoute.allOperations, log: log, in: span) {
        case .ready(let response): return .ready(finish(response))
        case .async(let fetch):
            return .async { [self] in
                // As for a single request.
                guard caller.hasTokenEnded else { return finish(try await fetch()) }
                span?.end(nil, of: caller.id, upstreamCalls: 0)
                return try await respond(toOneOfSeveral: request, since: start, for: renewed(caller)).value()
            }
        }
    }

    private func span(of request: PreparedRequest, for caller: Caller) -> OperationSpan? {
        guard let tracer, let context = caller.trace else { return nil }
        return OperationSpan(tracer, in: context, request.operationType, named: request.operationName)
    }

    // MARK: - Several responses

    /// In which form the responses are sent, where they are several, or the client takes no other form.
    private func streamForm(of request: PreparedRequest, for caller: Caller) -> StreamFormat? {
        guard let form = caller.forms.stream else { return nil }
        return caller.forms.single == nil || request.operationType == .subscription ? form : nil
    }

    private func stream(
        _ request: PreparedRequest, as form: StreamFormat, allowing allowed: Set<OperationType>,
        for caller: Caller
    ) throws(HTTPError) -> HTTPResponse {
        let permit = try shares.stream(of: caller.responder.user, at: caller.client)
        let operation = StreamedOperation(
            request: request, responder: caller.responder, circumstances: caller.circumstances(allowed),
            reportsUpstream: caller.reportsUpstream, tracer: tracer, recorder: recorder,
            memory: streamMemory, scheduler: scheduler,
            client: shares.client(caller.responder.user, at: caller.client))
        let body = StreamingBody(form, heartbeat: heartbeat, of: operation, holding: permit)
        var response = HTTPResponse(.ok, form.contentType, streaming: body)
        // Proxies must neither keep it nor hold parts of it back.
        response.headers = [
            HTTPResponse.Header("cache-control", "no-store"), HTTPResponse.Header("x-accel-buffering", "no"),
        ]
        return response
    }

    private func admitSocket(_ head: RequestHead, id: RequestID) -> Result<RequestHandler, RequestRejection> {
        do throws(HTTPError) {
            try rejectToken(in: QueryParameters(head.target.query))
            let handshake = try WebSocketHandshake(head.fields)
            let token = try token(of: head)
            let user = responder(token).user
            let permit = try shares.socket(of: user, at: head.client)
            // The validity of the token is checked with the first message, which may have another token.
            let socket = GraphQLWebSocketService.Socket(
                client: head.client, token: token, user: user,
                supportsSubprotocol: handshake.supportsSubprotocol,
                trace: tracer?.context(of: head.fields),
                requestsUpstreamReport: head.fields.requestsUpstreamReport)
            return .success { [sockets] _, _ in
                .ready(handshake.response(sockets.upgrade(socket, holding: permit)))
            }
        } catch {
            return .failure(RequestRejection(error, id: id))
        }
    }
}
