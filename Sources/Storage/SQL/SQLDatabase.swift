package import Upstream

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
    let sqlite: SQLiteDatabase

    /// The path of the file, for errors.
    package var location: String { sqlite.path }

    package func read<Value: Sendable>(
        _ body: @escaping @Sendable (SQLTransaction) throws -> Value
    ) async throws(StorageError) -> Value {
        try await sqlite.read { db in try body(SQLTransaction(db)) }
    }

    /// Executes a transaction that changes the data of one user.
    package func write<Value: Sendable>(
        for owner: OwnerID, _ body: @escaping @Sendable (SQLTransaction) throws -> Value
    ) async throws(StorageError) -> Value {
        try await write { db in
            try db.lock(owner)
            return try body(db)
        }
    }

    /// Executes a transaction.
    ///
    /// It is executed to its end even if the caller's task is cancelled.
    package func write<Value: Sendable>(
        _ body: @escaping @Sendable (SQLTransaction) throws -> Value
    ) async throws(StorageError) -> Value {
        try await sqlite.write { db in try body(SQLTransaction(db)) }
    }

    /// Reads with the connection that writes, between two writes.
    package func betweenWrites<Value: Sendable>(
        _ body: @escaping @Sendable (SQLTransaction) throws -> Value
    ) async throws(StorageError) -> Value {
        try await sqlite.betweenWrites { db in try body(SQLTransaction(db)) }
    }

    /// Reads on this thread, which waits: for the start of the process.
    package func readNow<Value>(_ body: (SQLTransaction) throws -> Value) throws(StorageError) -> Value {
        try sqlite.readNow { db in try body(SQLTransaction(db)) }
    }

    /// Writes on this thread, which waits: for the start and the end of the process.
    package func writeNow<Value>(_ body: (SQLTransaction) throws -> Value) throws(StorageError) -> Value {
        try sqlite.writeNow { db in try body(SQLTransaction(db)) }
    }
}
