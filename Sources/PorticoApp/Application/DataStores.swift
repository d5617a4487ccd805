import Brokerage
import Logging
import ServiceLifecycle
import Storage
import Upstream

/// The persistent data of a server: files in the data directory; without one, the data is in memory only.
struct DataStores {
    /// The counts of all calls to providers.
    let ledger: QuotaLedger
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
    private let logger: Logger

    /// Opens the files of the data directory, and creates missing ones.
    ///
    /// The sandbox has its own directory inside of it: values of simulated providers must never be used as a
    /// provider's values.
    ///
    /// - Throws: `StorageError` if the directory or a file in it cannot be used.
    init(_ settings: ServeSettings, logger: Logger) throws {
        self.logger = logger
        guard let path = settings.data else {
            ledger = QuotaLedger(clock: settings.market.clock)
            values = nil
            schemaUse = nil
            userDatabase = try .temporary()
            masterKey = try settings.masterKey?.key() ?? .random()
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
        ledger = try QuotaLedger(clock: settings.market.clock, store: SQLiteQuotaStore(in: file)) { error in
            logger.error("Counts of calls cannot be stored; a restart would reset them. \(error)")
        }
        schemaUse = settings.countsSchemaUse ? SchemaUseStore(in: file) : nil
        values = SQLitePersistentCache(in: file) { error in
            logger.warning(
                "Data of providers cannot be stored or read in the cache; it is requested again. \(error)")
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

    private static func warn(_ logger: Logger) {
        logger.warning(
            """
            Counts of calls are stored in memory only: a restart resets the used amounts of the providers' quotas. \
            Set a data directory with \(Settings.server.data).
            """)
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

// Logs name the service.
extension CacheFlushService: CustomStringConvertible {
    var description: String { "DataStores" }
}
