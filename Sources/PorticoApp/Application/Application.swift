import Brokerage
import Contract
import Coordination
import Gateway
import GraphQL
import Logging
import OpenIDConnect
import ServiceLifecycle
import Storage
import UnixSignals
import Upstream
import Web

/// All services of a running server.
struct Application {
    private let group: ServiceGroup
    private let logger: Logger

    /// Creates all services and opens the listener; `run` starts the services.
    ///
    /// If one fails, the HTTP client is stopped: a libcurl thread that runs while the process exits would
    /// crash it.
    static func build(_ settings: ServeSettings, logger: Logger) async throws -> Application {
        let transport = try HTTPClient(
            limits: settings.upstreamLimits, userAgent: "portico/\(Version.current)")
        do {
            return try await Application(settings, over: transport, logger: logger)
        } catch {
            await transport.shutDown()
            throw error
        }
    }

    private init(_ settings: ServeSettings, over transport: HTTPClient, logger: Logger) async throws {
        self.logger = logger
        let dataStores = try DataStores(settings, logger: logger)
        dataStores.reportWrites()
        let coordination = dataStores.coordination
        let calls = UpstreamMetrics()
        let dependencies = try await ApplicationDependencies(
            settings, dataStores: dataStores, transport: transport, logger: logger
        ) { calls.record(UpstreamCall($0)) }
        let spans = settings.collector.map { SpanExporter(to: $0, over: transport, logger: logger) }
        let tracer = RequestTracer(exporting: spans)
        let alerts = AlertEvaluation(dependencies.services)
        var options = settings.httpServer.executionOptions
        options.errorPresenter = ErrorFormatter(logger: logger)
        let subgraph = settings.httpServer.subgraph
        let schema = try ExecutableSchema(contract: Contract.schemaText, as: subgraph, options: options)
        let factory = GatewaySessionFactory(
            schema: schema, services: dependencies.services, sessions: dependencies.sessions, calls: calls,
            tracer: tracer, callsPerOperation: settings.httpServer.callsPerOperation,
            budgets: CallBudgets(limit: settings.httpServer.callsPerClient))
        let schemaText = subgraph?.executableText(of: Contract.schemaText) ?? Contract.schemaText
        var service = GraphQLService(schemaText: schemaText, session: factory.session)
        service.prepare = schema.prepare
        service.documents = settings.httpServer.documents
        service.tools = try settings.httpServer.tools.map { tools in
            try ToolCatalog(trusting: settings.httpServer.documents, tools, schema: schema.schema)
        }
        service.toolsResource = settings.identityProvider.flatMap { identityProvider in
            guard identityProvider.policy.acceptsBearerTokens else { return nil }
            return ProtectedResource(
                publicURL: settings.publicURL?.text, isSecure: settings.httpServer.server.tls != nil,
                issuer: identityProvider.configuration.issuer.text)
        }
        service.readiness = { [condition = dependencies.condition] in
            var readiness = condition.readiness
            readiness.components += dataStores.components + coordination.components
            if let redis = coordination.redis {
                // Another replica can store and change data; this one cannot.
                readiness.isReady = dataStores.reachesDatabase || !redis.peerReachesDatabase
            }
            return readiness
        }
        service.metrics = { [condition = dependencies.condition, services = dependencies.services] in
            calls.families + condition.families + dataStores.families + [
                .reusedDocuments(schema.reusedDocuments), .parsedDocuments(schema.parsedDocuments),
                .build, .connections(services.connectionCount), .quoteFeeds(services.quoteFeedCount),
            ] + MetricFamily.alerts(services.alertCounts, users: alerts.userCount)
                + MetricFamily.caches(services.cacheMemory) + (spans?.families ?? [])
                + coordination.families
        }
        let memory = dependencies.services.cacheMemory
        service.caches = { memory.statistics.map { CacheUse($0) } }
        service.tracer = tracer
        let schemaUse = dataStores.schemaUse.map {
            SchemaUseCounter(of: schema.schema, storingIn: $0, logger: logger)
        }
        if let schemaUse { service.countUse = { schemaUse.count($0, by: $1) } }
        let routeSessions = RouteSessions(
            known: dependencies.sessions.session, verified: dependencies.sessions.verifiedSession)
        let export = UserDataExportRoute(
            sessions: routeSessions, export: UserDataExport(of: dataStores.userDatabase),
            limits: settings.userPolicy.limits)
        if settings.httpServer.server.trustedProxies == 0, dependencies.sandbox == nil {
            logger.notice(
                """
                Clients on this machine are exempt from the limits of addresses. If a proxy on this machine forwards \
                requests, set \(Settings.http.trustedProxies), so that the limits apply to its clients.
                """)
        }
        let explorer = try Explorer(settings.httpServer.explorer, isSandbox: dependencies.sandbox != nil)
        var routes: [String: any Route] = explorer.routes
        routes["/export"] = export
        routes[BackChannelLogoutRoute.path] = dependencies.identityProvider.map {
            BackChannelLogoutRoute(service: $0)
        }
        routes[SchemaUseRoute.path] = schemaUse.map {
            SchemaUseRoute($0, sessions: routeSessions)
        }
        let server = try await HTTPServer.start(
            settings.httpServer.server, service: service, routes: routes,
            sharingLimitsWith: coordination.redis?.limitKey,
            logger: logger)
        let adminRoutes = schemaUse.map { [SchemaUseRoute.path: SchemaUseRoute($0, sessions: nil)] }
        let admin: HTTPServer? =
            if let configuration = settings.httpServer.admin {
                try await server.startAdmin(configuration, service: service, routes: adminRoutes ?? [:])
            } else {
                nil
            }
        let startupMessage = StartupMessage(
            host: server.host, port: server.port, adminPort: admin?.port,
            sandbox: dependencies.sandbox?.address,
            isSecure: settings.httpServer.server.tls != nil, hasExplorer: explorer.hasPages)
        let changed = Dictionary(settings.changed.map { ($0.name, Logger.MetadataValue.string($0.value)) }) {
            $1
        }
        let startup = StartupMessageService(text: settings.logFormat == .text ? startupMessage.text : nil) {
            logger.notice(
                "Portico listens.",
                metadata: [
                    "version": "\(Version.current)", "address": "\(startupMessage.url)",
                    "settings": .dictionary(changed),
                ])
        }
        // Services stop in reverse order: the HTTP server before the services that it uses.
        var services: [any Service] = [
            CacheFlushService(dataStores: dataStores),
            SessionMaintenanceService(
                sessions: dependencies.sessionStore, changes: dependencies.changes, logger: logger,
                identityProvider: dependencies.identityProvider),
            HTTPClientShutdownService(transport: transport),
        ]
        if let lock = dataStores.serverLock {
            services.append(DatabaseLockService(lock: lock, logger: logger))
        }
        if coordination.membership.id != nil {
            services.insert(ReplicaService(coordination: coordination, logger: logger), at: 1)
        }
        if let redis = coordination.redis {
            services.insert(RedisConnectionService(redis: redis), at: 0)
            services.append(
                ReplicaMergeService(
                    redis: redis, rateLimits: coordination.rateLimits, clients: server.clientLimits
                ) { dataStores.reachesDatabase })
        }
        if let spans { services.append(spans) }
        if let schemaUse { services.append(schemaUse) }
        services += [
            ProviderConnectionShutdownService(connectionService: dependencies.services.connectionService),
            OrderReconciliationService(services: dependencies.services, logger: logger),
            OrderFollowingService(services: dependencies.services, logger: logger),
            AlertEvaluationService(services: dependencies.services, evaluation: alerts, logger: logger),
            CacheReportService(memory: memory, logger: logger),
        ]
        // The admin port reports that the public one is stopping, so it stops after it.
        if let admin { services.append(admin) }
        services += [server, startup]
        if let sandbox = dependencies.sandbox { services.insert(sandbox, at: 0) }
        let signals = ShutdownSignalService(
            signals: await UnixSignalsSequence(trapping: .sigterm, .sigint),
            delay: settings.httpServer.shutdownDelay, server: server, logger: logger)
        group = ServiceGroup(
            configuration: ServiceGroupConfiguration(
                services: services.map { ServiceGroupConfiguration.ServiceConfiguration(service: $0) } + [
                    ServiceGroupConfiguration.ServiceConfiguration(
                        service: signals, successTerminationBehavior: .gracefullyShutdownGroup)
                ], logger: logger))
    }

    /// Handles requests until the process gets a signal.
    func run() async throws {
        try await group.run()
        logger.notice("The shutdown is complete.")
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
