package import GraphQL
package import Tracing

/// A session: the rights of a client, and what executes its operations with them.
///
/// A class, because each request holds a reference to its session.
package protocol GraphQLSession: AnyObject, Sendable {
    /// What the public values that the session reads depend on.
    ///
    /// Sessions of the same audience share whole responses until they expire; nil shares none.
    var cacheAudience: [String]? { get }
    /// The user by whom limits count open streams and sockets; nil to count them by address.
    var user: String? { get }
    /// Why the token was refused; nil if it was not refused, and if there is none.
    var tokenRejection: AuthenticationError? { get }
    /// Whether the token is still valid.
    ///
    /// It is read before an operation starts, because the session is looked up when the head of its request
    /// arrives. Streams end with the token.
    var isValid: Bool { get }

    /// Calls a closure when the token ends, at once if it has ended; on any thread.
    ///
    /// - Parameter observer: The closure.
    /// - Returns: A closure that removes the observer; nil for a token that does not end while the process runs.
    func onEnd(_ observer: @escaping @Sendable () -> Void) -> (@Sendable () -> Void)?

    /// Executes an operation, and returns its response.
    ///
    /// A `.ready` response is sent without leaving the event loop. An `.async` one is made in a task that is
    /// cancelled when the client disconnects or the time limit is reached.
    ///
    /// - Parameters:
    ///   - request: The operation.
    ///   - context: The rest of the request. An operation of another type than `allowedOperations` is refused.
    /// - Returns: The response.
    func execute(_ request: PreparedRequest, in context: RequestContext) -> MaybeAsync<GraphQLResponse>

    /// Starts a subscription, or an operation of another type that has one response.
    ///
    /// It is called in a task of its own, which is cancelled when the client disconnects.
    ///
    /// - Parameters:
    ///   - request: The operation.
    ///   - context: The rest of the request.
    /// - Returns: The responses.
    func subscribe(
        _ request: PreparedRequest, in context: RequestContext
    ) async -> Result<ResponseStream, SubscriptionError>
}

/// The defaults of a service without users: no shared responses, a token that does not end, no subscriptions.
extension GraphQLSession {
    package var cacheAudience: [String]? { nil }
    package var user: String? { nil }
    package var tokenRejection: AuthenticationError? { nil }
    package var isValid: Bool { true }

    package func onEnd(_: @escaping @Sendable () -> Void) -> (@Sendable () -> Void)? { nil }

    package func subscribe(
        _: PreparedRequest, in _: RequestContext
    ) async -> Result<ResponseStream, SubscriptionError> {
        .failure(
            SubscriptionError(
                GraphQLResponse(requestErrors: [GraphQLError("Subscriptions are not supported here.")])))
    }
}

/// A request beside its document: its client and session, and how it is to be executed.
///
/// All operations of a WebSocket have copies of the context of its handshake.
package struct RequestContext: Sendable {
    /// For logs and masked errors; clients receive it in `x-request-id`.
    package internal(set) var requestID: RequestID
    /// The address of the client.
    package let client: ClientAddress
    /// The token by which limits count the request; nil without a token, and with a refused one.
    ///
    /// The token of a WebSocket's handshake is checked with the first message, which may contain another one.
    var token: String?
    package internal(set) var session: any GraphQLSession
    /// The formats of the response that the client accepts.
    let accepted: AcceptedResponses
    /// The types of operation that the request may execute: GET executes queries only (GraphQL over HTTP, section
    /// "GET").
    package internal(set) var allowedOperations: Set<OperationType> = [.query, .mutation, .subscription]
    /// Whether the client requests values that are read after its request (`Cache-Control: no-cache`), and has
    /// sent a valid token.
    package internal(set) var bypassesCache = false
    /// Whether responses list the upstream calls that were made for them.
    var reportsUpstream = false
    /// The span of the operation, before that the client's span; nil if the request is not traced.
    package internal(set) var trace: ServiceContext?
    /// Records the upstream calls of the operation; nil if nothing reads them.
    package internal(set) var upstreamLog: UpstreamLog?

    /// The media type of a single response, and of an error before the operation starts.
    var responseType: ResponseMediaType { accepted.single ?? .json }

    /// Whether the token was valid when the head of the request arrived, and has ended since.
    var hasTokenEnded: Bool { token != nil && !session.isValid }

    /// The same context for an execution: in a span, with a log of its own.
    func executing(in span: OperationSpan?, log: UpstreamLog) -> RequestContext {
        var context = self
        context.upstreamLog = log
        if let span { context.trace = span.context }
        return context
    }
}
