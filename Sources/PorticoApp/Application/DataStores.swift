import Brokerage
import Logging
import ServiceLifecycle
import Storage
import Upstream

/// What outlives the process: files in the data folder; without a folder everything is forgotten.
struct DataStores {
    /// The counts of all calls to providers.
    let ledger: QuotaLedger
    /// The stored market data of providers with a low quota; nil without a data directory.
    let values: SQLitePersistentCache?
    /// What users have entrusted to Portico; without a folder it is forgotten with the process.
    let userDatabase: UserDatabase
    /// What seals the secrets in it.
    let masterKey: MasterKey
    /// The sandbox's own folder inside of the one that is named.
    static let sandboxFolder = "sandbox"
    private let hold: DirectoryLock?
    private let logger: Logger

    /// Opens the files of the data directory, and creates missing ones.
    ///
    /// The sandbox has its own directory inside of it: values of fake providers must never be used as a
    /// provider's values.
    ///
    /// - Throws: `StorageError` if the directory or a file in it cannot be used.
    init(_ settings: ServeSettings, logger: Logger) throws {
        self.logger = logger
        guard let path = settings.data else {
            ledger = QuotaLedger(clock: settings.market.clock)
            values = nil
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
            logger.error("Counts of calls cannot be kept; a restart would forget them. \(error)")
        }
        values = SQLitePersistentCache(in: file) { error in
            logger.warning("What providers told cannot be kept or read; they are asked anew. \(error)")
        }
    }

    /// Deletes expired values.
    func tidy() async {
        do {
            try await values?.deleteOutdated(now: .now)
        } catch {
            logger.warning("What providers told long ago cannot be forgotten. \(error)")
        }
    }

    private static func warn(_ logger: Logger) {
        logger.warning(
            """
            Counts of calls are kept in memory only: a restart forgets what has been spent of the providers' quotas. \
            Name a folder with \(Settings.server.data).
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

/// Closes the files of the data directory at a graceful shutdown.
struct DataStoreService: Service {
    let dataStores: DataStores

    /// It is stopped last, when nothing more can come.
    func run() async throws {
        await dataStores.tidy()
        try await gracefulShutdown()
        await dataStores.values?.flush()
    }
}

// Logs name the service.
extension DataStoreService: CustomStringConvertible {
    var description: String { "Keeping" }
}
