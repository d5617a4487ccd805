import GraphQL
import NIOCore
import NIOHTTP1

extension HTTPProblem {
    var status: HTTPResponseStatus {
        switch self {
        case .malformed, .tokenInURL, .invalidParameter, .invalidRequest: .badRequest
        case .unsupportedVersion: .httpVersionNotSupported
        case .uriTooLong: .uriTooLong
        case .headersTooLarge: .requestHeaderFieldsTooLarge
        case .bodyTooLarge: .payloadTooLarge
        case .unsupportedTransferEncoding: .notImplemented
        case .expectationFailed: .expectationFailed
        case .slow: .requestTimeout
        case .unknownPath: .notFound
        case .methodNotAllowed: .methodNotAllowed
        case .unsupportedMediaType, .unsupportedContentEncoding: .unsupportedMediaType
        case .notAcceptable: .notAcceptable
        case .unauthorized: .unauthorized
        case .tooManyConnections, .tooManyRequestsInFlight, .tooManyPipelined: .serviceUnavailable
        case .answerTooSlow: .gatewayTimeout
        case .internalError: .internalServerError
        }
    }

    /// `extensions.code`.
    var code: String {
        switch self {
        case .malformed, .tokenInURL, .invalidParameter, .invalidRequest, .expectationFailed: "BAD_REQUEST"
        case .unsupportedVersion: "HTTP_VERSION_NOT_SUPPORTED"
        case .uriTooLong: "URI_TOO_LONG"
        case .headersTooLarge: "HEADERS_TOO_LARGE"
        case .bodyTooLarge: "PAYLOAD_TOO_LARGE"
        case .unsupportedTransferEncoding: "NOT_IMPLEMENTED"
        case .slow: "REQUEST_TIMEOUT"
        case .unknownPath: "NOT_FOUND"
        case .methodNotAllowed: "METHOD_NOT_ALLOWED"
        case .unsupportedMediaType, .unsupportedContentEncoding: "UNSUPPORTED_MEDIA_TYPE"
        case .notAcceptable: "NOT_ACCEPTABLE"
        case .unauthorized: "UNAUTHENTICATED"
        case .tooManyConnections, .tooManyRequestsInFlight, .tooManyPipelined: "OVERLOADED"
        case .answerTooSlow: "TIMEOUT"
        case .internalError: "INTERNAL_SERVER_ERROR"
        }
    }

    /// For people: what is wrong, and a way out.
    var message: String {
        switch self {
        case .malformed(let malformation): malformation.message
        case .unsupportedVersion: "Only HTTP/1.1 and HTTP/1.0 are spoken here."
        case .uriTooLong(let limit):
            "The URL is longer than \(limit) bytes. Send the request with POST, its parameters in a JSON body."
        case .headersTooLarge(let limit):
            "The URL and the header fields are larger than \(limit) bytes allow."
        case .bodyTooLarge(let limit): "The body is longer than \(limit) bytes."
        case .unsupportedTransferEncoding: "The only transfer coding that is understood is \"chunked\"."
        case .expectationFailed(let text): "The expectation \"\(text)\" is not \"100-continue\"."
        case .slow(let part, let limit):
            "The request's \(part.rawValue) took longer than \(limit.seconds) seconds to arrive."
        case .unknownPath(let path): "Nothing is at \"\(path)\". The endpoint is \"/graphql\"."
        case .methodNotAllowed(let method, let allowed):
            "\(method.rawValue) is not allowed here; use \(allowed.list(conjunction: "or"))."
        case .unsupportedMediaType(nil):
            "The request has no Content-Type. Send \"Content-Type: application/json\"."
        case .unsupportedMediaType(let type?):
            "The Content-Type \"\(type)\" is not supported. Send \"application/json\" in UTF-8."
        case .unsupportedContentEncoding(let coding):
            "The Content-Encoding \"\(coding)\" is not supported. Send the body as it is."
        case .notAcceptable(let accept):
            "Nothing can be answered in \"\(accept)\". Accept \"application/graphql-response+json\" or "
                + "\"application/json\"."
        case .unauthorized(let refusal): refusal.message
        case .tokenInURL(let parameter):
            "The parameter \"\(parameter)\" looks like a token, and URLs are kept in histories and logs. "
                + "Send \"Authorization: Bearer <token>\" instead, and replace a token that was sent so."
        case .invalidParameter(let name, let reason): "The URL's parameter \"\(name)\" \(reason)."
        case .invalidRequest(let error): error.message
        case .tooManyConnections: "Too many connections are open. Try again in a moment."
        case .tooManyRequestsInFlight: "Too many requests are being answered. Try again in a moment."
        case .tooManyPipelined(let limit):
            "More than \(limit) requests were sent without waiting for an answer. Send fewer at a time."
        case .answerTooSlow(let limit): "The answer took longer than \(limit.seconds) seconds."
        case .internalError: "Internal server error"
        }
    }

    /// Header fields that the status asks for.
    var headers: [HTTPResponse.Header] {
        switch self {
        case .methodNotAllowed(_, let allowed):
            [HTTPResponse.Header("allow", allowed.map(\.rawValue).joined(separator: ", "))]
        case .unauthorized(let refusal): [HTTPResponse.Header("www-authenticate", refusal.challenge)]
        case .tooManyConnections, .tooManyRequestsInFlight: [HTTPResponse.Header("retry-after", "1")]
        case .malformed, .unsupportedVersion, .uriTooLong, .headersTooLarge, .bodyTooLarge,
            .unsupportedTransferEncoding, .expectationFailed, .slow, .unknownPath, .unsupportedMediaType,
            .unsupportedContentEncoding, .notAcceptable, .tokenInURL, .invalidParameter, .invalidRequest,
            .tooManyPipelined, .answerTooSlow, .internalError:
            []
        }
    }

    /// Whether nobody can tell where the next request would begin, or the client should not send one.
    private var endsConnection: Bool {
        switch self {
        case .malformed, .unsupportedVersion, .uriTooLong, .headersTooLarge, .bodyTooLarge,
            .unsupportedTransferEncoding, .expectationFailed, .slow, .tooManyConnections, .tooManyPipelined:
            true
        case .unknownPath, .methodNotAllowed, .unsupportedMediaType, .unsupportedContentEncoding,
            .notAcceptable,
            .unauthorized, .tokenInURL, .invalidParameter, .invalidRequest, .tooManyRequestsInFlight,
            .answerTooSlow, .internalError:
            false
        }
    }

    /// The problem in GraphQL's form of errors.
    func response(as type: ResponseMediaType = .json, id: RequestID) -> HTTPResponse {
        let extensions: InputObject = ["code": .string(code), "requestId": .string(id.description)]
        let body = GraphQL.Response(refusing: [GraphQLError(message, extensions: extensions)]).body
        var response = HTTPResponse(status, type.contentType, body: body)
        response.headers = headers
        response.endsConnection = endsConnection
        return response
    }
}

extension HTTPProblem.Malformation {
    fileprivate var message: String {
        switch self {
        case .syntax(let reason): "The request is no HTTP: \(reason)."
        case .target: "The request's target is neither a path nor a URL."
        case .host: "A request has exactly one Host field."
        case .framing: "A request has Content-Length or Transfer-Encoding, never both, and each once."
        case .repeatedField(let name): "The field \"\(name)\" may stand only once in a request."
        }
    }
}

extension TimeAmount {
    /// As messages say it: whole seconds where it is whole, else a fraction.
    fileprivate var seconds: String {
        let (whole, rest) = nanoseconds.quotientAndRemainder(dividingBy: 1_000_000_000)
        return rest == 0 ? "\(whole)" : "\(Double(nanoseconds) / 1e9)"
    }
}

extension [HTTPMethod] {
    /// `GET, HEAD or POST`.
    fileprivate func list(conjunction: String) -> String {
        guard let last, count > 1 else { return first?.rawValue ?? "" }
        return dropLast().map(\.rawValue).joined(separator: ", ") + " \(conjunction) \(last.rawValue)"
    }
}
