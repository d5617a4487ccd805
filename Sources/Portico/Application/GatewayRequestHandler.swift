import Brokerage
import Gateway
import GraphQL
import Logging
import Storage
import Upstream
import Web

/// Answers requests of the front door with the schema and what stands behind it.
struct GatewayRequestHandler {
    let schema: ExecutableSchema<GatewayContext>
    let services: GatewayServices
    let calls: UpstreamMetrics
    let tracer: RequestTracer
    /// The most calls to providers that one operation may make.
    let callsPerOperation: Int
    /// The budgets of clients without a session or with a guest session.
    let budgets: CallBudgets
    /// Whether a session has not ended meanwhile: what is followed ends with it.
    let isValid: @Sendable (Session) -> Bool

    /// How long an operation may take in all.
    private static let timeout = Duration.seconds(20)

    @Sendable
    func respond(_ request: PreparedRequest, _ front: Web.RequestContext<Session>) -> MaybeAsync<
        GraphQLResponse
    > {
        let now = ContinuousClock.now
        let call = CallContext(
            deadline: now + GatewayRequestHandler.timeout,
            // Without this condition, an anonymous client could use up the server's quotas.
            notBefore: front.bypassesCache && !front.session.isLimitedByAddress ? now : nil,
            acceptsMinimumAge: true,
            observe: observer(noting: front.upstream), tracing: tracing(front), allowance: allowance(front))
        let context = GatewayContext(
            session: front.session, services: services, call: call, origin: ClientOrigin(front.client))
        // What must be waited for runs in a task of the front door's, which knows its request.
        return CurrentRequest.$id.withValue(front.id) {
            schema.respond(to: request, context: context, allowing: front.allowedOperations)
        }
    }

    @Sendable
    func subscribe(
        _ request: PreparedRequest, _ front: Web.RequestContext<Session>
    ) async -> Result<ResponseStream, SubscriptionError> {
        let (observer, tracing) = (observer(noting: front.upstream), tracing(front))
        let context: @Sendable () -> GatewayContext = {
            GatewayContext(
                session: front.session, services: services,
                call: CallContext(
                    deadline: .now + GatewayRequestHandler.timeout, observe: observer, tracing: tracing,
                    allowance: allowance(front)),
                origin: ClientOrigin(front.client))
        }
        return await schema.subscribe(to: request, context: context()) { [isValid] in
            isValid(front.session) ? context() : nil
        }
    }

    /// The calls that an operation, or one event of a subscription, may make.
    private func allowance(_ front: Web.RequestContext<Session>) -> CallAllowance {
        front.session.isLimitedByAddress
            ? budgets.allowance(of: ClientOrigin(front.client), limit: callsPerOperation)
            : CallAllowance(limit: callsPerOperation)
    }

    private func tracing(_ front: Web.RequestContext<Session>) -> CallTracing? {
        front.trace.map { CallTracing(tracer, in: $0) }
    }

    /// Is told of the calls of an operation.
    private func observer(noting log: UpstreamLog?) -> @Sendable (CallRecord) -> Void {
        { [calls] record in
            let call = UpstreamCall(record)
            log?.record(call)
            // Of those that were made all are counted, whoever needed them: see `ProviderMonitor`.
            if call.outcome.isSpared { calls.record(call) }
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
    /// What clients and those who run the server are told of a provider's call.
    init(_ record: CallRecord) {
        self.init(
            provider: record.provider.rawValue, call: record.operation, outcome: Outcome(record.outcome),
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
    /// Tells the log of each error that clients are not to read.
    ///
    /// Such an error may say anything, secrets included: only its type is logged, and of the store what it says itself,
    /// which names files and no more. The log and the client are told the request's id, so that one leads to the other.
    init(logger: Logger) {
        self.init { error, path in
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
        }
    }
}
