package import Brokerage

/// A database, and the interface for its stores: the same SQL runs on each engine.
///
/// A store needs nothing but closures and the methods of ``SQLTransaction``:
///
///     let titles = try await database.read { db in
///         try db.rows("SELECT id, title FROM goal WHERE owner = ? ORDER BY number", [owner.text])
///             .map { row in (id: try row["id"] as String, title: try row["title"] as String?) }
///     }
///     let isDeleted = try await database.write(for: owner) { db in
///         try db.executeUpdate("DELETE FROM goal WHERE id = ? AND owner = ?", [id, owner.text]) > 0
///     }
///
/// Rules of closures:
/// - A write of a user's data names the user, so that the writes of one user are executed one after the other.
/// - A closure may run more than once before its commit, so it changes nothing outside of the database;
///   ``SQLTransaction/afterCommit(_:)`` is for that.
/// - A failed statement ends the transaction: a closure does not catch its error and continue.
///
/// Rules of SQL:
/// - Placeholders are `?` in their order. A statement that uses a value twice has `?1`, `?2` and so on instead.
/// - The reserved names are in double quotes: `"user"`, `"window"`. Without quotes, `user` is another value in PostgreSQL.
/// - `ON CONFLICT (column) DO UPDATE` names its columns; in its expressions, the old value is `table.column`.
/// - The number of a new row is read by `RETURNING`.
/// - Amounts are TEXT with all digits, times BIGINT milliseconds since 1970 (INTEGER in SQLite). If null values can
///   be sorted, `NULLS FIRST` or `NULLS LAST` is given.
/// - Nothing is assembled from values. `IN (…)` takes an ``SQLList``.
package struct SQLDatabase: Sendable {
    private let engine: any SQLEngine

    init(_ engine: any SQLEngine) {
        self.engine = engine
    }

    /// A server, whose tables are not migrated.
    package init(_ server: PostgresDatabase) {
        engine = server
    }

    /// The file; nil for another engine.
    package var sqlite: SQLiteDatabase? { (engine as? SQLiteEngine)?.file }

    /// The server; nil for another engine.
    package var postgres: PostgresDatabase? { engine as? PostgresDatabase }

    /// The path of the file, or the address of the server without its credential; for errors.
    package var location: String { engine.location }

    /// Whether the last writes were stored.
    package var writes: WriteState { engine.writes }

    package func read<Value: Sendable>(
        _ urgency: SQLUrgency = .normal, _ body: @escaping @Sendable (SQLTransaction) throws -> Value
    ) async throws(StorageError) -> Value {
        try await engine.read(urgency, body)
    }

    /// Executes a transaction that changes the data of one user.
    package func write<Value: Sendable>(
        for owner: OwnerID, _ body: @escaping @Sendable (SQLTransaction) throws -> Value
    ) async throws(StorageError) -> Value {
        try await engine.write(for: owner, body)
    }

    /// Executes a transaction.
    ///
    /// It is executed to its end even if the caller's task is cancelled.
    package func write<Value: Sendable>(
        _ body: @escaping @Sendable (SQLTransaction) throws -> Value
    ) async throws(StorageError) -> Value {
        try await engine.write(for: nil, body)
    }

    /// Executes one statement at PostgreSQL as a transaction by itself, see ``PostgresDatabase/statement(isRepeatable:_:)``.
    ///
    /// - Throws: `unavailable` also for another engine.
    package func statement<Value: Sendable>(
        isRepeatable: Bool = true, _ body: @escaping @Sendable (SQLTransaction) throws -> Value
    ) async throws(StorageError) -> Value {
        guard let postgres else {
            throw .unavailable(path: location, reason: "it is no PostgreSQL database", retryAt: .latest)
        }
        return try await postgres.statement(isRepeatable: isRepeatable, body)
    }

    /// Reads with the connection that writes, between two writes; with another engine than SQLite, with any connection.
    package func betweenWrites<Value: Sendable>(
        _ body: @escaping @Sendable (SQLTransaction) throws -> Value
    ) async throws(StorageError) -> Value {
        guard let sqlite else { return try await read(.normal, body) }
        return try await sqlite.betweenWrites { db in try body(SQLTransaction(db)) }
    }

    /// Reads on this thread, which waits: for the start of the process.
    package func readNow<Value>(_ body: (SQLTransaction) throws -> Value) throws(StorageError) -> Value {
        try engine.readNow(body)
    }

    /// Writes on this thread, without the time limit of a statement: for a command.
    func maintain<Value>(_ body: (SQLTransaction) throws -> Value) throws(StorageError) -> Value {
        if let postgres { return try postgres.maintain(body) }
        return try engine.writeNow(body)
    }

    /// Writes on this thread, which waits: for the start and the end of the process.
    package func writeNow<Value>(_ body: (SQLTransaction) throws -> Value) throws(StorageError) -> Value {
        try engine.writeNow(body)
    }
}

/// How long a caller waits for a read from a server.
package enum SQLUrgency: Sendable {
    /// A read by a key that each request may need.
    case lookUp
    case normal
    /// A read of much data, for a command or an export.
    case maintenance
}

/// An engine of ``SQLDatabase``.
protocol SQLEngine: Sendable {
    /// The path or the address, for errors.
    var location: String { get }

    var writes: WriteState { get }

    func read<Value: Sendable>(
        _ urgency: SQLUrgency, _ body: @escaping @Sendable (SQLTransaction) throws -> Value
    ) async throws(StorageError) -> Value

    /// Executes a transaction, which holds the lock of a user if one is given.
    func write<Value: Sendable>(
        for owner: OwnerID?, _ body: @escaping @Sendable (SQLTransaction) throws -> Value
    ) async throws(StorageError) -> Value

    func readNow<Value>(_ body: (SQLTransaction) throws -> Value) throws(StorageError) -> Value

    func writeNow<Value>(_ body: (SQLTransaction) throws -> Value) throws(StorageError) -> Value
}

/// A connection of an engine during one transaction.
protocol SQLConnection {
    /// - Returns: The number of rows that the statement inserted, changed or deleted itself.
    func execute(_ sql: String, _ arguments: SQLArguments) throws -> Int

    func executeScript(_ sql: String) throws

    /// Calls a closure at each row of a result until it returns false.
    func query(
        _ sql: String, _ arguments: SQLArguments, _ body: (inout SQLRowReader) throws -> Bool
    ) throws

    func lock(_ owner: OwnerID) throws

    func lock(table: String) throws

    /// The SQL of a time that the caller binds, see ``SQLTransaction/boundedTime``.
    var boundedTime: String { get }

    /// The time of the server; nil if the database is of this process.
    func serverTime() throws -> Int64?

    func afterCommit(_ body: @escaping @Sendable () -> Void)
}

/// The result of a statement during the call that receives it, at one of its rows.
protocol SQLResult {
    var columnCount: Int { get }

    /// The names of the columns.
    var columns: [String] { get }

    /// The value of a column of the current row; the column must be below ``columnCount``.
    func value(_ column: Int) throws(CorruptedRow) -> SQLValue
}
