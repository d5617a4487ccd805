package import GraphQL
package import NIOCore
package import NIOHTTP1

/// A request that gets no answer from the service, and why.
///
/// What clients read stands in the extension beside it.
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

    // What is asked for, and how
    case unknownPath(String)
    case methodNotAllowed(HTTPMethod, allowed: [HTTPMethod])
    case unsupportedMediaType(String?)
    case unsupportedContentEncoding(String)
    case notAcceptable(String)
    case severalResponses
    case unauthorized(AuthenticationError)
    case tokenInURL(parameter: String)
    case invalidParameter(String, reason: String)
    case invalidRequest(RequestBodyError)
    case document(DocumentError)
    case webSocketVersion
    case webSocketKey

    // The server
    case overloaded(Overload)
    /// A limit is reached: of all requests, or of those that `of` names, such as "requests for exports".
    case tooManyRequests(Sender, of: String = "requests", after: TimeAmount)
    case answerTooSlow(limit: TimeAmount)
    /// The server is shutting down, and the request was not started.
    case shuttingDown
    /// The server is shutting down, and the request was started and not finished within the grace period.
    case aborted(limit: TimeAmount)
    case internalError

    /// What is wrong with the form of a message.
    package enum MalformedMessage: Hashable, Sendable {
        case syntax(String)
        case target
        case host
        case hostName
        case framing
        /// More stands between the parts of a body than belongs there.
        case padding(limit: Int)
        case repeatedField(String)
    }

    /// What there is too much of.
    package enum Overload: Hashable, Sendable {
        case connections
        case connectionsOfAddress
        case requestsInFlight
        case requestMemory
        case responseMemory
        case streams
        case streamMemory
        case pipelinedRequests(limit: Int)
        case operationsOfSocket(limit: Int)
        case streamsOfClient(limit: Int)
        case socketsOfClient(limit: Int)
    }

    /// By what those who send requests are told apart.
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
