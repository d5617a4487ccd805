package import GraphQL
package import NIOCore
package import NIOHTTP1

/// A request that the server rejects, and the reason.
///
/// The messages for clients are in the extension in the other file.
package enum HTTPError: Error, Equatable, Sendable {
    // The message itself
    case malformed(MalformedMessage)
    case unsupportedVersion
    case unsupportedMethod
    case uriTooLong(limit: Int)
    case headersTooLarge(limit: Int)
    case tooManyFields(limit: Int)
    case bodyTooLarge(limit: Int)
    case unsupportedTransferEncoding
    case expectationFailed(String)
    case slow(Part, limit: TimeAmount)

    // The client and the host of the request
    /// The request is for a host that is not one of this server.
    case unknownHost(String)
    /// The browser sends the request for a page of another site; the value is its origin, if the browser
    /// sends it.
    case foreignOrigin(String?)

    // The path does not exist.
    case unknownPath(String)
    case methodNotAllowed(HTTPMethod, allowed: [HTTPMethod])
    case unsupportedMediaType(String?)
    case unsupportedContentEncoding(String)
    case notAcceptable(String, offered: [ResponseMediaType] = [.graphQLResponse, .json])
    case severalResponses
    case unauthorized(AuthenticationError)
    case tokenInURL(parameter: String)
    case invalidParameter(String, reason: String)
    case invalidRequest(RequestBodyError)
    case document(DocumentError)
    case webSocketVersion
    case webSocketKey
    // GraphQL over Server-Sent Events, "Single connection mode"
    case unknownEventStream
    case eventStreamIsOpen
    case missingOperationID
    case operationExists(String)

    // The server
    case overloaded(Overload)
    /// A rate limit was exceeded: of all requests, or of those that `of` names, such as "requests for
    /// exports".
    case tooManyRequests(Sender, of: String = "requests", after: Duration)
    case responseTimeout(limit: TimeAmount)
    /// The server is shutting down, and the request was not started.
    case shuttingDown
    /// The server is shutting down, and the request was started and not finished within the grace period.
    case aborted(limit: TimeAmount)
    case internalError

    /// The defect of a malformed message.
    package enum MalformedMessage: Hashable, Sendable {
        case syntax(String)
        case target
        case host
        case hostName
        /// The target and the Host field name different hosts.
        case severalHosts
        case framing
        /// There are too many bytes between the parts of a body.
        case padding(limit: Int)
        case repeatedField(String)
    }

    /// The resource that is used up, or not available.
    package enum Overload: Hashable, Sendable {
        case database
        case connections
        case connectionsOfAddress
        case requestsInFlight
        case requestMemory
        case responseMemory
        /// Responses of mutations have a limit of their own.
        case mutationMemory
        case streams
        case streamMemory
        case pipelinedRequests(limit: Int)
        case operationsOfSocket(limit: Int)
        case streamsOfClient(limit: Int)
        case socketsOfClient(limit: Int)
    }

    /// The unit for which requests are counted.
    package enum Sender: String, Hashable, Sendable {
        case address
        case token
        /// The user of the session.
        case user
        /// All clients together.
        case everyone
    }

    /// The part of a request that took too long.
    package enum Part: String, Hashable, Sendable {
        case head
        case body
    }
}

/// `extensions.code` of a request that the server rejects.
///
/// The errors of fields have the codes of the service's schema, and those of operations that are too large
/// the codes of `OperationLimit`.
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
    case conflict = "CONFLICT"
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
        // It is a step of its protocol and not a failure: clients that accept only the status 200 then send
        // the text.
        case .persistedQueryNotFound: .ok
        case .persistedQueryNotSupported, .documentNotFound, .documentNotTrusted, .badRequest: .badRequest
        case .unauthenticated: .unauthorized
        case .originNotAllowed: .forbidden
        case .notFound: .notFound
        case .methodNotAllowed: .methodNotAllowed
        case .conflict: .conflict
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

extension HTTPError {
    /// The message for users: the error and the remedy.
    package var message: String {
        switch self {
        case .malformed(let malformation): malformation.message
        case .unsupportedVersion: "Only HTTP/1.1 and HTTP/1.0 are spoken here."
        case .unsupportedMethod: "The method is none that is known here; use GET, HEAD or POST."
        case .uriTooLong(let limit):
            "The URL is longer than \(limit) bytes. Send the request with POST, its parameters in a JSON body."
        case .headersTooLarge(let limit):
            "The header fields are longer than \(limit) bytes."
        case .tooManyFields(let limit): "A request has at most \(limit) header fields."
        case .bodyTooLarge(let limit): "The body is longer than \(limit) bytes."
        case .unsupportedTransferEncoding: "The only transfer coding that is understood is \"chunked\"."
        case .expectationFailed(let text):
            "The expectation \"\(text.shortened(toBytes: 80))\" is not \"100-continue\"."
        case .slow(let part, let limit):
            "The request's \(part.rawValue) took longer than \(limit.seconds) seconds to arrive."
        case .unknownHost(let host):
            "This server does not accept the host \"\(host.shortened(toBytes: 100))\". Use an address that it listens on, or add the name "
                + "to its setting \"hosts\"."
        case .foreignOrigin(nil):
            "Pages of other sites may not send this request. Open the address directly, or add the site to "
                + "PORTICO_CORS_ORIGINS of the server."
        case .foreignOrigin(let origin?):
            "Pages of \"\(origin.shortened(toBytes: 100))\" may not send this request. Add the site to PORTICO_CORS_ORIGINS of "
                + "the server, or its name to PORTICO_HOSTS if it is the server's own."
        case .unknownPath(let path):
            "Nothing is at \"\(path.shortened(toBytes: 100))\". The endpoint is \"/graphql\"."
        case .methodNotAllowed(let method, let allowed):
            "\(method.rawValue) is not allowed here; use \(allowed.list(conjunction: "or"))."
        case .unsupportedMediaType(nil):
            "The request has no Content-Type. Send \"Content-Type: application/json\"."
        case .unsupportedMediaType(let type?):
            "The Content-Type \"\(type.shortened(toBytes: 80))\" is not supported. Send \"application/json\" in UTF-8."
        case .unsupportedContentEncoding(let coding):
            "The Content-Encoding \"\(coding.shortened(toBytes: 80))\" is not supported. Send the body as it is."
        case .notAcceptable(let accept, let offered):
            "No response is possible in \"\(accept.shortened(toBytes: 100))\". Accept "
                + offered.map { "\"\($0.name)\"" }.joined(separator: " or ") + "."
        case .severalResponses:
            "A subscription has several responses. Accept \"text/event-stream\" or "
                + "\"multipart/mixed;subscriptionSpec=1.0\", or open a WebSocket."
        case .unauthorized(let refusal): refusal.message
        case .tokenInURL(let parameter):
            "The parameter \"\(parameter)\" looks like a token, and URLs are kept in histories and logs. "
                + "Send \"Authorization: Bearer <token>\" instead, and replace a token that was sent so."
        case .invalidParameter(let name, let reason):
            "The URL's parameter \"\(name.shortened(toBytes: 80))\" \(reason)."
        case .invalidRequest(.batchNotAllowed):
            RequestBodyError.batchNotAllowed.message
                + " With `portico serve`, the setting \"batch\" is the largest number of requests in an array."
        case .invalidRequest(let error): error.message
        case .document(let problem): problem.message
        case .webSocketVersion: "WebSockets are spoken in version 13 only."
        case .webSocketKey: "Sec-WebSocket-Key must be 16 bytes in base64."
        case .unknownEventStream:
            "There is no event stream with this token. Reserve one with PUT, and open it within 30 seconds."
        case .eventStreamIsOpen:
            "The event stream is open on another connection. Reserve another one with PUT."
        case .missingOperationID:
            "The request has no id of an operation. Send a string of 1 to 256 bytes: POST has it in "
                + "`extensions.operationId`, DELETE in the URL's parameter \"operationId\"."
        case .operationExists(let id):
            "An operation with the id \"\(id)\" is running on this event stream. Use another id, or stop that one."
        case .overloaded(let overload): overload.message
        case .tooManyRequests(let sender, let requests, let delay):
            "Too many \(requests) come \(sender.origin). Try again in \(delay.secondsRoundedUp) seconds."
        case .responseTimeout(let limit): "The response took longer than \(limit.seconds) seconds."
        case .shuttingDown:
            "The server is shutting down and did not start the request. Send it again in a moment."
        case .aborted(let limit):
            "The server is shutting down, and did not finish the request within \(limit.seconds) seconds. A query "
                + "can be sent again; after a mutation, check first whether it took effect."
        case .internalError: "Internal server error"
        }
    }
}

extension HTTPError.MalformedMessage {
    fileprivate var message: String {
        switch self {
        case .syntax(let reason): "The request is no HTTP: \(reason)."
        case .target: "The request's target is neither a path nor a URL."
        case .host: "A request has exactly one Host field."
        case .hostName: "The Host field names no host; it has the form \"example.com:8080\"."
        case .severalHosts:
            """
            A request names one host: that of its target, and :authority in HTTP/2, must equal its Host field. Send one \
            of them.
            """
        case .framing: "A request has Content-Length or Transfer-Encoding, never both, and each once."
        case .padding(let limit):
            "Extensions of chunks, or a trailer, are longer than \(limit) bytes."
        case .repeatedField(let name): "The field \"\(name)\" may stand only once in a request."
        }
    }
}

extension HTTPError.Overload {
    fileprivate var message: String {
        switch self {
        case .database: "The database of users is not available. Try again later, with the same token."
        case .connections: "Too many connections are open. Try again in a moment."
        case .connectionsOfAddress:
            "Too many connections are open from your address. Send many requests on one of them."
        case .requestsInFlight: "Too many requests are being processed. Try again in a moment."
        case .requestMemory:
            "The requests that are being received take too much memory. Try again in a moment, or send a shorter request."
        case .responseMemory:
            "The responses that wait for their clients take too much memory. Read responses faster, or request less at a time."
        case .mutationMemory:
            """
            The mutation was run, but the responses that wait for their clients take too much memory for its response. Check \
            first whether it took effect.
            """
        case .streams: "Too many responses are being streamed. Try again in a moment."
        case .streamMemory:
            "The running operations take too much memory. Try again in a moment, or send a shorter document."
        case .pipelinedRequests(let limit):
            "More than \(limit) requests were sent without waiting for a response. Send fewer at a time."
        case .operationsOfSocket(let limit):
            "A WebSocket or an event stream may have \(limit) operations at a time. Complete one of them, or open another one."
        case .streamsOfClient(let limit):
            "A client may have \(limit) streams at a time, operations of its WebSockets included. Complete one of them."
        case .socketsOfClient(let limit):
            "A client may have \(limit) WebSockets at a time. Close one of them, or use one for several operations."
        }
    }
}

extension HTTPError.Sender {
    fileprivate var origin: String {
        switch self {
        case .address: "from your address"
        case .token: "with your token"
        case .user: "from this user"
        case .everyone: "from all clients together"
        }
    }
}

extension TimeAmount {
    /// The seconds for messages: an integer if possible, otherwise a fraction.
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
