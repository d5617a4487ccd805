import GraphQL
import Logging
import NIOHTTP1

/// Knows what stands at which path.
struct Router: Sendable {
    private var routes: [String: any Route]
    private let cors: CORSPolicy

    /// The routes of a service, and others beside them, by their paths; theirs take precedence.
    init<Session>(
        _ service: GraphQLService<Session>, _ configuration: ServerConfiguration, _ load: ServerLoad,
        others: [String: any Route] = [:], logger: Logger
    ) {
        cors = configuration.cors
        let health = HealthRoute(readiness: service.readiness)
        let schema = SchemaRoute(service.schemaText)
        routes = [
            "/graphql": GraphQLRoute(service, configuration, load, logger),
            "/health/live": ReadingRoute { _ in health.liveness },
            "/health/ready": ReadingRoute { health.readiness(isStopping: $0) },
            "/metrics": MetricsRoute(audience: configuration.metricsAudience) { [metrics = service.metrics] in
                load.families + metrics()
            },
        ]
        if configuration.showsSchema { routes["/schema.graphql"] = ReadingRoute { _ in schema.response } }
        routes.merge(others) { _, other in other }
    }

    /// The path, where something stands there; what clients ask for beyond is one and the same to metrics.
    func label(for path: String) -> String {
        routes[path] == nil ? "(none)" : path
    }

    /// Hands a request's head to the route at its path.
    func admit(_ head: RequestHead, id: RequestID) -> Result<Answerer, Refusal> {
        let path = String(head.target.path)
        guard let route = routes[path] else { return .failure(Refusal(.unknownPath(path), id: id)) }
        if head.isPreflight, cors.allowed(head.fields.origin) != nil {
            return .success { [cors] _, _ in .ready(cors.preflight) }
        }
        return route.admit(head, id: id)
    }
}

extension RequestHead {
    /// Whether a browser asks what a page may send (Fetch standard, "CORS-preflight request").
    fileprivate var isPreflight: Bool {
        method == .OPTIONS && fields.origin != nil && fields.requestedMethod != nil
    }
}
