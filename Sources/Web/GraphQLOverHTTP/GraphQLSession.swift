package import GraphQL
package import Tracing

/// A session: the rights of a client, with which its operations are executed.
///
/// A class, because each request holds a reference to its session.
package protocol GraphQLSession: AnyObject, Sendable {
    /// The values on which the public values of the session depend.
    ///
    /// Sessions of the same audience share whole responses until they expire; with nil no response is
    /// shared. An empty list is the audience of clients without a session, whose responses caches outside of the server may
    /// share, too.
    var cacheAudience: [String]? { get }
    /// The user for whom limits count open streams and WebSockets; nil to count by address.
    ///
    /// Guests have none, so it does not say whose the session is: see ``principal``.
    var user: String? { get }
    /// Identifies the user to whom the session belongs, also a guest; nil without a user.
    var principal: String? { get }
    /// The reason why the token was rejected; nil if it was accepted or if there is none.
    var tokenRejection: AuthenticationError? { get }
    /// Identifies the token for its rate limit, whichever of its texts a request has; nil for a token with one text.
    var credential: String? { get }
    /// The scopes of the session, as `@requires` names them.
    var scopes: Set<String> { get }
    /// True if the token is still valid.
    ///
    /// It is read before an operation starts, because the session is looked up when the head of its request
    /// arrives. Streams end with the token.
    var isValid: Bool { get }

    /// Verifies the token, and returns its session; nil if this is the session.
    ///
    /// A token of another issuer can need calls before its session is known. The request waits for them after its body
    /// was received; until then its session has the rights of a request without a token.
    var verification: (@Sendable () async -> any GraphQLSession)? { get }

    /// Calls a closure when the token ends, immediately if it has ended; on any thread.
    ///
    /// - Parameter observer: The closure.
    /// - Returns: A closure that removes the observer; nil for a token that does not end while the process
    ///   runs.
    func onEnd(_ observer: @escaping @Sendable () -> Void) -> (@Sendable () -> Void)?

    /// Executes an operation, and returns its response.
    ///
    /// A `.ready` response is sent without leaving the event loop. An `.async` one is produced in a task
    /// that is cancelled when the client disconnects or the time limit is reached.
    ///
    /// - Parameters:
    ///   - request: The operation.
    ///   - context: The rest of the request. An operation whose type is not in `allowedOperations` is
    ///     rejected.
    /// - Returns: The response.
    func execute(_ request: PreparedRequest, in context: RequestContext) -> MaybeAsync<GraphQLResponse>

    /// Starts a subscription, or an operation of another type that has one response.
    ///
    /// It is called in a separate task, which is cancelled when the client disconnects.
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
    package var principal: String? { user }
    package var tokenRejection: AuthenticationError? { nil }
    package var credential: String? { nil }
    package var scopes: Set<String> { [] }
    package var isValid: Bool { true }
    package var verification: (@Sendable () async -> any GraphQLSession)? { nil }

    package func onEnd(_: @escaping @Sendable () -> Void) -> (@Sendable () -> Void)? { nil }

    package func subscribe(
        _: PreparedRequest, in _: RequestContext
    ) async -> Result<ResponseStream, SubscriptionError> {
        .failure(
            SubscriptionError(
                GraphQLResponse(requestErrors: [GraphQLError("Subscriptions are not supported here.")])))
    }
}

/// The properties of a request other than its document: client, session, and conditions of the execution.
///
/// Each operation of a WebSocket has a copy of the context of the handshake.
package struct RequestContext: Sendable {
    /// The id for logs and masked errors; clients receive it in `x-request-id`.
    package internal(set) var requestID: RequestID
    package let client: ClientAddress
    /// The token whose quota the request uses; nil if it was rejected or missing.
    ///
    /// The token of a WebSocket's handshake is checked with the first message, which may contain another
    /// one.
    var token: String?
    package internal(set) var session: any GraphQLSession
    /// The application that sends the request; nil if it does not identify itself.
    package internal(set) var application: ClientApplication?
    /// The formats of the response that the client accepts.
    let accepted: AcceptedResponses
    /// The operation types that the request may execute: GET executes queries only (GraphQL over HTTP,
    /// section "GET").
    package internal(set) var allowedOperations: Set<OperationType> = [.query, .mutation, .subscription]
    /// Whether the operation is a tool of the Model Context Protocol.
    package internal(set) var isToolCall = false
    /// True if the client requests values read after its request (`Cache-Control: no-cache`), and has sent a
    /// valid token.
    package internal(set) var bypassesCache = false
    /// The format of the payloads of an operation with `@defer` or `@stream`; nil for one complete response.
    package internal(set) var incrementalFormat: IncrementalFormat?
    /// True if responses list the upstream calls that were made for them.
    var reportsUpstream = false
    /// The span of the operation, or the client's span before it starts; nil if the request is not traced.
    package internal(set) var trace: ServiceContext?
    /// The log of the operation's upstream calls; nil if no component reads it.
    package internal(set) var upstreamLog: UpstreamLog?

    /// The media type of a single response, and of an error before the operation starts.
    var responseType: ResponseMediaType { accepted.single ?? .json }

    /// Identifies the token whose quota the request uses; nil if it was rejected or missing.
    var credential: String? { token.map { session.credential ?? $0 } }

    /// True if the token was valid when the head of the request arrived, and has ended since.
    var hasTokenEnded: Bool { token != nil && !session.isValid }

    /// Returns the context for an execution: with the operation's span and log.
    func executing(in span: OperationSpan?, log: UpstreamLog) -> RequestContext {
        var context = self
        context.upstreamLog = log
        if let span { context.trace = span.context }
        return context
    }
}
