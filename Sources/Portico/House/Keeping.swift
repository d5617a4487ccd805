import Logging
import ServiceLifecycle
import Storage
import Upstream

/// What outlives the process: files in the data folder; without a folder everything is forgotten.
struct Keeping {
    /// The counts of all calls to providers.
    let ledger: QuotaLedger
    private let hold: FolderHold?

    /// Opens the data folder's files, and makes what is missing.
    ///
    /// The sandbox has a folder inside of its own: what its stand-ins tell must never be taken for a provider's word.
    ///
    /// - Throws: `StorageError` where the folder or a file in it cannot be used.
    init(_ settings: ServeSettings, logger: Logger) throws {
        guard let path = settings.data else {
            ledger = QuotaLedger()
            hold = nil
            if settings.market.spendsQuotas { Keeping.warn(logger) }
            return
        }
        var folder = try DataFolder(path)
        if case .sandbox = settings.market { folder = try folder.folder("sandbox") }
        hold = try FolderHold(folder)
        ledger = try QuotaLedger(keeper: KeptQuotas(in: CacheFile(in: folder))) { error in
            logger.error("Counts of calls cannot be kept; a restart would forget them. \(error)")
        }
    }

    private static func warn(_ logger: Logger) {
        logger.warning(
            """
            Counts of calls are kept in memory only: a restart forgets what has been spent of the providers' quotas. \
            Name a folder with \(Setting.data.description).
            """)
    }
}

extension MarketSettings {
    fileprivate var spendsQuotas: Bool {
        switch self {
        case .sandbox: false
        case .providers: true
        }
    }
}

/// What is kept, as long as the house stands.
struct KeepingService: Service {
    let keeping: Keeping

    func run() async throws {
        try await gracefulShutdown()
    }
}

// Logs name the service.
extension KeepingService: CustomStringConvertible {
    var description: String { "Keeping" }
}
