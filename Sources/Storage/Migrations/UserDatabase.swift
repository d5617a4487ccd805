package import GRDB
import Glibc

/// What users have entrusted to Portico, in `portico.db` or in a PostgreSQL database; each write is on the disk before it is
/// done.
package struct UserDatabase: Sendable {
    package static let name = "portico.db"

    package let database: SQLDatabase

    /// Opens the file in a directory, creates it if there is none, and migrates its tables.
    package init(in folder: DataDirectory) throws(StorageError) {
        database = SQLDatabase(SQLiteEngine(file: try .open(Self.name, in: folder, .full, Self.migrator)))
    }

    /// Checks a data directory before anything is created in it, so that a refused directory stays unchanged.
    ///
    /// A directory without a database is accepted: a server creates one there.
    ///
    /// - Parameters:
    ///   - path: the path of the directory, which need not exist.
    ///   - masterKey: the key of the settings; nil if the directory's own key is used.
    /// - Throws: `emptyFile` if the database is empty although there is a key, `missingMasterKey` if there is
    ///   no key and the database contains secrets, `wrongMasterKey`, and `newer` or `damaged` if the database
    ///   cannot be used.
    package static func check(folder path: String, _ masterKey: MasterKey?) throws(StorageError) {
        guard unsafe access(path, R_OK | X_OK) == 0 else { return }
        let folder = try DataDirectory(existing: path)
        let key = folder.path(of: MasterKey.fileName)
        let hasKey = unsafe masterKey != nil || access(key, F_OK) == 0
        if hasKey { try rejectEmptyFile(in: folder) }
        guard size(in: folder) ?? 0 > 0 else { return }
        let keyIDs = try masterKeyIDs(in: folder)
        if keyIDs.isEmpty { return }
        let database = folder.path(of: name)
        guard hasKey else { throw .missingMasterKey(path: key, database: database) }
        let known: MasterKey
        if let masterKey { known = masterKey } else { known = try MasterKey(in: folder) }
        guard keyIDs.allSatisfy({ $0 == known.id }) else { throw .wrongMasterKey(path: database) }
    }

    /// Throws if the database file is empty: SQLite would treat it as a new database, and the loss of its
    /// content would not be noticed.
    package static func rejectEmptyFile(in folder: DataDirectory) throws(StorageError) {
        if size(in: folder) == 0 { throw .emptyFile(path: folder.path(of: name)) }
    }

    /// The size in bytes; nil if there is no file.
    private static func size(in folder: DataDirectory) -> Int? {
        var status = stat()
        return unsafe stat(folder.path(of: name), &status) == 0 ? Int(status.st_size) : nil
    }

    /// Checks a copy of the file before it is restored.
    ///
    /// - Parameters:
    ///   - copy: The path of the copy.
    ///   - masterKey: The key of its secrets; nil if there is none.
    ///   - keyPath: Where a key would be, for the error.
    /// - Throws: `missing`, `damaged`, `newer`, `notCopy` if it has no migration of Portico, `missingMasterKey` if it has
    ///   secrets and there is no key, `wrongMasterKey`.
    static func checkCopy(_ copy: String, with masterKey: MasterKey?, keyPath: String) throws(StorageError) {
        guard unsafe access(copy, F_OK) == 0 else { throw .missing(path: copy) }
        let keyIDs: Set<String>
        do {
            keyIDs = try reading(copy) { db in
                guard try !migrator.appliedIdentifiers(db).isEmpty else {
                    throw StorageError.notCopy(path: copy)
                }
                return try masterKeyIDs(db, of: copy)
            }
        } catch {
            throw StorageError(error, path: copy)
        }
        if keyIDs.isEmpty { return }
        guard let masterKey else { throw .missingMasterKey(path: keyPath, database: copy) }
        guard keyIDs.allSatisfy({ $0 == masterKey.id }) else { throw .wrongMasterKey(path: copy) }
    }

    private static func masterKeyIDs(_ db: Database, of path: String) throws -> Set<String> {
        try migrator.checkVersion(of: db, at: path)
        var ids: Set<String> = []
        for table in ["data_key", "token_key"] where try db.tableExists(table) {
            ids.formUnion(try String.fetchAll(db, sql: "SELECT master_key_id FROM \(table)"))
        }
        return ids
    }

    /// Reads a file without creating another one beside it.
    private static func reading<Value>(_ path: String, _ read: (Database) throws -> Value) throws -> Value {
        // SQLite creates files beside a database with a write-ahead log, even to read it, unless it is opened
        // as immutable. A running or killed server has left that log.
        let isInUse = unsafe access(path + "-wal", F_OK) == 0
        let escaped = path.replacing("%", with: "%25").replacing("?", with: "%3f").replacing("#", with: "%23")
        let queue = try DatabaseQueue(
            path: isInUse ? path : "file:\(escaped)?immutable=1", configuration: .readOnly)
        defer { try? queue.close() }
        return try queue.read(read)
    }

    /// The ids of the master keys that encrypt the keys in the file.
    private static func masterKeyIDs(in folder: DataDirectory) throws(StorageError) -> Set<String> {
        let path = folder.path(of: name)
        do {
            return try reading(path) { db in try masterKeyIDs(db, of: path) }
        } catch {
            let error = StorageError(error, path: path)
            switch error {
            case .damaged, .newer, .unreleased: throw error
            // The code that opens the database for use finds the same error and reports it.
            case .folder, .file, .notCopy, .missing, .older, .busy, .full, .inputOutput, .failed,
                .badMasterKey,
                .wrongMasterKey,
                .decryptionFailed, .damagedConnection, .emptyFile, .missingMasterKey, .badDatabaseURL,
                .encoding, .unavailable,
                .unknownOutcome, .refused, .notEmpty, .exists, .differs:
                return []
            }
        }
    }

    /// Opens the file in a directory that a running server may use: it creates nothing, and waits for writes
    /// of the server.
    ///
    /// - Throws: `missing` if there is no file, `older` if tables are missing.
    package static func existing(in folder: DataDirectory) throws(StorageError) -> UserDatabase {
        UserDatabase(try .openExisting(Self.name, in: folder, .full, migrator))
    }

    /// Connects to a PostgreSQL database, and creates or migrates its tables.
    ///
    /// - Throws: `encoding` if the database is not encoded in UTF8, `newer` if a later version has changed the tables in
    ///   such a way that this one cannot work with them, `unavailable` if the server cannot be used.
    package init(at url: PostgresURL, _ limits: PostgresLimits = PostgresLimits()) throws(StorageError) {
        let server = PostgresDatabase(url, limits)
        try PostgresMigrator(server, schema: url.schema).migrate()
        database = SQLDatabase(server)
    }

    /// Connects to a PostgreSQL database that servers may use: it creates and migrates nothing.
    ///
    /// - Throws: `missing` if it has no tables of Portico, `older` if tables are missing, `newer`, or `unavailable`.
    package static func existing(
        at url: PostgresURL, _ limits: PostgresLimits = PostgresLimits()
    ) throws(StorageError) -> UserDatabase {
        let server = PostgresDatabase(url, limits)
        try PostgresMigrator(server, schema: url.schema).check()
        return UserDatabase(database: SQLDatabase(server))
    }

    private init(database: SQLDatabase) {
        self.database = database
    }

    private init(_ sqlite: SQLiteDatabase) {
        database = SQLDatabase(SQLiteEngine(file: sqlite))
    }

    /// A file that is forgotten with this value and all that works with it.
    package static func temporary() throws(StorageError) -> UserDatabase {
        try UserDatabase(in: TemporaryDirectory())
    }

    private init(in temporary: TemporaryDirectory) throws(StorageError) {
        var sqlite = try SQLiteDatabase.open(Self.name, in: temporary.folder, .full, Self.migrator)
        sqlite.temporary = temporary
        self.init(sqlite)
    }

    /// SQLite's steps from an empty file to the current tables.
    package static var migrator: DatabaseMigrator {
        var migrator = DatabaseMigrator()
        for name in UserDatabaseMigration.unreleased { migrator.registerMigration(name) { _ in } }
        for step in UserDatabaseMigration.all {
            guard let sql = step.sqlite else { continue }
            migrator.registerMigration(step.name) { db in try db.execute(sql: sql) }
        }
        return migrator
    }
}

extension DatabaseMigrator {
    /// Checks that this version can work with a file or migrate it.
    ///
    /// - Throws: `newer`, or `unreleased`.
    func checkVersion(of db: Database, at path: String) throws {
        if try hasBeenSuperseded(db) { throw StorageError.newer(path: path) }
        let applied = try appliedIdentifiers(db)
        guard !applied.contains(UserDatabaseMigration.baseline.name) else { return }
        if !applied.isDisjoint(with: UserDatabaseMigration.unreleased) {
            throw StorageError.unreleased(path: path)
        }
    }
}

extension UserDatabase {
    /// Replaces the master key of a file.
    ///
    /// The data keys stay the same and are encrypted again: a few rows, in one transaction. A running server
    /// has decrypted them at its start and continues; its next start needs the new master key.
    ///
    /// The function blocks; it is for a command.
    ///
    /// - Returns: The number of keys that were encrypted again, without those of an earlier, interrupted
    ///   change.
    /// - Throws: `wrongMasterKey` if the file was encrypted with another key than `old`; then nothing was
    ///   changed.
    package func changeMasterKey(from old: MasterKey, to new: MasterKey) throws(StorageError) -> Int {
        let path = database.location
        return try database.writeNow { db in
            try TokenKey.rewrap(db, at: path, from: old, to: new)
            return try DataEncryptionKeys.rewrap(db, at: path, from: old, to: new)
        }
    }
}

/// Random numbers as text: ids that cannot be guessed or counted, and states of a consent.
package enum RandomID {
    /// 64 random bits for each word as 16 hexadecimal digits, from the system's generator, which is fit for cryptography.
    package static func make(words: Int = 2) -> String {
        var generator = SystemRandomNumberGenerator()
        return (0..<words).map { _ in
            let digits = String(generator.next() as UInt64, radix: 16)
            return String(repeating: "0", count: 16 - digits.utf8.count) + digits
        }.joined()
    }
}
