import Brokerage
package import GRDB
import Glibc

/// One file of SQLite, open for this process.
package struct SQLiteDatabase: Sendable {
    package let path: String
    package let pool: DatabasePool
    /// Whether the last writes were stored.
    let writes = WriteState()
    /// The temporary directory of the file, deleted when the database is released; nil for a permanent file.
    var temporary: TemporaryDirectory?

    /// When a write is on the disk.
    enum Durability: Int {
        /// After a while; a process that is killed loses nothing, a machine that loses power may.
        case normal = 1
        /// Before it is done.
        case full = 2
    }

    /// Opens a file, creates it if there is none, and migrates its tables.
    static func open(
        _ name: String, in folder: DataDirectory, _ durability: Durability, _ migrator: DatabaseMigrator
    ) throws(StorageError) -> SQLiteDatabase {
        try open(folder.secure(name), durability, migrator) { pool, _ in try migrator.migrate(pool) }
    }

    /// Opens a file that another process may work with: it must be there, with today's tables.
    static func openExisting(
        _ name: String, in folder: DataDirectory, _ durability: Durability, _ migrator: DatabaseMigrator
    ) throws(StorageError) -> SQLiteDatabase {
        let path = folder.path(of: name)
        guard unsafe access(path, F_OK) == 0 else { throw .missing(path: path) }
        return try open(path, durability, migrator) { pool, path in
            let isToday = try pool.read { try migrator.hasCompletedMigrations($0) }
            if !isToday { throw StorageError.older(path: path) }
        }
    }

    private static func open(
        _ path: String, _ durability: Durability, _ migrator: DatabaseMigrator,
        prepare: (DatabasePool, _ path: String) throws -> Void
    ) throws(StorageError) -> SQLiteDatabase {
        do {
            var configuration = Configuration()
            configuration.busyMode = .timeout(5)
            configuration.maximumReaderCount = 4
            let pool = try DatabasePool(path: path, configuration: configuration)
            try check(pool, at: path, migrator)
            try prepare(pool, path)
            try set(durability, in: pool, at: path)
            return SQLiteDatabase(path: path, pool: pool)
        } catch {
            throw StorageError(error, path: path)
        }
    }

    private static func check(_ pool: DatabasePool, at path: String, _ migrator: DatabaseMigrator) throws {
        try pool.read { db in
            guard try String.fetchOne(db, sql: "PRAGMA quick_check(1)") == "ok" else {
                throw StorageError.damaged(path: path)
            }
            try migrator.checkVersion(of: db, at: path)
        }
    }

    /// GRDB sets `NORMAL` on every connection that it opens; only the one that writes needs another, and it lives as long
    /// as the pool does.
    private static func set(_ durability: Durability, in pool: DatabasePool, at path: String) throws {
        try pool.writeWithoutTransaction { db in
            try db.execute(sql: "PRAGMA synchronous = \(durability.rawValue)")
            guard try Int.fetchOne(db, sql: "PRAGMA synchronous") == durability.rawValue else {
                throw StorageError.file(path: path, reason: "its durability cannot be set")
            }
        }
    }

    /// Executes a transaction.
    ///
    /// It runs in its own task: GRDB rolls a write back when its task is cancelled, and a client that
    /// disconnects must not undo a completed change.
    package func write<Value: Sendable>(
        _ body: @escaping @Sendable (Database) throws -> Value
    ) async throws(StorageError) -> Value {
        let (pool, path, writes) = (pool, path, writes)
        let result = await Task.detached {
            do {
                let write = try await pool.write { db in try CountedWrite(in: db, body) }
                return Result<Value, StorageError>.success(writes.value(of: write))
            } catch {
                return .failure(writes.recorded(StorageError(error, path: path)))
            }
        }.value
        return try result.get()
    }

    /// Uses the connection that writes, between two writes.
    package func betweenWrites<Value: Sendable>(
        _ body: @escaping @Sendable (Database) throws -> Value
    ) async throws(StorageError) -> Value {
        do {
            return try await pool.writeWithoutTransaction(body)
        } catch {
            throw StorageError(error, path: path)
        }
    }

    /// Reads from one consistent state of the file.
    ///
    /// It is finished if its task is cancelled, as a write is: a client that disconnects must not look like a failure of
    /// the database.
    package func read<Value: Sendable>(
        _ body: @escaping @Sendable (Database) throws -> Value
    ) async throws(StorageError) -> Value {
        let (pool, path) = (pool, path)
        let result = await withCheckedContinuation { continuation in
            pool.asyncRead { database in
                do {
                    continuation.resume(
                        returning: Result<Value, StorageError>.success(try body(database.get())))
                } catch {
                    continuation.resume(returning: .failure(StorageError(error, path: path)))
                }
            }
        }
        return try result.get()
    }

    /// Reads on this thread, which waits: for the start of the process.
    package func readNow<Value>(_ body: (Database) throws -> Value) throws(StorageError) -> Value {
        do {
            return try pool.read(body)
        } catch {
            throw StorageError(error, path: path)
        }
    }

    /// Writes on this thread, which waits: for the start and the end of the process.
    package func writeNow<Value>(_ body: (Database) throws -> Value) throws(StorageError) -> Value {
        do {
            return writes.value(of: try pool.write { db in try CountedWrite(in: db, body) })
        } catch {
            throw writes.recorded(StorageError(error, path: path))
        }
    }
}

/// The result of a transaction, and whether it has changed anything.
private struct CountedWrite<Value> {
    let value: Value
    let hasChanges: Bool

    init(in database: Database, _ body: (Database) throws -> Value) throws {
        let before = database.totalChangesCount
        value = try body(database)
        hasChanges = database.totalChangesCount != before
    }
}

extension CountedWrite: Sendable where Value: Sendable {}

extension WriteState {
    /// The value of a transaction that was committed.
    fileprivate func value<Value>(of write: CountedWrite<Value>) -> Value {
        if write.hasChanges { didStore() }
        return write.value
    }
}

extension StorageError {
    /// Converts an error of SQLite.
    ///
    /// Its text is not used, because it can quote the values of the statement.
    init(_ error: any Error, path: String) {
        if let error = error as? StorageError {
            self = error
            return
        }
        if error is CorruptedRow {
            self = .damaged(path: path)
            return
        }
        guard let error = error as? DatabaseError else {
            self = .failed(path: path, code: -1)
            return
        }
        switch error.resultCode {
        case .SQLITE_NOTADB, .SQLITE_CORRUPT: self = .damaged(path: path)
        case .SQLITE_BUSY, .SQLITE_LOCKED: self = .busy(path: path)
        case .SQLITE_FULL: self = .full(path: path)
        case .SQLITE_IOERR: self = .inputOutput(path: path, code: error.extendedResultCode.rawValue)
        case .SQLITE_CANTOPEN, .SQLITE_READONLY, .SQLITE_PERM:
            self = .file(path: path, reason: "SQLite may not write there")
        default: self = .failed(path: path, code: error.extendedResultCode.rawValue)
        }
    }
}

/// A file of SQLite as an engine of ``SQLDatabase``.
struct SQLiteEngine: SQLEngine {
    let file: SQLiteDatabase

    var location: String { file.path }

    var writes: WriteState { file.writes }

    func read<Value: Sendable>(
        _ urgency: SQLUrgency, _ body: @escaping @Sendable (SQLTransaction) throws -> Value
    ) async throws(StorageError) -> Value {
        try await file.read { db in try body(SQLTransaction(db)) }
    }

    /// All writes are executed one after the other.
    func write<Value: Sendable>(
        for owner: OwnerID?, _ body: @escaping @Sendable (SQLTransaction) throws -> Value
    ) async throws(StorageError) -> Value {
        try await file.write { db in try body(SQLTransaction(db)) }
    }

    func readNow<Value>(_ body: (SQLTransaction) throws -> Value) throws(StorageError) -> Value {
        try file.readNow { db in try body(SQLTransaction(db)) }
    }

    func writeNow<Value>(_ body: (SQLTransaction) throws -> Value) throws(StorageError) -> Value {
        try file.writeNow { db in try body(SQLTransaction(db)) }
    }
}

/// A separate connection that only reads a file.
///
/// It waits neither for the file's writer nor for one of its readers.
///
/// It is not opened read-only in SQLite, because the last connection that is closed must clean up the file.
package struct ReadingConnection: Sendable {
    private let path: String
    private let queue: DatabaseQueue

    /// - Throws: The reason why the file cannot be opened.
    package init(to file: SQLiteDatabase) throws(StorageError) {
        path = file.path
        do {
            var configuration = Configuration()
            configuration.busyMode = .timeout(5)
            queue = try DatabaseQueue(path: file.path, configuration: configuration)
        } catch {
            throw StorageError(error, path: file.path)
        }
    }

    /// Reads from one consistent state of the file.
    package func read<Value: Sendable>(
        _ body: @escaping @Sendable (SQLTransaction) throws -> Value
    ) async throws(StorageError) -> Value {
        do {
            return try await queue.read { db in try body(SQLTransaction(db)) }
        } catch {
            throw StorageError(error, path: path)
        }
    }
}
