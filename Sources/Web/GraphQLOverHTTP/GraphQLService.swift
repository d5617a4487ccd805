package import GraphQL
package import Tracing

/// What the front door stands before: sessions, answers, the schema and readiness, as values.
///
/// All closures are called on event loops and must not block.
package struct GraphQLService<Session: Sendable>: Sendable {
    /// The session of a bearer token, from memory; nil where none was sent.
    package var session: @Sendable (_ bearerToken: String?) -> Result<Session, AuthenticationError>
    /// Returns the session of a request whose token `session` refuses.
    ///
    /// It has the rights of a request without a token, and gives the reason if a field needs more.
    package var rejectedSession: @Sendable (AuthenticationError) -> Session
    /// Returns whether the token of a session is still valid.
    ///
    /// It is called before an operation starts, because the session is looked up when the head of its request arrives.
    /// Streams end with the token.
    package var isValid: @Sendable (Session) -> Bool = { _ in true }
    /// Calls a closure when the token of a session ends, at once if it has ended; on any thread.
    ///
    /// It returns a closure that removes the observer; nil for a token that does not end while the process
    /// runs.
    package var onEnd:
        @Sendable (Session, _ observer: @escaping @Sendable () -> Void) -> (@Sendable () -> Void)? = {
            _, _ in nil
        }
    /// The user of a session, by whom limits count open streams and sockets; nil to count them by address.
    package var user: @Sendable (Session) -> String? = { _ in nil }
    /// Answers a request.
    ///
    /// What is `.ready` goes out without leaving the event loop; what is `.later` runs in a task
    /// that is cancelled when the client goes away or the answer takes too long.
    package var respond: @Sendable (PreparedRequest, RequestContext<Session>) -> MaybeAsync<GraphQLResponse>
    /// Begins a subscription, or any other operation, whose responses come one after the other.
    ///
    /// It is called in a task of its own, which is cancelled when the client goes away.
    package var subscribe:
        @Sendable (PreparedRequest, RequestContext<Session>) async -> Result<
            ResponseStream, SubscriptionError
        > = { _, _ in
            .failure(
                SubscriptionError(
                    GraphQLResponse(requestErrors: [GraphQLError("Subscriptions are not supported here.")])))
        }
    /// Parses and validates the document of a request.
    ///
    /// It is called once for each request, before any step that depends on the document.
    package var prepare: @Sendable (GraphQLRequest) -> PreparedRequest = {
        PreparedRequest(unprepared: $0)
    }
    /// The schema, served at `/schema.graphql`.
    package var schemaText: String
    /// Which documents clients may name, and which may be run.
    package var documents = DocumentPolicy()
    /// What the public values that a session is told depend on: sessions of the same audience share whole answers within
    /// their age; nil shares none.
    package var audience: @Sendable (Session) -> [String]? = { _ in nil }
    /// What `/metrics` tells beside what the front door counts.
    package var metrics: @Sendable () -> [MetricFamily] = { [] }
    /// What goes on with the traces of clients; nil for nothing.
    package var tracer: RequestTracer?
    /// What `/health/ready` says.
    package var readiness: @Sendable () -> Readiness

    package init(
        schemaText: String, readiness: @escaping @Sendable () -> Readiness = { Readiness() },
        session: @escaping @Sendable (_ bearerToken: String?) -> Result<Session, AuthenticationError>,
        rejectedSession: @escaping @Sendable (AuthenticationError) -> Session,
        respond:
            @escaping @Sendable (PreparedRequest, RequestContext<Session>) -> MaybeAsync<
                GraphQLResponse
            >
    ) {
        self.schemaText = schemaText
        self.readiness = readiness
        self.session = session
        self.rejectedSession = rejectedSession
        self.respond = respond
    }
}

/// What is known of a request beside its text.
package struct RequestContext<Session: Sendable>: Sendable {
    package let session: Session
    /// For logs and masked errors; clients see it in `x-request-id`.
    package let id: RequestID
    /// What the request's method may run: GET runs only queries (GraphQL over HTTP, section "GET").
    ///
    /// An operation of another kind must be refused, not run.
    package let allowedOperations: Set<OperationType>
    /// The span that calls are made below; nil where nothing is traced.
    package let trace: ServiceContext?
    /// Whether the client demands values that were read after its request (`Cache-Control: no-cache`), and
    /// has sent a token.
    package let bypassesCache: Bool
    /// Where the request comes from.
    package let client: ClientAddress
    /// Where calls that the operation makes are noted; nil where nobody reads of them.
    package let upstream: UpstreamLog?
}

/// A service for one request, its session found and its type erased, so that connections need not be generic.
struct GraphQLSession: Sendable {
    /// Whom public answers are shared with; nil shares none.
    let audience: [String]?
    /// The user by whom limits count open streams and sockets; nil to count them by address.
    let user: String?
    /// Why the token was refused, so that the request is handled like one without a token; nil if it was not
    /// refused.
    let tokenRejection: AuthenticationError?
    /// Returns whether the token is still valid.
    let isValid: @Sendable () -> Bool
    /// Calls a closure when the token ends; returns a closure that removes it, or nil for a token that does
    /// not end.
    let onEnd: @Sendable (_ observer: @escaping @Sendable () -> Void) -> (@Sendable () -> Void)?
    let respond: @Sendable (PreparedRequest, RequestCircumstances) -> MaybeAsync<GraphQLResponse>
    let subscribe:
        @Sendable (PreparedRequest, RequestCircumstances) async -> Result<ResponseStream, SubscriptionError>
}

/// What a service is told of a request beside its session.
struct RequestCircumstances: Sendable {
    let id: RequestID
    var trace: ServiceContext?
    let allowedOperations: Set<OperationType>
    let bypassesCache: Bool
    let client: ClientAddress
    /// Nil where nobody reads it.
    var upstream: UpstreamLog?
}

extension GraphQLService {
    /// Finds the session of a token, and what answers for it.
    var responder: @Sendable (_ bearerToken: String?) -> GraphQLSession {
        { [session, rejectedSession, audience, user, isValid, onEnd, respond, subscribe] token in
            let (session, refusal): (Session, AuthenticationError?) =
                switch session(token) {
                case .success(let session): (session, nil)
                case .failure(let refusal): (rejectedSession(refusal), refusal)
                }
            return GraphQLSession(
                audience: audience(session), user: user(session), tokenRejection: refusal,
                isValid: { isValid(session) }, onEnd: { onEnd(session, $0) },
                respond: { request, circumstances in
                    respond(request, RequestContext(session: session, circumstances))
                },
                subscribe: { request, circumstances in
                    await subscribe(request, RequestContext(session: session, circumstances))
                })
        }
    }
}

extension RequestContext {
    fileprivate init(session: Session, _ circumstances: RequestCircumstances) {
        self.init(
            session: session, id: circumstances.id, allowedOperations: circumstances.allowedOperations,
            trace: circumstances.trace, bypassesCache: circumstances.bypassesCache,
            client: circumstances.client, upstream: circumstances.upstream)
    }
}
