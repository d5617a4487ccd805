import GraphQL
import Tracing

/// A service for one request, its session found and its type erased, so that connections need not be generic.
struct GraphQLSession: Sendable {
    /// Whom public answers are shared with; nil shares none.
    let audience: [String]?
    /// The user by whom limits count open streams and sockets; nil to count them by address.
    let user: String?
    /// Why the token was refused, so that the request is handled like one without a token; nil if it was not
    /// refused.
    let refusal: AuthenticationError?
    /// Returns whether the token is still valid.
    let isValid: @Sendable () -> Bool
    /// Calls a closure when the token ends; returns a closure that removes it, or nil for a token that does
    /// not end.
    let onEnd: @Sendable (_ observer: @escaping @Sendable () -> Void) -> (@Sendable () -> Void)?
    let respond: @Sendable (PreparedRequest, RequestCircumstances) -> MaybeAsync<GraphQL.GraphQLResponse>
    let subscribe:
        @Sendable (PreparedRequest, RequestCircumstances) async -> Result<ResponseStream, SubscriptionError>
}

/// What a service is told of a request beside its session.
struct RequestCircumstances: Sendable {
    let id: RequestID
    var trace: ServiceContext?
    let allowedOperations: Set<OperationType>
    let demandsFresh: Bool
    let client: ClientAddress
    /// Nil where nobody reads it.
    var upstream: UpstreamLog?
}

extension GraphQLService {
    /// Finds the session of a token, and what answers for it.
    var responder: @Sendable (_ bearerToken: String?) -> GraphQLSession {
        { [session, refusedSession, audience, user, isValid, onEnd, respond, subscribe] token in
            let (session, refusal): (Session, AuthenticationError?) =
                switch session(token) {
                case .success(let session): (session, nil)
                case .failure(let refusal): (refusedSession(refusal), refusal)
                }
            return GraphQLSession(
                audience: audience(session), user: user(session), refusal: refusal,
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
            trace: circumstances.trace, demandsFresh: circumstances.demandsFresh,
            client: circumstances.client, upstream: circumstances.upstream)
    }
}
