import GraphQL
package import Logging
import NIOCore
import NIOHTTP1
import PorticoCore

/// `/graphql`: GraphQL over HTTP, draft of 2025.
///
/// The functions are in the order in which a request passes through them:
///
/// 1. `admit`: The head alone determines where the parameters are (`RequestSource`) and the session, and charges the limit of
///    the token (`RequestAuthentication`). A rejected request's body is not read.
/// 2. `respond`: The parameters are read; the document is parsed, validated and planned (`OperationResources`).
/// 3. `execute`: The response is in the cache, or the operation is executed (`OperationExecution`); `executeBatch` and `stream`
///    do so for several responses.
/// 4. `finish`: The response is stored, and gets its status and its header fields.
///
/// A class, because the handler of each request holds a reference to it: all references in a struct would be copied.
package final class GraphQLRoute: Route {
    let resources: OperationResources
    package let sockets: GraphQLWebSocketService
    private let eventStreams: EventStreamService
    private let responseCache: ResponseCache
    private let allowsGET: Bool
    private let hasStartPage: Bool

    /// The types of operation that a safe method may execute.
    private static let safeOperations: Set<OperationType> = [.query]
    /// The types of operation that have one response.
    private static let singleResponseOperations: Set<OperationType> = [.query, .mutation]

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
        resources = OperationResources(service, configuration, load, logger)
        sockets = GraphQLWebSocketService(resources)
        eventStreams = EventStreamService(configuration.limits, load)
        responseCache = ResponseCache(bytes: configuration.limits.responseCache)
        allowsGET = configuration.allowsGET
        self.hasStartPage = hasStartPage
    }

    // MARK: - 1. The head

    package func admit(_ head: RequestHead, id: RequestID) -> Result<RequestHandler, RequestRejection> {
        if WebSocketHandshake.isRequested(by: head) { return admitSocket(head, id: id) }
        if hasStartPage, head.isOpenedInBrowser { return .success { _, _ in .ready(.startPage) } }
        let accepted = AcceptedResponses(accept: head.fields.accept)
        do throws(HTTPError) {
            let source = try RequestSource(of: head, allowsGET: allowsGET, eventStreams)
            if accepted.isEmpty, source.needsAcceptedFormat {
                throw .notAcceptable(head.fields.accept ?? "")
            }
            let context = try resources.authentication.context(of: head, id: id, accepted: accepted)
            return .success { [self] body, _ in
                resources.authentication.verified(context) { [self] context in
                    respond(to: source, body, in: context)
                }
            }
        } catch {
            return .failure(RequestRejection(error, as: accepted.single ?? .json, id: id))
        }
    }

    private func admitSocket(_ head: RequestHead, id: RequestID) -> Result<RequestHandler, RequestRejection> {
        do throws(HTTPError) {
            try QueryParameters(head.target.query).rejectToken()
            let handshake = try WebSocketHandshake(head.fields)
            let context = try resources.authentication.uncharged(
                head, id: id, accepted: AcceptedResponses(accept: nil))
            let permit = try resources.load.shares.socket(of: context.session.user, at: head.client)
            return .success { [sockets] _, _ in
                let upgrade = sockets.upgrade(
                    context, supportsSubprotocol: handshake.supportsSubprotocol, holding: permit)
                return .ready(handshake.response(upgrade))
            }
        } catch {
            return .failure(RequestRejection(error, id: id))
        }
    }

    // MARK: - 2. The parameters

    private func respond(
        to source: RequestSource, _ body: ByteBuffer, in context: RequestContext
    ) -> MaybeAsync<HTTPResponse> {
        do throws(HTTPError) {
            switch source {
            case .url(let parameters):
                return try respond(
                    toURL: GraphQLRequest(parameters, jsonLimits: resources.jsonLimits), in: context)
            case .body:
                switch try requestBody(body, batchLimit: resources.limits.batch) {
                case .single(let request): return try respond(toBody: request, in: context)
                case .batch(let requests):
                    for _ in requests.dropFirst() { try resources.authentication.charge(context) }
                    return executeBatch(requests, in: context.allowing(Self.singleResponseOperations))
                }
            case .eventStream(let request): return try respond(to: request, body, in: context)
            }
        } catch {
            return .ready(error.response(as: context.responseType, id: context.requestID))
        }
    }

    private func requestBody(_ body: ByteBuffer, batchLimit: Int) throws(HTTPError) -> RequestBody {
        try RequestBody(body, jsonLimits: resources.jsonLimits, batchLimit: batchLimit)
    }

    private func respond(
        toURL request: GraphQLRequest, in context: RequestContext
    ) throws(HTTPError) -> MaybeAsync<HTTPResponse> {
        let request = try resources.prepare(request)
        guard let format = streamFormat(of: request, in: context) else {
            return execute(request, in: context.allowing(Self.safeOperations)).map(\.withCacheHeaders)
        }
        guard request.operationType != .mutation else { throw .methodNotAllowed(.GET, allowed: [.POST]) }
        return .ready(try stream(request, as: format, in: context.allowing([.query, .subscription])))
    }

    private func respond(
        toBody request: GraphQLRequest, in context: RequestContext
    ) throws(HTTPError) -> MaybeAsync<HTTPResponse> {
        let request = try resources.prepare(request)
        guard let format = streamFormat(of: request, in: context) else {
            return execute(request, in: context.allowing(Self.singleResponseOperations))
        }
        return .ready(try stream(request, as: format, in: context))
    }

    private func respond(
        to request: EventStreamRequest, _ body: ByteBuffer, in context: RequestContext
    ) throws(HTTPError) -> MaybeAsync<HTTPResponse> {
        switch request {
        case .reserve: return .ready(try eventStreams.reserve(for: context))
        case .open(let token): return .ready(try eventStreams.open(token, for: context))
        case .stop(let token, let id): return .ready(try eventStreams.stop(id, on: token, for: context))
        case .start(let token):
            guard case .single(let request) = try requestBody(body, batchLimit: 1) else {
                throw .invalidRequest(.batchNotAllowed)
            }
            let prepared = try resources.prepare(request)
            // Clients wait for events after a response with a status of success.
            if prepared.operationType == nil {
                return execute(prepared, in: context).map { response in
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

    /// Executes a query or mutation of the server's own documents, as if a client had sent it.
    func execute(_ request: GraphQLRequest, in context: RequestContext) -> MaybeAsync<HTTPResponse> {
        execute(resources.prepareDocument(request), in: context.allowing(Self.singleResponseOperations))
    }

    // MARK: - 3. The execution

    private func execute(
        _ request: PreparedRequest, in context: RequestContext
    ) -> MaybeAsync<HTTPResponse> {
        // A report of upstream calls belongs to this response only.
        let policy = context.reportsUpstream ? CachePolicy(maxAge: 0) : request.cachePolicy
        let key = policy.flatMap {
            ResponseCache.Key(request, $0, audience: context.session.cacheAudience)
        }
        if let key, !context.bypassesCache, let stored = responseCache.response(for: key, now: .now()) {
            resources.recorder.recordUse(of: request, stored.response.outcome, by: context.application)
            return .ready(
                HTTPResponse(stored.response, to: request, policy, age: stored.age, in: context))
        }
        let execution = OperationExecution(request, in: context, resources)
        switch execution.start() {
        case .ready(let response): return .ready(finish(response, of: execution, policy, key))
        case .async(let fetch):
            return .async { [self] in
                // The token may have ended while the request was in the queue.
                guard execution.context.hasTokenEnded else {
                    return finish(try await fetch(), of: execution, policy, key)
                }
                execution.discard()
                let context = try await resources.authentication.renewed(execution.context)
                return try await execute(execution.request, in: context).value()
            }
        }
    }

    /// Executes each request of a batch; one that fails does not affect the others.
    private func executeBatch(
        _ requests: [GraphQLRequest], in context: RequestContext
    ) -> MaybeAsync<HTTPResponse> {
        let start = NIODeadline.now()
        let memory = BatchMemory()
        let responses = MaybeAsync.each(requests) { [self] request -> MaybeAsync<GraphQLResponse> in
            do throws(HTTPError) {
                let prepared = try resources.prepare(request)
                return executeOne(prepared, since: start, in: context).map {
                    memory.retain($0, to: prepared.operationType ?? .query)
                }
            } catch {
                return .ready(error.graphQLResponse(id: context.requestID))
            }
        }
        return responses.map { HTTPResponse(batch: $0, as: context.responseType, id: context.requestID) }
    }

    /// Executes one request of a batch.
    private func executeOne(
        _ request: PreparedRequest, since start: NIODeadline, in context: RequestContext
    ) -> MaybeAsync<GraphQLResponse> {
        let execution = OperationExecution(request, in: context, resources)
        switch execution.start() {
        case .ready(let response): return .ready(execution.recorded(response, since: start))
        case .async(let fetch):
            return .async { [self] in
                // As for a single request.
                guard execution.context.hasTokenEnded else {
                    return execution.recorded(try await fetch(), since: start)
                }
                execution.discard()
                let context = try await resources.authentication.renewed(execution.context, keepsSlot: true)
                return try await executeOne(execution.request, since: start, in: context).value()
            }
        }
    }

    // MARK: - 3. Several responses

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

    /// Executes a query or mutation of the server's own documents in a stream with one response.
    ///
    /// - Throws: `.overloaded` if the client has reached its limit of streams.
    func stream(
        _ request: GraphQLRequest, as format: StreamFormat, in context: RequestContext
    ) throws(HTTPError) -> HTTPResponse {
        try stream(resources.prepareDocument(request), as: format, in: context)
    }

    private func stream(
        _ request: PreparedRequest, as format: StreamFormat, in context: RequestContext
    ) throws(HTTPError) -> HTTPResponse {
        let permit = try resources.load.shares.stream(of: context.session.user, at: context.client)
        let body = StreamingBody(
            format, heartbeat: .nanoseconds(resources.limits.heartbeat.nanoseconds),
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
        return StreamedOperation(request, in: context, resources)
    }

    // MARK: - 4. The response

    private func finish(
        _ response: GraphQLResponse, of execution: OperationExecution, _ policy: CachePolicy?,
        _ key: ResponseCache.Key?
    ) -> HTTPResponse {
        let (request, context) = (execution.request, execution.context)
        let response = execution.identified(response)
        execution.recordUse(response)
        if response.outcome == .notAllowed, request.operationType == .subscription {
            return HTTPError.severalResponses.response(as: context.responseType, id: context.requestID)
        }
        // A response with expired values is not stored.
        let policy = execution.servesStale ? policy.map { _ in CachePolicy(maxAge: 0) } : policy
        if let key, let policy { responseCache.store(response, for: key, policy, now: .now()) }
        var result = HTTPResponse(response, to: request, policy, age: nil, in: context)
        result.operation?.upstream = execution.usage
        return result
    }
}

extension RequestHead {
    /// Whether a person has entered the address of the endpoint in a browser, without an operation.
    fileprivate var isOpenedInBrowser: Bool {
        method == .GET && target.query == nil && fields.accept?.lowercased().contains("text/html") == true
    }
}

extension RequestContext {
    fileprivate func allowing(_ operations: Set<OperationType>) -> RequestContext {
        var context = self
        context.allowedOperations = operations
        return context
    }
}

extension HTTPResponse {
    fileprivate static let startPage: HTTPResponse = {
        var response = HTTPResponse(.seeOther)
        response.headers = [
            HTTPResponse.Header("location", "/"), HTTPResponse.Header("cache-control", "no-store"),
            HTTPResponse.Header("vary", "accept"),
        ]
        return response
    }()
}
