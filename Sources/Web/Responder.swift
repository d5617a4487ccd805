import GraphQL

/// A service for one request, its session found and its type erased, so that connections need not be generic.
typealias Responder =
    @Sendable (GraphQL.Request, RequestID, Set<OperationType>, _ demandsFresh: Bool) -> Loading<
        GraphQL.Response
    >

extension GraphQLService {
    /// Finds the session of a token, and what answers for it.
    var responder: @Sendable (_ bearerToken: String?) -> Result<Responder, Unauthorized> {
        { [session, respond] token in
            session(token).map { session in
                { request, id, allowedOperations, demandsFresh in
                    respond(
                        request,
                        RequestContext(
                            session: session, id: id, allowedOperations: allowedOperations,
                            demandsFresh: demandsFresh))
                }
            }
        }
    }
}
