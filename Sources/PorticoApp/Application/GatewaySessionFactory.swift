import Brokerage
import Coordination
import Gateway
import GraphQL
import Logging
import OpenIDConnect
import Storage
import Upstream
import Web

/// What executes the requests of all sessions: the schema, the services and the limits of calls to providers.
final class GatewaySessionFactory: Sendable {
    fileprivate let schema: ExecutableSchema<RequestScope>
    fileprivate let services: GatewayServices
    fileprivate let sessions: SessionAuthenticator
    private let calls: UpstreamMetrics
    private let tracer: RequestTracer
    private let callsPerOperation: Int
    private let budgets: CallBudgets

    /// - Parameters:
    ///   - schema: Prepares and executes operations.
    ///   - services: What resolvers use.
    ///   - sessions: Returns the sessions of tokens.
    ///   - calls: Counts the calls that were spared.
    ///   - tracer: Continues the traces of requests in calls to providers.
    ///   - callsPerOperation: The most calls to providers that one operation may make.
    ///   - budgets: The budgets of clients without a session or with a guest session.
    init(
        schema: ExecutableSchema<RequestScope>, services: GatewayServices, sessions: SessionAuthenticator,
        calls: UpstreamMetrics, tracer: RequestTracer, callsPerOperation: Int, budgets: CallBudgets
    ) {
        (self.schema, self.services, self.sessions) = (schema, services, sessions)
        (self.calls, self.tracer, self.callsPerOperation) = (calls, tracer, callsPerOperation)
        self.budgets = budgets
    }

    /// The session of a request.
    @Sendable
    func session(ofToken token: String?) -> any GraphQLSession {
        switch sessions.session(token) {
        case .success(let session)?: GatewaySession(session, self)
        case .failure(let error)?:
            GatewaySession(Session(rejectingToken: error.message), tokenRejection: error, self)
        case nil:
            GatewaySession(Session(rejectingToken: "The token is not verified."), self) { [self] in
                await verifiedSession(ofToken: token)
            }
        }
    }

    private func verifiedSession(ofToken token: String?) async -> any GraphQLSession {
        switch await sessions.verdict(on: token) {
        case .accepted(let session): GatewaySession(session, self)
        case .refused(let error, let session): GatewaySession(session, tokenRejection: error, self)
        case .unknown(let outage): GatewaySession(Session(unavailable: outage), self)
        }
    }

    /// The calls that an operation, or one event of a subscription, may make.
    fileprivate func callBudget(_ session: Session, at client: ClientAddress) -> OperationCallBudget {
        session.isLimitedByAddress
            ? budgets.budget(of: ClientOrigin(client), limit: callsPerOperation)
            : OperationCallBudget(limit: callsPerOperation)
    }

    fileprivate func tracing(_ request: RequestContext) -> CallTracing? {
        request.trace.map { CallTracing(tracer, in: $0) }
    }

    /// Records the calls of an operation.
    fileprivate func observer(_ log: UpstreamLog?) -> @Sendable (CallRecord) -> Void {
        { [calls] record in
            let call = UpstreamCall(record)
            log?.record(call)
            // `ProviderMonitor` counts the calls that were made.
            if call.outcome.isSpared { calls.record(call) }
        }
    }
}

/// The session of one token, or of a request without one, for requests to the gateway's schema.
private final class GatewaySession: GraphQLSession {
    let tokenRejection: AuthenticationError?
    let verification: (@Sendable () async -> any GraphQLSession)?
    private let session: Session
    private let factory: GatewaySessionFactory

    init(
        _ session: Session, tokenRejection: AuthenticationError? = nil, _ factory: GatewaySessionFactory,
        verification: (@Sendable () async -> any GraphQLSession)? = nil
    ) {
        (self.session, self.tokenRejection, self.factory) = (session, tokenRejection, factory)
        self.verification = verification
    }

    /// The deadline of an operation.
    private static let timeout = Duration.seconds(20)

    var cacheAudience: [String]? { factory.services.audience(of: session) }
    var user: String? { session.isLimitedByAddress ? nil : session.owner?.text }
    var principal: String? { session.owner?.text }
    var credential: String? { session.bearer?.tokenHash }
    var isValid: Bool { factory.sessions.isValid(session) }
    var scopes: Set<String> { Set(session.scopes.map(\.rawValue)) }

    func onEnd(_ observer: @escaping @Sendable () -> Void) -> (@Sendable () -> Void)? {
        session.validity?.onEnd(observer)
    }

    func execute(_ request: PreparedRequest, in context: RequestContext) -> MaybeAsync<GraphQLResponse> {
        let now = ContinuousClock.now
        let call = CallContext(
            deadline: now + GatewaySession.timeout,
            // Without this condition, an anonymous client could use up the server's quotas.
            notBefore: context.bypassesCache && !session.isLimitedByAddress ? now : nil,
            acceptsMinimumAge: true, observe: factory.observer(context.upstreamLog),
            tracing: factory.tracing(context), callBudget: factory.callBudget(session, at: context.client))
        let gateway = RequestScope(
            session: session, services: factory.services, call: call, client: ClientOrigin(context.client),
            isToolCall: context.isToolCall)
        // An `.async` response is made in a task of the server, which sets the id itself.
        return CurrentRequest.$id.withValue(context.requestID) {
            factory.schema.respond(to: request, context: gateway, allowing: context.allowedOperations)
        }
    }

    func subscribe(
        _ request: PreparedRequest, in context: RequestContext
    ) async -> Result<ResponseStream, SubscriptionError> {
        let (observer, tracing) = (factory.observer(context.upstreamLog), factory.tracing(context))
        // As for an operation with one response.
        let bypassesCache =
            context.bypassesCache && !session.isLimitedByAddress && request.operationType != .subscription
        let notBefore = bypassesCache ? ContinuousClock.now : nil
        let isToolCall = context.isToolCall
        let gateway: @Sendable () -> RequestScope = { [session, factory, client = context.client] in
            RequestScope(
                session: session, services: factory.services,
                call: CallContext(
                    deadline: .now + GatewaySession.timeout, notBefore: notBefore, observe: observer,
                    tracing: tracing, callBudget: factory.callBudget(session, at: client)),
                client: ClientOrigin(client), isToolCall: isToolCall)
        }
        return await factory.schema.subscribe(
            to: request, context: gateway(), in: context.incrementalFormat
        ) { [self] in
            isValid ? gateway() : nil
        }
    }
}

extension ClientOrigin {
    init(_ client: ClientAddress) {
        switch client {
        case .ipv4(let address): self.init(UInt64(address))
        // No network of the Internet begins with 32 zero bits (RFC 4291, section 2.4), so none has the number of an
        // IPv4 address.
        case .ipv6Network(let network): self.init(network)
        // A multicast network, from which no request comes.
        case .localIntermediary: self.init(.max - 1)
        case .unknown: self = .unknown
        }
    }
}

extension UpstreamCall {
    /// The report of a provider's call, for clients and operators.
    init(_ record: CallRecord) {
        self.init(
            provider: record.provider.name.text, call: record.operation, outcome: Outcome(record.outcome),
            start: record.start, duration: record.duration, status: record.status, attempts: record.attempts)
    }
}

extension UpstreamCall.Outcome {
    fileprivate init(_ outcome: CallRecord.Outcome) {
        switch outcome {
        case .cached: self = .cached
        case .stale: self = .stale
        case .coalesced: self = .joined
        case .succeeded: self = .fetched
        case .failed: self = .failed
        }
    }
}

extension ErrorFormatter {
    /// Logs each error whose details clients must not read.
    ///
    /// Such an error may contain secrets, so only its type is logged; of a storage error also the message,
    /// which contains only names of files. The log and the response contain the id of the request.
    init(logger: Logger) {
        self.init(
            maskedExtensions: { error, path in
                let place = path.map { segment in
                    switch segment {
                    case .key(let key): key
                    case .index(let index): String(index)
                    }
                }
                let cause = (error as? StorageError)?.description ?? String(reflecting: type(of: error))
                var metadata: Logger.Metadata = [
                    "path": "\(place.joined(separator: "."))", "error": "\(cause)",
                ]
                var extensions: InputObject = ["code": .string("INTERNAL_SERVER_ERROR")]
                if let id = CurrentRequest.id?.description {
                    metadata["requestID"] = "\(id)"
                    extensions["requestId"] = .string(id)
                }
                logger.error("A field failed", metadata: metadata)
                return extensions
            }, converting: { error in (error as? StorageError).flatMap { FieldError(expected: $0) } })
    }
}
