import GraphQL
import NIOCore
import NIOHTTP1

extension HTTPProblem {
    var status: HTTPResponseStatus {
        switch self {
        // A step of its protocol, not a failure: clients that take only 200 for an answer send the text next.
        case .document(.notPersisted): .ok
        case .malformed, .tokenInURL, .invalidParameter, .invalidRequest, .document, .webSocketKey:
            .badRequest
        case .webSocketVersion: .upgradeRequired
        case .unsupportedVersion: .httpVersionNotSupported
        case .uriTooLong: .uriTooLong
        case .headersTooLarge, .tooManyFields: .requestHeaderFieldsTooLarge
        case .bodyTooLarge: .payloadTooLarge
        case .unsupportedMethod, .unsupportedTransferEncoding: .notImplemented
        case .expectationFailed: .expectationFailed
        case .slow: .requestTimeout
        case .unknownHost: .misdirectedRequest
        case .foreignOrigin: .forbidden
        case .unknownPath: .notFound
        case .methodNotAllowed: .methodNotAllowed
        case .unsupportedMediaType, .unsupportedContentEncoding: .unsupportedMediaType
        case .notAcceptable, .severalResponses: .notAcceptable
        case .unauthorized: .unauthorized
        case .overloaded, .shuttingDown, .aborted: .serviceUnavailable
        case .tooManyRequests: .tooManyRequests
        case .answerTooSlow: .gatewayTimeout
        case .internalError: .internalServerError
        }
    }

    /// `extensions.code`.
    var code: String {
        switch self {
        case .malformed, .tokenInURL, .invalidParameter, .invalidRequest, .expectationFailed, .webSocketKey:
            "BAD_REQUEST"
        case .webSocketVersion: "UPGRADE_REQUIRED"
        case .document(let problem): problem.code
        case .unsupportedVersion: "HTTP_VERSION_NOT_SUPPORTED"
        case .uriTooLong: "URI_TOO_LONG"
        case .headersTooLarge, .tooManyFields: "HEADERS_TOO_LARGE"
        case .bodyTooLarge: "PAYLOAD_TOO_LARGE"
        case .unsupportedMethod, .unsupportedTransferEncoding: "NOT_IMPLEMENTED"
        case .slow: "REQUEST_TIMEOUT"
        case .unknownHost: "HOST_NOT_ALLOWED"
        case .foreignOrigin: "ORIGIN_NOT_ALLOWED"
        case .unknownPath: "NOT_FOUND"
        case .methodNotAllowed: "METHOD_NOT_ALLOWED"
        case .unsupportedMediaType, .unsupportedContentEncoding: "UNSUPPORTED_MEDIA_TYPE"
        case .notAcceptable, .severalResponses: "NOT_ACCEPTABLE"
        case .unauthorized: "UNAUTHENTICATED"
        case .overloaded: "OVERLOADED"
        case .tooManyRequests: "RATE_LIMITED"
        case .answerTooSlow: "TIMEOUT"
        case .shuttingDown: "SHUTTING_DOWN"
        case .aborted: "REQUEST_ABORTED"
        case .internalError: "INTERNAL_SERVER_ERROR"
        }
    }

    /// Header fields that the status asks for.
    var headers: [HTTPResponse.Header] {
        switch self {
        case .methodNotAllowed(_, let allowed):
            [HTTPResponse.Header("allow", allowed.map(\.rawValue).joined(separator: ", "))]
        case .unauthorized(let refusal): [HTTPResponse.Header("www-authenticate", refusal.challenge)]
        case .overloaded, .shuttingDown: [HTTPResponse.Header("retry-after", "1")]
        // RFC 9110, section 15.5.22: what to upgrade to; and RFC 6455, section 4.4: in which version.
        case .webSocketVersion:
            [
                HTTPResponse.Header("connection", "upgrade"), HTTPResponse.Header("upgrade", "websocket"),
                HTTPResponse.Header("sec-websocket-version", "13"),
            ]
        case .tooManyRequests(_, let delay):
            [HTTPResponse.Header("retry-after", "\(delay.secondsRoundedUp)")]
        case .malformed, .unsupportedVersion, .unsupportedMethod, .uriTooLong, .headersTooLarge,
            .tooManyFields, .bodyTooLarge,
            .unsupportedTransferEncoding, .expectationFailed, .slow, .unknownHost, .foreignOrigin,
            .unknownPath, .unsupportedMediaType,
            .unsupportedContentEncoding, .notAcceptable, .severalResponses, .tokenInURL, .invalidParameter,
            .invalidRequest, .document, .answerTooSlow, .aborted, .internalError, .webSocketKey:
            []
        }
    }

    /// Whether nobody can tell where the next request would begin, or the client should not send one.
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
            .overloaded(.requestsInFlight), .overloaded(.responseMemory), .overloaded(.streams),
            .overloaded(.streamMemory),
            .overloaded(.operationsOfSocket),
            .overloaded(.streamsOfClient), .overloaded(.socketsOfClient),
            .tooManyRequests, .answerTooSlow, .aborted, .webSocketVersion, .webSocketKey, .internalError:
            false
        }
    }

    /// The problem in GraphQL's form of errors.
    func graphQLResponse(id: RequestID) -> GraphQL.Response {
        let extensions: InputObject = ["code": .string(code), "requestId": .string(id.description)]
        return GraphQL.Response(refusing: [GraphQLError(message, extensions: extensions)])
    }

    /// The same as an answer.
    func response(as type: ResponseMediaType = .json, id: RequestID) -> HTTPResponse {
        var response = HTTPResponse(status, type.contentType, body: graphQLResponse(id: id).body)
        response.headers = headers
        response.endsConnection = endsConnection
        return response
    }
}

extension TimeAmount {
    /// For `Retry-After`, which has whole seconds: at least 1.
    var secondsRoundedUp: Int64 {
        max(1, (nanoseconds + 999_999_999) / 1_000_000_000)
    }
}
