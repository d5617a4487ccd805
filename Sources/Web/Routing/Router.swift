import GraphQL
package import Logging
import NIOHTTP1
import Synchronization

/// The routes by path.
package struct Router: Sendable {
    private var routes: [String: any Route]
    let crossSite: CrossSitePolicy
    private let quota: ClientRateLimits
    private let refusals: RefusedOriginLog

    /// The routes of a service, and others beside them, by their paths; theirs take precedence.
    package init(
        _ service: GraphQLService, _ configuration: ServerConfiguration, _ load: ServerResources,
        others: [String: any Route] = [:], logger: Logger
    ) {
        crossSite = CrossSitePolicy(hosts: configuration.hosts, cors: configuration.cors)
        quota = load.quota
        refusals = RefusedOriginLog(logger)
        let health = HealthRoute(readiness: service.readiness)
        let schema = SchemaRoute(service.schemaText)
        let graphQL = GraphQLRoute(service, configuration, load, logger, hasStartPage: others["/"] != nil)
        routes = [
            "/graphql": graphQL,
            "/health/live": ReadOnlyRoute { _ in health.liveness },
            "/health/ready": ReadOnlyRoute {
                health.readiness(isStopping: $0 || load.connections.isStopping)
            },
            "/metrics": MetricsRoute(audience: configuration.metricsAudience) { [metrics = service.metrics] in
                load.families + metrics()
            },
        ]
        if let tools = service.tools {
            routes["/mcp"] = ToolsRoute(
                tools, over: graphQL, showsSchema: configuration.showsSchema, service.toolsResource)
            if let resource = service.toolsResource {
                for path in ProtectedResource.paths {
                    routes[path] = ProtectedResourceRoute(resource: resource)
                }
            }
        }
        if configuration.showsSchema { routes["/schema.graphql"] = ReadOnlyRoute { _ in schema.response } }
        routes.merge(others) { _, other in other }
    }

    /// The routes of the admin port of a server, and others beside them, by their paths; theirs take precedence.
    init(
        adminOf server: ServerState, _ service: GraphQLService, hosts: HostPolicy, quota: ClientRateLimits,
        others: [String: any Route]
    ) {
        crossSite = CrossSitePolicy(hosts: hosts, cors: CORSPolicy())
        self.quota = quota
        refusals = RefusedOriginLog(server.logger)
        let health = HealthRoute(readiness: service.readiness)
        let load = server.load
        routes = [
            "/health/live": ReadOnlyRoute { _ in health.liveness },
            "/health/ready": ReadOnlyRoute {
                health.readiness(isStopping: $0 || load.connections.isStopping)
            },
            "/metrics": MetricsRoute(audience: .everyone) { [metrics = service.metrics] in
                load.families + metrics()
            },
            "/debug/memory": ReadOnlyRoute { [caches = service.caches] _ in
                ProcessMemory.current.response(with: caches())
            },
        ]
        routes.merge(others) { _, other in other }
    }

    /// The path if it has a route; all other paths share one label in metrics.
    func label(for path: String) -> String {
        routes[path] == nil ? "(none)" : path
    }

    /// The paths whose requests do not count against the limits of rates: refused checks would stop the server.
    private static let healthPaths: Set<String> = ["/health/live", "/health/ready"]
    /// The paths that are served while the server shuts down, for monitoring.
    private static let monitoringPaths = healthPaths.union(["/metrics", "/debug/memory"])

    /// Passes a request's head to the route at its path.
    ///
    /// - Parameters:
    ///   - head: The request.
    ///   - id: Its id.
    ///   - isDraining: Whether the server is shutting down, and accepts no new requests.
    /// - Returns: The handler of the request, or its refusal.
    package func admit(
        _ head: RequestHead, id: RequestID, isDraining: Bool = false
    ) -> Result<RequestHandler, RequestRejection> {
        let path = String(head.target.path)
        do throws(HTTPError) {
            try crossSite.checkHost(of: head)
            if isDraining, !Router.monitoringPaths.contains(path) { throw .shuttingDown }
            guard let route = routes[path] else { throw .unknownPath(path) }
            if head.isPreflight {
                guard crossSite.cors.allowed(head.fields.origin) != nil else {
                    throw .foreignOrigin(head.fields.origin)
                }
                return .success { [crossSite] _, _ in .ready(crossSite.cors.preflight) }
            }
            try crossSite.checkOrigin(
                of: head, includesPOST: route.checksOriginOfPOST, isPage: route is ReadOnlyRoute)
            // Requests that are refused above do not count, because their refusal costs as little as RATE_LIMITED.
            // Preflights do not count, because browsers do not show a page why one is refused.
            if !Router.healthPaths.contains(path) { try quota.charge(head.client) }
            return route.admit(head, id: id)
        } catch {
            if case .foreignOrigin(let origin?) = error { refusals.record(origin) }
            let type = ContentNegotiation.responseType(accept: head.fields.accept) ?? .json
            return .failure(RequestRejection(error, as: type, id: id))
        }
    }
}

/// Logs each origin whose pages were refused once, because browsers do not show a page the reason.
private final class RefusedOriginLog: Sendable {
    /// The most origins that are logged.
    private static let limit = 100
    private let logger: Logger
    // Refusals come on any thread.
    private let seen = Mutex<Set<String>>([])

    init(_ logger: Logger) { self.logger = logger }

    func record(_ origin: String) {
        let origin = origin.shortened(toBytes: 100)
        let isNew = seen.withLock { $0.count < Self.limit && $0.insert(origin).inserted }
        guard isNew else { return }
        logger.notice(
            "A page of another site was refused; PORTICO_CORS_ORIGINS can allow it",
            metadata: ["origin": "\(origin)"])
    }
}

extension RequestHead {
    /// Whether the request is a CORS preflight (Fetch standard, "CORS-preflight request").
    fileprivate var isPreflight: Bool {
        method == .OPTIONS && fields.origin != nil && fields.requestedMethod != nil
    }
}
