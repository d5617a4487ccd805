import GraphQL
import PorticoCore

/// Finds the session of each request by its token, and charges the limit of the token.
struct RequestAuthentication: Sendable {
    /// See `GraphQLService.session`.
    let session: @Sendable (_ bearerToken: String?) -> any GraphQLSession
    let quota: ClientRateLimits
    let tracer: RequestTracer?
    /// Whether responses list upstream calls for clients that request it.
    let allowsUpstreamReports: Bool

    // MARK: - The head

    /// Returns the context of a request, and charges its token, unless it must be verified.
    ///
    /// - Throws: `.unauthorized` for a malformed token, `.tooManyRequests` above the limit of a token.
    func context(
        of head: RequestHead, id: RequestID, accepted: AcceptedResponses
    ) throws(HTTPError) -> RequestContext {
        var context = try uncharged(head, id: id, accepted: accepted)
        guard context.token != nil, context.session.tokenRejection == nil else {
            context.token = nil
            return context
        }
        // A client without a token would use up the server's own quotas.
        context.bypassesCache = head.fields.bypassesCache
        // A token that is not verified counts for its address only: invented tokens would fill the table of tokens, and
        // could use up the limit of another token.
        if context.session.verification == nil { try chargeToken(of: context) }
        return context
    }

    /// Returns the context of a request without a charge of its token.
    ///
    /// - Throws: `.unauthorized` for a malformed token.
    func uncharged(
        _ head: RequestHead, id: RequestID, accepted: AcceptedResponses
    ) throws(HTTPError) -> RequestContext {
        let token: String?
        do throws(AuthenticationError) {
            token = try BearerToken.read(head.fields.authorization)
        } catch {
            throw .unauthorized(error)
        }
        return RequestContext(
            requestID: id, client: head.client, token: token, session: session(token),
            application: ClientApplication(head.fields), accepted: accepted,
            reportsUpstream: allowsUpstreamReports && head.fields.requestsUpstreamReport,
            trace: tracer?.context(of: head.fields))
    }

    // MARK: - The operation

    /// Responds with the present session of the request's token.
    ///
    /// It may have ended since the head arrived: while the body was received, or during earlier requests. The response
    /// waits for a token that must be verified, which is charged then.
    func verified(
        _ context: RequestContext, _ respond: @escaping @Sendable (RequestContext) -> MaybeAsync<HTTPResponse>
    ) -> MaybeAsync<HTTPResponse> {
        let isCharged = context.session.verification == nil
        let context = context.hasTokenEnded ? replacingSession(of: context) : context
        guard context.session.verification != nil else { return respond(context) }
        return .async {
            let context = try await verified(context)
            do throws(HTTPError) {
                if !isCharged { try chargeToken(of: context) }
            } catch {
                return error.response(as: context.responseType, id: context.requestID)
            }
            return try await respond(context).value()
        }
    }

    /// Gives the context of a request whose token has ended the session of a request that arrives now.
    ///
    /// - Parameters:
    ///   - context: The context.
    ///   - keepsSlot: Whether the request keeps its slot of the admission queue, because other operations of it go on.
    /// - Returns: The context.
    /// - Throws: `CancellationError` if the request was cancelled meanwhile.
    func renewed(_ context: RequestContext, keepsSlot: Bool = false) async throws -> RequestContext {
        try await verified(replacingSession(of: context), keepsSlot: keepsSlot)
    }

    /// Charges an operation of a WebSocket, or a further one of a batch, whose first one was charged with the head.
    func charge(_ context: RequestContext) throws(HTTPError) {
        try quota.charge(context.client)
        try chargeToken(of: context)
    }

    private func chargeToken(of context: RequestContext) throws(HTTPError) {
        if let credential = context.credential {
            try quota.charge(credential: credential, from: context.client)
        }
    }

    /// The context with the session of a token that had to be verified.
    ///
    /// The request has no slot of the admission queue during the verification, which can wait for the keys of an identity
    /// provider.
    private func verified(_ context: RequestContext, keepsSlot: Bool = false) async throws -> RequestContext {
        guard let verify = context.session.verification else { return context }
        let session = keepsSlot ? await verify() : await AdmissionSlot.released { await verify() }
        try Task.checkCancellation()
        return context.replacing(session)
    }

    private func replacingSession(of context: RequestContext) -> RequestContext {
        context.replacing(session(context.token))
    }
}

extension RequestContext {
    fileprivate func replacing(_ session: any GraphQLSession) -> RequestContext {
        var context = self
        context.session = session
        if session.tokenRejection != nil { (context.token, context.bypassesCache) = (nil, false) }
        return context
    }
}
