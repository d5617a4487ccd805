import Contract
import Coordination
import Gateway
import GraphQL
import Logging
import OpenIDConnect
import Storage
import Upstream
import Web

/// The HTTP server of the application, with its service, its routes and its admin port.
struct ApplicationServer {
    let server: HTTPServer
    /// The server of health and metrics on another port; nil without one.
    let admin: HTTPServer?
    /// Counts the uses of the schema; nil if they are not counted.
    let schemaUse: SchemaUseCounter?
    let startupMessage: StartupMessageService

    /// Opens the listeners.
    ///
    /// - Throws: `ServerStartError`, and the error of a setting that is wrong.
    init(
        _ settings: ServeSettings, _ stores: DataStores, _ parts: ApplicationDependencies,
        calls: UpstreamMetrics, spans: SpanExporter?, alerts: AlertEvaluation, logger: Logger
    ) async throws {
        let http = settings.httpServer
        var options = http.executionOptions
        options.errorPresenter = ErrorFormatter(logger: logger)
        let schema = try ExecutableSchema(contract: Contract.schemaText, as: http.subgraph, options: options)
        let schemaUse = stores.schemaUse.map {
            SchemaUseCounter(of: schema.schema, storingIn: $0, logger: logger)
        }
        var service = try GraphQLService(
            schema, settings, parts, calls: calls, tracer: RequestTracer(exporting: spans))
        service.readiness = { Readiness(stores, parts.condition) }
        service.metrics = { [services = parts.services, condition = parts.condition] in
            calls.families + condition.families + stores.families + [
                .reusedDocuments(schema.reusedDocuments), .parsedDocuments(schema.parsedDocuments),
                .build, .connections(services.connectionCount), .quoteFeeds(services.quoteFeedCount),
            ] + MetricFamily.alerts(services.alertCounts, users: alerts.userCount)
                + MetricFamily.caches(services.cacheMemory) + (spans?.families ?? [])
                + stores.coordination.families
        }
        if let schemaUse { service.countUse = { schemaUse.count($0, by: $1) } }
        if http.server.trustedProxies == 0, parts.sandbox == nil {
            logger.notice(
                """
                Clients on this machine are exempt from the limits of addresses. If a proxy on this machine forwards \
                requests, set \(Settings.http.trustedProxies), so that the limits apply to its clients.
                """)
        }
        let explorer = try Explorer(http.explorer, isSandbox: parts.sandbox != nil)
        server = try await HTTPServer.start(
            http.server, service: service,
            routes: Self.routes(explorer, settings, stores, parts, schemaUse),
            sharingLimitsWith: stores.coordination.redis?.limitKey, logger: logger)
        let adminRoutes = schemaUse.map { [SchemaUseRoute.path: SchemaUseRoute($0, sessions: nil)] }
        admin =
            if let configuration = http.admin {
                try await server.startAdmin(configuration, service: service, routes: adminRoutes ?? [:])
            } else {
                nil
            }
        self.schemaUse = schemaUse
        let message = StartupMessage(
            origin: server.origin, adminPort: admin?.port, sandbox: parts.sandbox?.address,
            hasExplorer: explorer.hasPages)
        let changed = Dictionary(settings.changed.map { ($0.name, Logger.MetadataValue.string($0.value)) }) {
            $1
        }
        startupMessage = StartupMessageService(text: settings.logFormat == .text ? message.text : nil) {
            logger.notice(
                "Portico listens.",
                metadata: [
                    "version": "\(Version.current)", "address": "\(message.url)",
                    "settings": .dictionary(changed),
                ])
        }
    }

    private static func routes(
        _ explorer: Explorer, _ settings: ServeSettings, _ stores: DataStores,
        _ parts: ApplicationDependencies, _ schemaUse: SchemaUseCounter?
    ) -> [String: any Route] {
        let sessions = RouteSessions(known: parts.sessions.session, verified: parts.sessions.verifiedSession)
        var routes: [String: any Route] = explorer.routes
        routes["/export"] = UserDataExportRoute(
            sessions: sessions, export: UserDataExport(of: stores.userDatabase),
            limits: settings.userPolicy.limits)
        routes[BackChannelLogoutRoute.path] = parts.identityProvider.map {
            BackChannelLogoutRoute(service: $0)
        }
        routes[SchemaUseRoute.path] = schemaUse.map { SchemaUseRoute($0, sessions: sessions) }
        return routes
    }
}

extension GraphQLService {
    /// The service of a schema over the providers and the users of the settings.
    fileprivate init(
        _ schema: ExecutableSchema<RequestScope>, _ settings: ServeSettings, _ parts: ApplicationDependencies,
        calls: UpstreamMetrics, tracer: RequestTracer
    ) throws {
        let http = settings.httpServer
        let factory = GatewaySessionFactory(
            schema: schema, services: parts.services, sessions: parts.sessions, calls: calls,
            tracer: tracer, callsPerOperation: http.callsPerOperation,
            budgets: CallBudgets(limit: http.callsPerClient))
        self.init(
            schemaText: http.subgraph?.executableText(of: Contract.schemaText) ?? Contract.schemaText,
            session: factory.session)
        prepare = schema.prepare
        documents = http.documents
        tools = try http.tools.map { tools in
            try ToolCatalog(trusting: http.documents, tools, schema: schema.schema)
        }
        toolsResource = settings.identityProvider.flatMap { identityProvider in
            guard identityProvider.policy.acceptsBearerTokens else { return nil }
            return ProtectedResource(
                publicURL: settings.publicURL?.text, isSecure: http.server.tls != nil,
                issuer: identityProvider.configuration.issuer.text)
        }
        let memory = parts.services.cacheMemory
        caches = { memory.statistics.map { CacheUse($0) } }
        self.tracer = tracer
    }
}

extension Readiness {
    /// The state of the providers, the database and the servers that replicas share.
    fileprivate init(_ stores: DataStores, _ condition: ProviderHealthReporter) {
        self = condition.readiness
        components += stores.components + stores.coordination.components
        if let redis = stores.coordination.redis {
            // Another replica can store and change data; this one cannot.
            isReady = stores.reachesDatabase || !redis.peerReachesDatabase
        }
    }
}

extension MetricFamily {
    fileprivate static let build = MetricFamily(
        "portico_build_info", .gauge, "Always 1; the label has the version of Portico.",
        [Sample(1, labels: [Label("version", Version.current)])])

    fileprivate static func connections(_ count: Int) -> MetricFamily {
        MetricFamily(
            "portico_provider_connections", .gauge,
            "Users' connections to providers in memory, with their credentials.",
            [Sample(Double(count))])
    }

    fileprivate static func quoteFeeds(_ count: Int) -> MetricFamily {
        MetricFamily(
            "portico_quote_feeds", .gauge,
            "Price feeds to which clients are subscribed, or were subscribed a moment ago.",
            [Sample(Double(count))])
    }

    fileprivate static func alerts(_ counts: AlertEvents.Counts, users: Int) -> [MetricFamily] {
        [
            MetricFamily(
                "portico_alert_users", .gauge, "Users whose alerts are evaluated.", [Sample(Double(users))]),
            MetricFamily(
                "portico_alert_firings_total", .counter, "Alerts that have fired.",
                [Sample(Double(counts.firings))]),
            MetricFamily(
                "portico_webhook_attempts_total", .counter,
                "Attempts to deliver a message to a webhook, by outcome.",
                [("delivered", counts.delivered), ("failed", counts.failed)].map { outcome, count in
                    Sample(Double(count), labels: [Label("outcome", outcome)])
                }),
            MetricFamily(
                "portico_webhook_discarded_total", .counter,
                "Messages that are not delivered any more, because they are older than a day or a user had too many.",
                [Sample(Double(counts.discarded))]),
        ]
    }

    fileprivate static func reusedDocuments(_ count: Int) -> MetricFamily {
        MetricFamily(
            "portico_graphql_documents_reused_total", .counter,
            "Operations whose document was not parsed and validated again.", [Sample(Double(count))])
    }

    fileprivate static func parsedDocuments(_ count: Int) -> MetricFamily {
        MetricFamily(
            "portico_graphql_documents_parsed_total", .counter,
            "Documents that were parsed and validated, including those that were refused.",
            [Sample(Double(count))])
    }
}
