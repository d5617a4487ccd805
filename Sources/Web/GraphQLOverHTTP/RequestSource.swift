import NIOHTTP1

/// The location of the parameters of a request, which its head determines.
enum RequestSource: Sendable {
    case url(QueryParameters)
    case body
    case eventStream(EventStreamRequest)

    /// Whether the response has a format that the client must accept; that about an event stream is a text, or has no content.
    var needsAcceptedFormat: Bool {
        switch self {
        case .url, .body: true
        // The opening of a stream checks its format itself.
        case .eventStream: false
        }
    }

    /// - Throws: `.methodNotAllowed`, or the error in the URL or the header fields.
    init(of head: RequestHead, allowsGET: Bool, _ eventStreams: EventStreamService) throws(HTTPError) {
        let parameters = try QueryParameters(head.target.query)
        if let request = try EventStreamRequest(head, parameters, eventStreams) {
            self = .eventStream(request)
            return
        }
        try parameters.rejectToken()
        switch head.method {
        case .GET where allowsGET, .HEAD where allowsGET: self = .url(parameters)
        case .POST:
            try head.checkContentType()
            self = .body
        default:
            throw .methodNotAllowed(
                head.method, allowed: (allowsGET ? [.GET, .HEAD, .POST] : [.POST]) + [.PUT, .DELETE])
        }
    }
}

extension EventStreamRequest {
    /// The request about an event stream; nil for another request.
    ///
    /// The token of a stream is a header field, or, because `EventSource` of browsers sends no header fields, a
    /// parameter of the URL that opens the stream.
    fileprivate init?(
        _ head: RequestHead, _ parameters: QueryParameters, _ eventStreams: EventStreamService
    ) throws(HTTPError) {
        switch (head.method, head.fields.eventStreamToken) {
        case (.PUT, _): self = .reserve
        case (.GET, let token?): self = .open(token: token)
        case (.GET, nil):
            guard let token = try parameters.value(of: "token"), eventStreams.isReserved(token) else {
                return nil
            }
            self = .open(token: token)
        case (.POST, let token?):
            try head.checkContentType()
            self = .start(token: token)
        case (.DELETE, let token?):
            guard let id = try parameters.value(of: "operationId"), !id.isEmpty else {
                throw .missingOperationID
            }
            self = .stop(token: token, operationID: id)
        case (.DELETE, nil): throw .unknownEventStream
        default: return nil
        }
    }
}

extension RequestHead {
    /// Rejects bodies of other types than JSON, which pages of other sites can send without a CORS preflight, as they can
    /// send bodies without a type.
    func checkContentType() throws(HTTPError) {
        guard let type = fields.contentType, MediaType.isJSON(type) else {
            throw .unsupportedMediaType(fields.contentType)
        }
        if let coding = fields.contentEncoding, !coding.matches("identity") {
            throw .unsupportedContentEncoding(coding)
        }
    }
}

extension QueryParameters {
    /// Rejects a token in a URL, which logs and histories would contain.
    func rejectToken() throws(HTTPError) {
        let token = pairs.first { BearerToken.urlParameters.contains($0.name.lowercased()) }
        if let token { throw .tokenInURL(parameter: token.name) }
    }
}
