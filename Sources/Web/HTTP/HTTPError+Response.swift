import GraphQL
package import NIOHTTP1

extension HTTPError {
    package var status: HTTPResponseStatus {
        if case .expectationFailed = self { .expectationFailed } else { code.status }
    }

    /// `extensions.code`.
    var code: HTTPErrorCode {
        switch self {
        case .malformed, .tokenInURL, .invalidParameter, .invalidRequest, .expectationFailed, .webSocketKey,
            .missingOperationID:
            .badRequest
        case .webSocketVersion: .upgradeRequired
        case .document(let problem): problem.code
        case .unsupportedVersion: .httpVersionNotSupported
        case .uriTooLong: .uriTooLong
        case .headersTooLarge, .tooManyFields: .headersTooLarge
        case .bodyTooLarge: .payloadTooLarge
        case .unsupportedMethod, .unsupportedTransferEncoding: .notImplemented
        case .slow: .requestTimeout
        case .unknownHost: .hostNotAllowed
        case .foreignOrigin: .originNotAllowed
        case .unknownPath, .unknownEventStream: .notFound
        case .eventStreamIsOpen, .operationExists: .conflict
        case .methodNotAllowed: .methodNotAllowed
        case .unsupportedMediaType, .unsupportedContentEncoding: .unsupportedMediaType
        case .notAcceptable, .severalResponses: .notAcceptable
        case .unauthorized: .unauthenticated
        case .overloaded: .overloaded
        case .tooManyRequests: .rateLimited
        case .responseTimeout: .timeout
        case .shuttingDown: .shuttingDown
        case .aborted: .requestAborted
        case .internalError: .internalServerError
        }
    }

    /// Headers that the status requires.
    var headers: [HTTPResponse.Header] {
        switch self {
        case .methodNotAllowed(_, let allowed):
            [HTTPResponse.Header("allow", allowed.map(\.rawValue).joined(separator: ", "))]
        case .unauthorized(let refusal): [HTTPResponse.Header("www-authenticate", refusal.challenge)]
        // RFC 9110, section 15.5.16: the codings that would be accepted.
        case .unsupportedContentEncoding: [HTTPResponse.Header("accept-encoding", "identity")]
        // The mutation was run, and must not be sent again.
        case .overloaded(.mutationMemory): []
        case .overloaded, .shuttingDown: [HTTPResponse.Header("retry-after", "1")]
        // RFC 9110, section 15.5.22: what to upgrade to; and RFC 6455, section 4.4: in which version.
        case .webSocketVersion:
            [
                HTTPResponse.Header("connection", "upgrade"), HTTPResponse.Header("upgrade", "websocket"),
                HTTPResponse.Header("sec-websocket-version", "13"),
            ]
        case .tooManyRequests(_, _, let delay):
            [HTTPResponse.Header("retry-after", "\(delay.secondsRoundedUp)")]
        case .malformed, .unsupportedVersion, .unsupportedMethod, .uriTooLong, .headersTooLarge,
            .tooManyFields, .bodyTooLarge,
            .unsupportedTransferEncoding, .expectationFailed, .slow, .unknownHost, .foreignOrigin,
            .unknownPath, .unsupportedMediaType, .notAcceptable, .severalResponses, .tokenInURL,
            .invalidParameter,
            .invalidRequest, .document, .responseTimeout, .aborted, .internalError, .webSocketKey,
            .unknownEventStream, .eventStreamIsOpen, .missingOperationID, .operationExists:
            []
        }
    }

    /// Whether the start of the next request is unknown, or the client should not send one.
    private var endsConnection: Bool {
        switch self {
        case .malformed, .unsupportedVersion, .unsupportedMethod, .uriTooLong, .headersTooLarge,
            .tooManyFields, .bodyTooLarge, .unsupportedTransferEncoding, .expectationFailed, .slow,
            .overloaded(.connections), .overloaded(.connectionsOfAddress), .overloaded(.pipelinedRequests),
            .overloaded(.requestMemory), .shuttingDown:
            true
        case .unknownHost, .foreignOrigin, .unknownPath, .methodNotAllowed, .unsupportedMediaType,
            .unsupportedContentEncoding,
            .notAcceptable, .severalResponses, .unauthorized, .tokenInURL, .invalidParameter, .invalidRequest,
            .document,
            .overloaded(.database), .overloaded(.requestsInFlight), .overloaded(.responseMemory),
            .overloaded(.mutationMemory), .overloaded(.streams), .overloaded(.streamMemory),
            .overloaded(.operationsOfSocket),
            .overloaded(.streamsOfClient), .overloaded(.socketsOfClient),
            .tooManyRequests, .responseTimeout, .aborted, .webSocketVersion, .webSocketKey, .internalError,
            .unknownEventStream, .eventStreamIsOpen, .missingOperationID, .operationExists:
            false
        }
    }

    /// The problem in GraphQL's form of errors.
    func graphQLResponse(id: RequestID) -> GraphQLResponse {
        var extensions: InputObject = ["code": .string(code.rawValue), "requestId": .string(id.description)]
        if case .tooManyRequests(_, _, let delay) = self {
            extensions["retryAt"] = .string(Timestamp.now(plus: Int(delay.secondsRoundedUp)))
        }
        return GraphQLResponse(requestErrors: [GraphQLError(message, extensions: extensions)])
    }

    /// Converts the error to a response.
    func response(as type: ResponseMediaType = .json, id: RequestID) -> HTTPResponse {
        var response = HTTPResponse(status, type.contentType, body: graphQLResponse(id: id).body)
        response.headers = headers
        response.endsConnection = endsConnection
        return response
    }
}

extension Duration {
    /// For `Retry-After`, which has whole seconds: at least 1.
    package var secondsRoundedUp: Int64 {
        let (seconds, attoseconds) = components
        return max(1, attoseconds > 0 ? seconds + 1 : seconds)
    }
}
