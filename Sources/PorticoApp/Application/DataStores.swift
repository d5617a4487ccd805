import Brokerage
import Coordination
import Dispatch
import Logging
import Redis
import ServiceLifecycle
import Storage
import Upstream
import Web

/// The persistent data of a server: files in the data directory; without one, the data is in memory only.
struct DataStores {
    /// What this process shares with others that use the PostgreSQL database or Redis.
    let coordination: Coordination
    /// The stored market data of providers with a low quota; nil without a data directory.
    let values: SQLitePersistentCache?
    /// The counts of the schema elements that clients use; nil if they are not counted.
    let schemaUse: SchemaUseStore?
    /// The users and their data; in memory only without a data directory.
    let userDatabase: UserDatabase
    /// The key that encrypts the secrets of `userDatabase`.
    let masterKey: MasterKey
    /// The name of the sandbox's directory in the data directory.
    static let sandboxFolder = "sandbox"
    private let hold: DirectoryLock?
    /// Excludes a copy of the PostgreSQL database; nil without one.
    let serverLock: PostgresServerLock?
    private let logger: Logger

    /// Opens the files of the data directory, and creates missing ones.
    ///
    /// The sandbox has its own directory inside of it: values of simulated providers must never be used as a
    /// provider's values.
    ///
    /// - Throws: `StorageError` if the directory or a file in it cannot be used.
    init(_ settings: ServeSettings, logger: Logger) throws {
        self.logger = logger
        if let database = settings.database {
            let url = try database.url(isSandbox: settings.market.isSandbox)
            // Before the database is changed.
            masterKey = try settings.masterKey?.key() ?? .random()
            serverLock = try PostgresServerLock(url, for: .servers, database.limits)
            userDatabase = try UserDatabase(at: url, database.limits)
            coordination = try .replicated(
                userDatabase, redis: Self.redis(settings, masterKey, sharesStreams: true, logger),
                version: Version.current, clock: settings.market.clock
            ) { error in
                logger.warning("The count of a call to a provider cannot be corrected. \(error)")
            }
            (values, schemaUse, hold) = (nil, nil, nil)
            return
        }
        serverLock = nil
        guard let path = settings.data else {
            values = nil
            schemaUse = nil
            userDatabase = try .temporary()
            masterKey = try settings.masterKey?.key() ?? .random()
            coordination = .singleProcess(
                quotas: QuotaLedger(clock: settings.market.clock),
                redis: Self.redis(settings, masterKey, sharesStreams: false, logger),
                clock: settings.market.clock)
            hold = nil
            if settings.market.spendsQuotas { DataStores.warn(logger) }
            return
        }
        let isSandbox = if case .sandbox = settings.market { true } else { false }
        let namedKey = try settings.masterKey?.key()
        // Before anything is created: a refused directory stays unchanged.
        try UserDatabase.check(folder: isSandbox ? "\(path)/\(DataStores.sandboxFolder)" : path, namedKey)
        var folder = try DataDirectory(path)
        if isSandbox { folder = try folder.folder(DataStores.sandboxFolder) }
        hold = try DirectoryLock(folder)
        userDatabase = try UserDatabase(in: folder)
        masterKey = try namedKey ?? MasterKey(in: folder)
        let file = try CacheDatabase(in: folder)
        let ledger = try QuotaLedger(
            clock: settings.market.clock, store: SQLiteQuotaStore(in: file),
            report: DataStores.reportCounts(logger))
        schemaUse = settings.countsSchemaUse ? SchemaUseStore(in: file) : nil
        values = SQLitePersistentCache(in: file) { error in
            logger.warning(
                "Data of providers cannot be stored or read in the cache; it is requested again. \(error)")
        }
        coordination = .singleProcess(quotas: ledger, cache: values)
    }

    /// Redis of the settings; nil if there is none.
    private static func redis(
        _ settings: ServeSettings, _ masterKey: MasterKey, sharesStreams: Bool, _ logger: Logger
    ) -> SharedRedis? {
        settings.redis.map { source in
            SharedRedis(
                source.url, source.limits, masterKey: masterKey, isSandbox: settings.market.isSandbox,
                sharesStreams: sharesStreams
            ) { change in
                let location = source.url.location
                switch change {
                case .up: logger.notice("Redis is used: \(location).")
                case .down(let failure):
                    logger.warning(
                        """
                        Redis at \(location) is not used: \(failure). Replicas request values from providers on their own \
                        until it is available.
                        """)
                }
            }
        }
    }

    /// Logs when writes of users' data begin to fail, and when one was stored again.
    func reportWrites() {
        userDatabase.database.writes.onChange { [logger] failure in
            if let failure {
                logger.error("The data of users cannot be stored. \(failure)")
            } else {
                logger.notice("The data of users can be stored again.")
            }
        }
    }

    /// Deletes expired values.
    func tidy() async {
        do {
            try await values?.deleteOutdated(now: .now)
        } catch {
            logger.warning("Expired data of providers cannot be deleted. \(error)")
        }
    }

    private static func reportCounts(_ logger: Logger) -> @Sendable (any Error) -> Void {
        { error in logger.error("Counts of calls cannot be stored; a restart would reset them. \(error)") }
    }

    private static func warn(_ logger: Logger) {
        logger.warning(
            """
            Counts of calls are stored in memory only: a restart resets the used amounts of the providers' quotas. \
            Set a data directory with \(Settings.server.data).
            """)
    }
}

extension DataStores {
    private var server: PostgresDatabase? { userDatabase.database.postgres }

    /// The state of the database for `/health/ready`: down while PostgreSQL does not respond or this process cannot report to
    /// the others, and after a write that could not be stored, until another one is.
    ///
    /// No transaction is executed for it. The server is ready also if the database is down: cached values are served, and
    /// prices are streamed. The public port shows the state, so it has neither the location of the server nor the path of the
    /// data directory; the log has them (``ReplicaService``, ``reportWrites()``).
    var components: [Readiness.Component] {
        let detail: String? =
            if let server, !server.counts.isReachable {
                "PostgreSQL does not respond"
            } else if !coordination.membership.hasRecentReport {
                "PostgreSQL stores no writes"
            } else {
                userDatabase.database.writes.failure.map(Self.detail)
            }
        return [Readiness.Component("database", detail == nil ? .up : .down, detail: detail)]
    }

    /// The reason without the path.
    private static func detail(_ failure: StorageError) -> String {
        if case .full = failure { "writes fail: the disk is full" } else { "writes fail" }
    }

    /// Whether users' data can be read and written: false while the PostgreSQL database is not tried, or stores no writes.
    var reachesDatabase: Bool {
        (server?.counts.isReachable ?? true) && coordination.membership.hasRecentReport
    }

    /// The metrics of the database; all but the first are of PostgreSQL.
    var families: [MetricFamily] {
        func family(_ name: String, _ kind: MetricFamily.Kind, _ help: String, _ value: Int) -> MetricFamily {
            MetricFamily("portico_database_\(name)", kind, help, [MetricFamily.Sample(Double(value))])
        }
        let up = family(
            "up", .gauge, "1, or 0 while the database is not tried or its writes fail or wait.",
            components.contains { $0.state == .down } ? 0 : 1)
        guard let counts = server?.counts else { return [up] }
        return [
            up, family("connections", .gauge, "Open connections to the database.", counts.connections),
            family("waiting", .gauge, "Transactions that wait for a connection.", counts.waiting),
            family(
                "waits_total", .counter, "Transactions that had to wait for a connection.", counts.waits),
            family(
                "transactions_total", .counter, "Transactions to which the database responded.",
                counts.transactions),
            family(
                "failures_total", .counter, "Transactions without a response in time.", counts.failures),
            family(
                "refusals_total", .counter, "Transactions that were not tried after failures.",
                counts.refusals),
        ]
    }
}

extension ProviderMode {
    fileprivate var spendsQuotas: Bool {
        switch self {
        case .sandbox: false
        case .providers: true
        }
    }
}

/// Keeps the lock of the PostgreSQL database, and ends the process if the database is copied.
struct DatabaseLockService: Service {
    let lock: PostgresServerLock
    let logger: Logger

    private static let interval = Duration.seconds(2)

    /// - Throws: `StorageError.busy` if a copy has taken the lock while this process had no connection.
    func run() async throws {
        try await cancelWhenGracefulShutdown {
            var isReported = false
            while (try? await Task.sleep(for: Self.interval)) != nil {
                do throws(StorageError) {
                    try await renew()
                    isReported = false
                } catch {
                    if case .busy = error {
                        logger.critical("The database is being copied, so this server stops. \(error)")
                        throw error
                    }
                    if !isReported { logger.error("The lock of the database cannot be checked. \(error)") }
                    isReported = true
                }
            }
        }
    }

    /// Waits for the server on a thread that may block.
    private func renew() async throws(StorageError) {
        let result = await withCheckedContinuation {
            (continuation: CheckedContinuation<Result<Void, StorageError>, Never>) in
            DispatchQueue.global().async { [lock] in
                continuation.resume(returning: Result { () throws(StorageError) in try lock.renew() })
            }
        }
        try result.get()
    }
}

/// Writes unwritten values of the persistent cache at a graceful shutdown.
struct CacheFlushService: Service {
    let dataStores: DataStores

    /// Runs until shutdown, and stops after all services that read or write the stores.
    func run() async throws {
        await dataStores.tidy()
        try await gracefulShutdown()
        await dataStores.values?.flush()
    }
}
