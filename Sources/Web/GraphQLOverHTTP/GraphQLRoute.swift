import GraphQL
import NIOCore
import NIOHTTP1

/// `/graphql`: GraphQL over HTTP, as its specification has it in the draft of 2025.
struct GraphQLRoute: Route {
    private let responder: @Sendable (_ bearerToken: String?) -> Result<Responder, Unauthorized>
    private let documents: DocumentResolver
    private let cachePolicy: @Sendable (GraphQL.Request) -> CachePolicy?
    private let answers: AnswerCache
    private let jsonLimits: JSONLimits
    private let batchLimit: Int
    private let quota: ClientQuota
    private let allowsGET: Bool

    init<Session>(_ service: GraphQLService<Session>, _ configuration: ServerConfiguration) {
        let limits = configuration.limits
        responder = service.responder
        documents = DocumentResolver(service.documents)
        cachePolicy = service.cachePolicy
        answers = AnswerCache(bytes: limits.answerCache)
        jsonLimits = JSONLimits(depth: limits.jsonDepth, bytes: max(limits.body, limits.uri))
        batchLimit = limits.batch
        quota = ClientQuota(limits)
        allowsGET = configuration.allowsGET
    }

    func admit(_ head: RequestHead, id: RequestID) -> Result<Answerer, Refusal> {
        guard let type = ContentNegotiation.responseType(accept: head.fields.accept) else {
            return .failure(Refusal(.notAcceptable(head.fields.accept ?? ""), id: id))
        }
        do throws(HTTPProblem) {
            try quota.charge(head.client)
            let source = try source(of: head)
            let caller = Caller(
                id: id, trace: TraceContext(traceparent: head.fields.traceparent, of: id), responseType: type,
                responder: try responder(for: head), demandsFresh: head.fields.demandsFresh)
            return .success { body, _ in answer(source, body: body, for: caller) }
        } catch {
            return .failure(Refusal(error, as: type, id: id))
        }
    }

    // MARK: - Heads

    /// Where the parameters of a request stand.
    private enum Source: Sendable {
        case url(QueryParameters)
        case body
    }

    private func source(of head: RequestHead) throws(HTTPProblem) -> Source {
        let parameters = try QueryParameters(head.target.query)
        let token = parameters.pairs.first { BearerToken.urlParameters.contains($0.name.lowercased()) }
        if let token { throw .tokenInURL(parameter: token.name) }
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

    private func responder(for head: RequestHead) throws(HTTPProblem) -> Responder {
        let responder: Responder
        let token: String?
        do throws(Unauthorized) {
            token = try BearerToken.read(head.fields.authorization)
            responder = try self.responder(token).get()
        } catch {
            throw .unauthorized(error)
        }
        if let token { try quota.charge(token: token, from: head.client) }
        return responder
    }

    // MARK: - Answers

    /// Who asks, and how the answer shall be.
    private struct Caller: Sendable {
        let id: RequestID
        let trace: TraceContext
        let responseType: ResponseMediaType
        let responder: Responder
        let demandsFresh: Bool

        func respond(
            to request: GraphQL.Request, allowing allowed: Set<OperationType>
        ) -> Loading<GraphQL.Response> {
            responder.respond(
                request,
                RequestCircumstances(
                    id: id, trace: trace, allowedOperations: allowed, demandsFresh: demandsFresh))
        }
    }

    private func answer(_ source: Source, body: ByteBuffer, for caller: Caller) -> Loading<HTTPResponse> {
        do throws(HTTPProblem) {
            switch source {
            case .url(let parameters):
                let request = try documents.resolve(GraphQL.Request(parameters, jsonLimits: jsonLimits))
                return answer(request, allowing: GraphQLRoute.safeOperations, for: caller).map(\.asKept)
            case .body:
                switch try RequestBody(body, jsonLimits: jsonLimits, batchLimit: batchLimit) {
                case .single(let request):
                    let request = try documents.resolve(request)
                    return answer(request, allowing: GraphQLRoute.allOperations, for: caller)
                case .batch(let requests): return answer(requests, for: caller)
                }
            }
        } catch {
            return .ready(error.response(as: caller.responseType, id: caller.id))
        }
    }

    /// What a method that changes nothing may run.
    private static let safeOperations: Set<OperationType> = [.query]
    private static let allOperations: Set<OperationType> = [.query, .mutation]

    private func answer(
        _ request: GraphQL.Request, allowing allowed: Set<OperationType>, for caller: Caller
    ) -> Loading<HTTPResponse> {
        let policy = cachePolicy(request)
        let key = policy.flatMap { AnswerCache.Key(request, $0, audience: caller.responder.audience) }
        if let key, !caller.demandsFresh, let known = answers.answer(for: key, now: .now()) {
            return .ready(
                HTTPResponse(known.response, to: request, policy, age: known.age, as: caller.responseType))
        }
        return caller.respond(to: request, allowing: allowed).map { response in
            if let key, let policy { answers.keep(response, as: key, policy, now: .now()) }
            return HTTPResponse(response, to: request, policy, age: nil, as: caller.responseType)
        }
    }

    /// Answers each request of a batch; one that fails takes none of the others with it.
    private func answer(_ requests: [GraphQL.Request], for caller: Caller) -> Loading<HTTPResponse> {
        let responses = Loading.each(requests) { request -> Loading<GraphQL.Response> in
            do throws(HTTPProblem) {
                let request = try documents.resolve(request)
                return caller.respond(to: request, allowing: GraphQLRoute.allOperations)
            } catch {
                return .ready(error.graphQLResponse(id: caller.id))
            }
        }
        return responses.map { HTTPResponse(batch: $0, as: caller.responseType, id: caller.id) }
    }
}
