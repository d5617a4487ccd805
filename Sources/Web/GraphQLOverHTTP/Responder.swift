import GraphQL
import Tracing

/// A service for one request, its session found and its type erased, so that connections need not be generic.
struct Responder: Sendable {
    /// Whom public answers are shared with; nil shares none.
    let audience: [String]?
    /// Whether the session has not ended meanwhile.
    let isValid: @Sendable () -> Bool
    let respond: @Sendable (GraphQL.Request, RequestCircumstances) -> Loading<GraphQL.Response>
    let subscribe:
        @Sendable (GraphQL.Request, RequestCircumstances) async -> Result<ResponseStream, RefusedSubscription>
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
    var responder: @Sendable (_ bearerToken: String?) -> Result<Responder, Unauthorized> {
        { [session, audience, isValid, respond, subscribe] token in
            session(token).map { session in
                Responder(
                    audience: audience(session),
                    isValid: { isValid(session) },
                    respond: { request, circumstances in
                        respond(request, RequestContext(session: session, circumstances))
                    },
                    subscribe: { request, circumstances in
                        await subscribe(request, RequestContext(session: session, circumstances))
                    })
            }
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
