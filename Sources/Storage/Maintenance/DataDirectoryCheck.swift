import Foundation
import GRDB
import Glibc

/// The results of checks of a data directory, which change nothing; a server may use the directory meanwhile.
package struct DataDirectoryCheck: Sendable {
    package private(set) var findings: [StorageFinding] = []
    private let folder: DataDirectory

    /// The minimum of free space in bytes.
    private static let minimumSpace = 256 << 20

    package var isFine: Bool { findings.allSatisfy(\.isFine) }

    /// - Parameters:
    ///   - folder: The directory of `portico.db`.
    ///   - masterKey: The key of its secrets; nil if there is none.
    package init(of folder: DataDirectory, with masterKey: MasterKey?) {
        self.folder = folder
        checkDiskSpace()
        checkFilePermissions()
        let database = folder.path(of: UserDatabase.name)
        do throws(StorageError) {
            try UserDatabase.rejectEmptyFile(in: folder)
        } catch {
            find("database", false, "\(error)")
            return
        }
        guard checkIntegrity(of: database, "database") else { return }
        checkMigrations(of: database)
        checkKeys(of: database, masterKey)
        let cache = folder.path(of: CacheDatabase.name)
        if FileManager.default.fileExists(atPath: cache) { _ = checkIntegrity(of: cache, "cache") }
    }

    private mutating func find(_ subject: String, _ isFine: Bool, _ text: String) {
        findings.append(StorageFinding(subject, isFine, text))
    }

    // MARK: - The folder

    private mutating func checkDiskSpace() {
        var status = statvfs()
        guard unsafe statvfs(folder.path, &status) == 0 else {
            return find(
                "disk", false, "The space in \(folder.path) cannot be read: \(DataDirectory.reason()).")
        }
        let (bytes, isBeyond) = UInt64(status.f_bavail).multipliedReportingOverflow(
            by: UInt64(status.f_frsize))
        let free = isBeyond ? UInt64.max : bytes
        let isFine = free >= UInt64(Self.minimumSpace)
        find(
            "disk", isFine,
            "\(free >> 20) MiB are free." + (isFine ? "" : " Writes will fail soon: free some space."))
    }

    private mutating func checkFilePermissions() {
        for name in [UserDatabase.name, CacheDatabase.name, MasterKey.fileName] {
            var status = stat()
            guard unsafe stat(folder.path(of: name), &status) == 0 else { continue }
            let mode = status.st_mode & 0o777
            let digits = String(mode, radix: 8)
            find(
                "file \(name)", mode & 0o077 == 0,
                mode & 0o077 == 0
                    ? "Only its owner has access (0\(digits))."
                    : "Other users have access (0\(digits)): chmod 600 \(folder.path(of: name))")
        }
    }

    // MARK: - The databases

    /// Returns false if the file cannot be read further.
    private mutating func checkIntegrity(of path: String, _ subject: String) -> Bool {
        do {
            let queue = try DatabaseQueue(path: path, configuration: .readOnly)
            let (faults, dangling) = try queue.read { db in
                (
                    try String.fetchAll(db, sql: "PRAGMA integrity_check(10)"),
                    try Row.fetchAll(db, sql: "PRAGMA foreign_key_check").count
                )
            }
            try queue.close()
            guard faults == ["ok"] else {
                find(subject, false, "\(StorageError.damaged(path: path))")
                return false
            }
            let isWhole = dangling == 0
            find(
                subject, isWhole,
                isWhole
                    ? "The file is intact, and no row refers to a missing one."
                    : "\(dangling) rows refer to missing ones: restore a backup.")
            return true
        } catch {
            find(subject, false, "\(StorageError(error, path: path))")
            return false
        }
    }

    private mutating func checkMigrations(of path: String) {
        let migrator = UserDatabase.migrator
        do {
            let queue = try DatabaseQueue(path: path, configuration: .readOnly)
            let done = try queue.read { db in
                try migrator.checkVersion(of: db, at: path)
                return try migrator.completedMigrations(db)
            }
            try queue.close()
            let waiting = migrator.migrations.count - done.count
            find(
                "migrations", true,
                waiting == 0
                    ? "All \(done.count) are applied." : "The next start applies the last \(waiting).")
        } catch {
            find("migrations", false, "\(StorageError(error, path: path))")
        }
    }

    private mutating func checkKeys(of path: String, _ masterKey: MasterKey?) {
        guard let masterKey else {
            return find(
                "keys", false, "There is no master key: set PORTICO_MASTER_KEY_FILE, or restore portico.key.")
        }
        do {
            let queue = try DatabaseQueue(path: path, configuration: .readOnly)
            let counts = try queue.read { db in
                try CredentialStore.examine(
                    SQLTransaction(db), at: path, masterKey, hasWebhooks: db.tableExists("webhook"))
            }
            try queue.close()
            find("keys", counts.broken == 0, CredentialStore.text(of: counts))
        } catch {
            find("keys", false, "\(StorageError(error, path: path))")
        }
    }
}

/// The result of one check.
package struct StorageFinding: Hashable, Sendable {
    /// The subject of the check.
    package let subject: String
    package let isFine: Bool
    /// The result; if there is a problem, with the remedy.
    package let text: String

    init(_ subject: String, _ isFine: Bool, _ text: String) {
        self.subject = subject
        self.isFine = isFine
        self.text = text
    }
}
