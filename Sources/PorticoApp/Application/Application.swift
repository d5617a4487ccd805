import Contract
import Coordination
import Gateway
import Logging
import ServiceLifecycle
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
        let stores = try DataStores(settings, logger: logger)
        stores.reportWrites()
        let calls = UpstreamMetrics()
        let parts = try await ApplicationDependencies(
            settings, dataStores: stores, transport: transport, logger: logger
        ) { calls.record(UpstreamCall($0)) }
        let spans = settings.collector.map { SpanExporter(to: $0, over: transport, logger: logger) }
        let alerts = AlertEvaluation(parts.services)
        let front = try await ApplicationServer(
            settings, stores, parts, calls: calls, spans: spans, alerts: alerts, logger: logger)
        let signals = ShutdownSignalService(
            signals: await UnixSignalsSequence(trapping: .sigterm, .sigint),
            delay: settings.httpServer.shutdownDelay, server: front.server, logger: logger)
        let services = try Self.services(
            stores, parts, transport, spans: spans, alerts: alerts, front, signals, logger
        ).ordered()
        group = ServiceGroup(configuration: ServiceGroupConfiguration(services: services, logger: logger))
        self.logger = logger
    }

    /// The services, each with those that it needs: `ServiceGraph` derives the order in which they start and stop.
    private static func services(
        _ stores: DataStores, _ parts: ApplicationDependencies, _ transport: HTTPClient,
        spans: SpanExporter?, alerts: AlertEvaluation, _ front: ApplicationServer,
        _ signals: ShutdownSignalService, _ logger: Logger
    ) -> ServiceGraph {
        let (gateway, coordination) = (parts.services, stores.coordination)
        var graph = ServiceGraph()
        graph.add("Sandbox", parts.sandbox)
        graph.add("Redis", coordination.redis.map { RedisConnectionService(redis: $0) })
        graph.add("Database lock", stores.serverLock.map { DatabaseLockService(lock: $0, logger: logger) })
        graph.add("Data stores", CacheFlushService(dataStores: stores))
        graph.add(
            "Replica",
            coordination.membership.id.map { _ in
                ReplicaService(coordination: coordination, logger: logger)
            }, needs: ["Database lock"])
        // Its responses are stored.
        graph.add(
            "Transport", HTTPClientShutdownService(transport: transport),
            needs: ["Sandbox", "Redis", "Data stores"])
        // It renews the keys of the identity provider.
        graph.add(
            "Sessions",
            SessionMaintenanceService(
                sessions: parts.sessionStore, changes: parts.changes, logger: logger,
                identityProvider: parts.identityProvider),
            needs: ["Database lock", "Data stores", "Transport"])
        graph.add(
            "Client limits",
            coordination.redis.map { redis in
                ReplicaMergeService(
                    redis: redis, rateLimits: coordination.rateLimits, clients: front.server.clientLimits
                ) { stores.reachesDatabase }
            }, needs: ["Redis", "Database lock"])
        graph.add("Spans", spans, needs: ["Transport"])
        graph.add("Schema use", front.schemaUse, needs: ["Data stores"])
        // A renewal in progress holds the only token with which the next renewal is possible.
        graph.add(
            "Connections", ProviderConnectionShutdownService(connectionService: gateway.connectionService),
            needs: ["Transport", "Replica"])
        graph.add(
            "Orders", OrderReconciliationService(services: gateway, logger: logger), needs: ["Connections"])
        graph.add(
            "Followed orders", OrderFollowingService(services: gateway, logger: logger),
            needs: ["Connections"])
        // An alert on a connection that is missing ends.
        graph.add(
            "Alerts", AlertEvaluationService(services: gateway, evaluation: alerts, logger: logger),
            needs: ["Connections"])
        graph.add("Cache reports", CacheReportService(memory: gateway.cacheMemory, logger: logger))
        // It reports that the public port is stopping.
        graph.add("Admin port", front.admin)
        graph.add(
            "HTTP server", front.server,
            needs: [
                "Admin port", "Alerts", "Cache reports", "Client limits", "Followed orders", "Orders",
                "Schema use", "Sessions", "Spans",
            ])
        graph.add("Startup message", front.startupMessage, needs: ["HTTP server"])
        graph.add("Signals", signals, needs: ["Startup message"], endsProcess: true)
        return graph
    }

    /// Handles requests until the process gets a signal.
    func run() async throws {
        try await group.run()
        logger.notice("The shutdown is complete.")
    }
}
