import GraphQL
import NIOCore
import NIOHTTP1
import PorticoCore

/// What is decided by the head of a request, before its body arrives: its form, its session and its limits.
extension GraphQLRoute {
    package func admit(_ head: RequestHead, id: RequestID) -> Result<RequestHandler, RequestRejection> {
        if WebSocketHandshake.isRequested(by: head) { return admitSocket(head, id: id) }
        if hasStartPage, head.isOpenedInBrowser { return .success { _, _ in .ready(.startPage) } }
        let accepted = AcceptedResponses(accept: head.fields.accept)
        do throws(HTTPError) {
            guard !accepted.isEmpty else { throw .notAcceptable(head.fields.accept ?? "") }
            let source = try source(of: head)
            let context = try context(of: head, id: id, accepted: accepted)
            return .success { [self] body, _ in
                verified(context) { [self] context in respond(to: source, body: body, in: context) }
            }
        } catch {
            return .failure(RequestRejection(error, as: accepted.single ?? .json, id: id))
        }
    }

    /// Returns the context of a request, and charges its token, unless it must be verified.
    ///
    /// - Throws: `.unauthorized` for a malformed token, `.tooManyRequests` above the limit of a token.
    func context(
        of head: RequestHead, id: RequestID, accepted: AcceptedResponses
    ) throws(HTTPError) -> RequestContext {
        let (session, token) = try session(for: head)
        return RequestContext(
            requestID: id, client: head.client, token: token, session: session,
            application: ClientApplication(head.fields), accepted: accepted,
            // A client without a token would use up the server's own quotas.
            bypassesCache: token != nil && head.fields.bypassesCache,
            reportsUpstream: allowsUpstreamReports && head.fields.requestsUpstreamReport,
            trace: tracer?.context(of: head.fields))
    }
    /// The location of the parameters of a request.
    enum Source: Sendable {
        case url(QueryParameters)
        case body
        case eventStream(EventStreamRequest)
    }

    private func source(of head: RequestHead) throws(HTTPError) -> Source {
        let parameters = try QueryParameters(head.target.query)
        if let request = try eventStreamRequest(head, parameters) { return .eventStream(request) }
        try rejectToken(in: parameters)
        switch head.method {
        case .GET where allowsGET, .HEAD where allowsGET: return .url(parameters)
        case .POST:
            try Self.checkContentType(of: head)
            return .body
        default:
            throw .methodNotAllowed(
                head.method, allowed: (allowsGET ? [.GET, .HEAD, .POST] : [.POST]) + [.PUT, .DELETE])
        }
    }

    /// Pages of other sites can send other content types than JSON, or none, without a CORS preflight.
    static func checkContentType(of head: RequestHead) throws(HTTPError) {
        guard let type = head.fields.contentType, MediaType.isJSON(type) else {
            throw .unsupportedMediaType(head.fields.contentType)
        }
        if let coding = head.fields.contentEncoding, !coding.matches("identity") {
            throw .unsupportedContentEncoding(coding)
        }
    }

    /// The request about an event stream; nil for another request.
    ///
    /// The token of a stream is a header field, or, because `EventSource` of browsers sends no header fields, a
    /// parameter of the URL that opens the stream.
    private func eventStreamRequest(
        _ head: RequestHead, _ parameters: QueryParameters
    ) throws(HTTPError) -> EventStreamRequest? {
        let token = head.fields.eventStreamToken
        switch (head.method, token) {
        case (.PUT, _): return .reserve
        case (.GET, let token?): return .open(token: token)
        case (.GET, nil):
            guard let token = try parameters.value(of: "token"), eventStreams.isReserved(token) else {
                return nil
            }
            return .open(token: token)
        case (.POST, let token?):
            try Self.checkContentType(of: head)
            return .start(token: token)
        case (.DELETE, let token?):
            guard let id = try parameters.value(of: "operationId"), !id.isEmpty else {
                throw .missingOperationID
            }
            return .stop(token: token, operationID: id)
        case (.DELETE, nil): throw .unknownEventStream
        default: return nil
        }
    }

    private func rejectToken(in parameters: QueryParameters) throws(HTTPError) {
        let token = parameters.pairs.first { BearerToken.urlParameters.contains($0.name.lowercased()) }
        if let token { throw .tokenInURL(parameter: token.name) }
    }

    /// The session of a request, and the token whose quota is charged; the token is nil if it was rejected
    /// or missing.
    private func session(
        for head: RequestHead
    ) throws(HTTPError) -> (session: any GraphQLSession, token: String?) {
        let token = try token(of: head)
        let session = session(token)
        guard let token, session.tokenRejection == nil else { return (session, nil) }
        // A token that is not verified counts for its address only: invented tokens would fill the table of tokens, and
        // could use up the limit of another token.
        if session.verification == nil {
            try quota.charge(credential: session.credential ?? token, from: head.client)
        }
        return (session, token)
    }

    private func token(of head: RequestHead) throws(HTTPError) -> String? {
        do throws(AuthenticationError) {
            return try BearerToken.read(head.fields.authorization)
        } catch {
            throw .unauthorized(error)
        }
    }

    private func admitSocket(_ head: RequestHead, id: RequestID) -> Result<RequestHandler, RequestRejection> {
        do throws(HTTPError) {
            try rejectToken(in: QueryParameters(head.target.query))
            let handshake = try WebSocketHandshake(head.fields)
            let token = try token(of: head)
            let session = session(token)
            let permit = try shares.socket(of: session.user, at: head.client)
            let context = RequestContext(
                requestID: id, client: head.client, token: token, session: session,
                application: ClientApplication(head.fields), accepted: AcceptedResponses(accept: nil),
                reportsUpstream: allowsUpstreamReports && head.fields.requestsUpstreamReport,
                trace: tracer?.context(of: head.fields))
            return .success { [sockets] _, _ in
                let upgrade = sockets.upgrade(
                    context, supportsSubprotocol: handshake.supportsSubprotocol, holding: permit)
                return .ready(handshake.response(upgrade))
            }
        } catch {
            return .failure(RequestRejection(error, id: id))
        }
    }
}

extension RequestHead {
    /// Whether a person has entered the address of the endpoint in a browser, without an operation.
    fileprivate var isOpenedInBrowser: Bool {
        method == .GET && target.query == nil && fields.accept?.lowercased().contains("text/html") == true
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
