import GraphQL
import NIOCore
import NIOHTTP1

/// `/graphql`: GraphQL over HTTP, as its specification has it in the draft of 2025.
package struct GraphQLRoute: Sendable {
    let responder: @Sendable (_ bearerToken: String?) -> Result<Responder, Unauthorized>
    let jsonLimits: JSONLimits

    /// A request whose head is in order.
    package struct Admission: Sendable {
        let responseType: ResponseMediaType
        let respond: Responder
        let source: Source
        let demandsFresh: Bool

        /// Where the parameters stand.
        enum Source: Sendable {
            case url(QueryParameters)
            case body
        }
    }

    func admit(_ head: RequestHead, id: RequestID) -> Result<Admission, Refusal> {
        guard let type = ContentNegotiation.responseType(accept: head.fields.accept) else {
            return .failure(Refusal(.notAcceptable(head.fields.accept ?? ""), id: id))
        }
        do throws(HTTPProblem) {
            let source = try source(of: head)
            return .success(
                Admission(
                    responseType: type, respond: try respond(head), source: source,
                    demandsFresh: head.fields.demandsFresh))
        } catch {
            return .failure(Refusal(error, as: type, id: id))
        }
    }

    func answer(_ admission: Admission, body: ByteBuffer, id: RequestID) -> Loading<HTTPResponse> {
        let request: GraphQL.Request
        let allowed: Set<OperationType>
        do throws(HTTPProblem) {
            switch admission.source {
            case .url(let parameters):
                request = try GraphQL.Request(parameters, jsonLimits: jsonLimits)
                allowed = GraphQLRoute.safeOperations
            case .body:
                request = try GraphQL.Request(body: body, jsonLimits: jsonLimits)
                allowed = GraphQLRoute.allOperations
            }
        } catch {
            return .ready(error.response(as: admission.responseType, id: id))
        }
        let type = admission.responseType
        return admission.respond(request, id, allowed, admission.demandsFresh)
            .map { HTTPResponse($0, as: type) }
    }

    /// What a method that changes nothing may run.
    private static let safeOperations: Set<OperationType> = [.query]
    private static let allOperations: Set<OperationType> = [.query, .mutation]

    private func source(of head: RequestHead) throws(HTTPProblem) -> Admission.Source {
        let parameters = try QueryParameters(head.target.query)
        let token = parameters.pairs.first { BearerToken.urlParameters.contains($0.name.lowercased()) }
        if let token { throw .tokenInURL(parameter: token.name) }
        switch head.method {
        case .GET, .HEAD: return .url(parameters)
        case .POST:
            guard let type = head.fields.contentType, MediaType.isJSON(type) else {
                throw .unsupportedMediaType(head.fields.contentType)
            }
            if let coding = head.fields.contentEncoding, !coding.matches("identity") {
                throw .unsupportedContentEncoding(coding)
            }
            return .body
        default: throw .methodNotAllowed(head.method, allowed: [.GET, .HEAD, .POST])
        }
    }

    private func respond(_ head: RequestHead) throws(HTTPProblem) -> Responder {
        do throws(Unauthorized) {
            return try responder(try BearerToken.read(head.fields.authorization)).get()
        } catch {
            throw .unauthorized(error)
        }
    }
}

extension HTTPResponse {
    /// An answer of the engine, with the status that its media type gives it (GraphQL over HTTP, "Status Codes").
    fileprivate init(_ response: GraphQL.Response, as type: ResponseMediaType) {
        let status: HTTPResponseStatus =
            switch (type, response.outcome) {
            case (_, .complete), (_, .partial), (.json, .refused): .ok
            case (.graphQLResponse, .refused): .badRequest
            case (_, .notAllowed): .methodNotAllowed
            }
        self.init(status, type.contentType, body: response.body)
        // What a safe method may not run, POST may (GraphQL over HTTP, section "GET").
        if response.outcome == .notAllowed { headers = [Header("allow", "POST")] }
    }
}
