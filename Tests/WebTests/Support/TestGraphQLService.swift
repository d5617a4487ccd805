import GraphQL
import Web

/// A service whose sessions have names, and whose parts can be replaced by a test.
struct TestGraphQLService: Sendable {
    var schemaText = ""
    var readiness: @Sendable () -> Readiness = { Readiness() }
    /// The name of the session of a token.
    var session: @Sendable (_ token: String?) -> Result<String, AuthenticationError> = { token in
        switch token {
        case nil: .success("anonymous")
        case "good": .success("somebody")
        case .some: .failure(.invalidToken("The token is unknown or has expired."))
        }
    }
    /// Whether the session of a token is known only after its verification.
    var mustVerify: @Sendable (_ token: String) -> Bool = { _ in false }
    var isValid: @Sendable (String) -> Bool = { _ in true }
    var onEnd: @Sendable (String, _ observer: @escaping @Sendable () -> Void) -> (@Sendable () -> Void)? = {
        _, _ in nil
    }
    var user: @Sendable (String) -> String? = { _ in nil }
    var principal: @Sendable (String) -> String? = { _ in nil }
    /// The text that is the same for all tokens of a session; nil if each token has a limit of its own.
    var credential: @Sendable (String) -> String? = { _ in nil }
    var audience: @Sendable (String) -> [String]? = { _ in nil }
    var respond: @Sendable (PreparedRequest, RequestContext) -> MaybeAsync<GraphQLResponse>
    var subscribe:
        @Sendable (PreparedRequest, RequestContext) async -> Result<ResponseStream, SubscriptionError> = {
            _, _ in .failure(SubscriptionError(GraphQLResponse(requestErrors: [])))
        }
    var prepare: @Sendable (GraphQLRequest) -> PreparedRequest = { PreparedRequest(unprepared: $0) }
    var documents = DocumentPolicy()
    var metrics: @Sendable () -> [MetricFamily] = { [] }
    var tracer: RequestTracer?

    /// The service for a server.
    var service: GraphQLService {
        var service = GraphQLService(schemaText: schemaText, readiness: readiness) { token in
            guard let token, mustVerify(token) else { return session(of: token) }
            return TestSession("unverified", tokenRejection: nil, self) { session(of: token) }
        }
        (service.prepare, service.documents, service.metrics) = (prepare, documents, metrics)
        service.tracer = tracer
        return service
    }

    private func session(of token: String?) -> TestSession {
        switch session(token) {
        case .success(let name): TestSession(name, tokenRejection: nil, self)
        case .failure(let error): TestSession("refused", tokenRejection: error, self)
        }
    }
}

private final class TestSession: GraphQLSession {
    let name: String
    let tokenRejection: AuthenticationError?
    let verification: (@Sendable () async -> any GraphQLSession)?
    private let service: TestGraphQLService

    init(
        _ name: String, tokenRejection: AuthenticationError?, _ service: TestGraphQLService,
        verification: (@Sendable () async -> any GraphQLSession)? = nil
    ) {
        (self.name, self.tokenRejection, self.service) = (name, tokenRejection, service)
        self.verification = verification
    }

    var cacheAudience: [String]? { service.audience(name) }
    var user: String? { service.user(name) }
    var principal: String? { service.principal(name) }
    var credential: String? { service.credential(name) }
    var isValid: Bool { service.isValid(name) }

    func onEnd(_ observer: @escaping @Sendable () -> Void) -> (@Sendable () -> Void)? {
        service.onEnd(name, observer)
    }

    func execute(_ request: PreparedRequest, in context: RequestContext) -> MaybeAsync<GraphQLResponse> {
        service.respond(request, context)
    }

    func subscribe(
        _ request: PreparedRequest, in context: RequestContext
    ) async -> Result<ResponseStream, SubscriptionError> {
        await service.subscribe(request, context)
    }
}

extension RequestContext {
    /// The name of a test's session.
    var sessionName: String { (session as? TestSession)?.name ?? "" }
}
