package import NIOHTTP1

/// `extensions.code` of a request that gets no answer from the service.
///
/// The errors of fields have the codes of the service's schema, and those of operations that are too large the
/// codes of `OperationLimit`.
package enum HTTPErrorCode: String, Sendable, CaseIterable {
    case persistedQueryNotFound = "PERSISTED_QUERY_NOT_FOUND"
    case persistedQueryNotSupported = "PERSISTED_QUERY_NOT_SUPPORTED"
    case documentNotFound = "DOCUMENT_NOT_FOUND"
    case documentNotTrusted = "DOCUMENT_NOT_TRUSTED"
    case badRequest = "BAD_REQUEST"
    case unauthenticated = "UNAUTHENTICATED"
    case originNotAllowed = "ORIGIN_NOT_ALLOWED"
    case notFound = "NOT_FOUND"
    case methodNotAllowed = "METHOD_NOT_ALLOWED"
    case notAcceptable = "NOT_ACCEPTABLE"
    case requestTimeout = "REQUEST_TIMEOUT"
    case payloadTooLarge = "PAYLOAD_TOO_LARGE"
    case uriTooLong = "URI_TOO_LONG"
    case unsupportedMediaType = "UNSUPPORTED_MEDIA_TYPE"
    case hostNotAllowed = "HOST_NOT_ALLOWED"
    case upgradeRequired = "UPGRADE_REQUIRED"
    case rateLimited = "RATE_LIMITED"
    case headersTooLarge = "HEADERS_TOO_LARGE"
    case internalServerError = "INTERNAL_SERVER_ERROR"
    case notImplemented = "NOT_IMPLEMENTED"
    case overloaded = "OVERLOADED"
    case shuttingDown = "SHUTTING_DOWN"
    case requestAborted = "REQUEST_ABORTED"
    case timeout = "TIMEOUT"
    case httpVersionNotSupported = "HTTP_VERSION_NOT_SUPPORTED"

    /// The status of the response.
    package var status: HTTPResponseStatus {
        switch self {
        // A step of its protocol, not a failure: clients that take only 200 for an answer send the text next.
        case .persistedQueryNotFound: .ok
        case .persistedQueryNotSupported, .documentNotFound, .documentNotTrusted, .badRequest: .badRequest
        case .unauthenticated: .unauthorized
        case .originNotAllowed: .forbidden
        case .notFound: .notFound
        case .methodNotAllowed: .methodNotAllowed
        case .notAcceptable: .notAcceptable
        case .requestTimeout: .requestTimeout
        case .payloadTooLarge: .payloadTooLarge
        case .uriTooLong: .uriTooLong
        case .unsupportedMediaType: .unsupportedMediaType
        case .hostNotAllowed: .misdirectedRequest
        case .upgradeRequired: .upgradeRequired
        case .rateLimited: .tooManyRequests
        case .headersTooLarge: .requestHeaderFieldsTooLarge
        case .internalServerError: .internalServerError
        case .notImplemented: .notImplemented
        case .overloaded, .shuttingDown, .requestAborted: .serviceUnavailable
        case .timeout: .gatewayTimeout
        case .httpVersionNotSupported: .httpVersionNotSupported
        }
    }
}
