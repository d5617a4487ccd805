package import Brokerage
import GRDB

/// A transaction, or a read of one consistent state.
///
/// It is valid in the closure that gets it, on that closure's thread. ``SQLDatabase`` describes the SQL.
package struct SQLTransaction {
    private let connection: any SQLConnection

    init(_ connection: any SQLConnection) {
        self.connection = connection
    }

    init(_ database: Database) {
        connection = SQLiteConnection(database: database)
    }

    /// Executes a statement.
    package func execute(_ sql: String, _ arguments: SQLArguments = []) throws {
        _ = try connection.execute(sql, arguments)
    }

    /// Executes a statement.
    ///
    /// - Returns: The number of rows that it inserted, changed or deleted itself, without those of foreign keys.
    package func executeUpdate(_ sql: String, _ arguments: SQLArguments = []) throws -> Int {
        try connection.execute(sql, arguments)
    }

    /// Returns the first row of a result; nil if there is none.
    package func row(_ sql: String, _ arguments: SQLArguments = []) throws -> SQLRow? {
        var first: SQLRow?
        try connection.query(sql, arguments) { reader in
            first = try reader.row(reader.columns)
            return false
        }
        return first
    }

    /// Returns all rows of a result.
    package func rows(_ sql: String, _ arguments: SQLArguments = []) throws -> [SQLRow] {
        var rows: [SQLRow] = []
        try forEachRow(sql, arguments) { rows.append($0) }
        return rows
    }

    /// Calls a closure with each row of a long result, without storing them all.
    package func forEachRow(
        _ sql: String, _ arguments: SQLArguments = [], _ body: (SQLRow) throws -> Void
    ) throws {
        var columns: [String]?
        try connection.query(sql, arguments) { reader in
            let names = columns ?? reader.columns
            columns = names
            try body(try reader.row(names))
            return true
        }
    }

    /// Returns what a closure reads from each row of a long result.
    package func map<Value>(
        _ sql: String, _ arguments: SQLArguments = [], _ body: (inout SQLRowReader) throws -> Value
    ) throws -> [Value] {
        var values: [Value] = []
        try connection.query(sql, arguments) { reader in
            values.append(try body(&reader))
            return true
        }
        return values
    }

    /// Returns the first column of the first row; nil if there is no row, or the value is null.
    package func value<Value: SQLConvertible>(
        _ sql: String, _ arguments: SQLArguments = [], as type: Value.Type = Value.self
    ) throws -> Value? {
        guard let value = try row(sql, arguments)?.values.first else { return nil }
        return try Value?(sqlValue: value)
    }

    /// Returns the first column of all rows.
    package func values<Value: SQLConvertible>(
        _ sql: String, _ arguments: SQLArguments = [], as type: Value.Type = Value.self
    ) throws -> [Value] {
        try rows(sql, arguments).map { row in
            guard let value = row.values.first else { throw CorruptedRow() }
            return try Value(sqlValue: value)
        }
    }

    /// Executes several statements without placeholders, separated by semicolons.
    package func executeScript(_ sql: String) throws { try connection.executeScript(sql) }

    /// Waits until no other transaction has the lock of a user, and holds it until this one ends.
    ///
    /// For a write that learns from a row whose data it is; call it before the reads that the write depends on.
    /// ``SQLDatabase/write(for:_:)`` does this for a known user. It does nothing in SQLite, which has one writer.
    package func lock(_ owner: OwnerID) throws { try connection.lock(owner) }

    /// Waits until no other transaction has changed a table, and holds its lock until this one ends.
    ///
    /// For a row that the first of several processes makes. It does nothing in SQLite, which has one writer.
    func lock(table: String) throws { try connection.lock(table: table) }

    /// The SQL of a time that the caller binds, as one placeholder; with PostgreSQL it is at most the time of the server.
    ///
    /// For deletions: the clock of one of several processes may be wrong, and the others still need the data.
    var boundedTime: String { connection.boundedTime }

    /// The time of the server with PostgreSQL, because the clock of one of several processes may be wrong.
    ///
    /// - Parameter now: The time of this process.
    /// - Returns: The time of the server; with SQLite `now`.
    /// - Throws: The error of the database.
    func time(_ now: Instant) throws -> Instant {
        try connection.serverTime().flatMap(Instant.init(millisecondsSince1970:)) ?? now
    }

    /// Calls a closure after the commit, before any later transaction of this process writes; not after a rollback.
    package func afterCommit(_ body: @escaping @Sendable () -> Void) { connection.afterCommit(body) }
}

/// GRDB's connection during one transaction.
struct SQLiteConnection: SQLConnection {
    let database: Database

    func execute(_ sql: String, _ arguments: SQLArguments) throws -> Int {
        try database.cachedStatement(sql: sql).execute(arguments: StatementArguments(arguments))
        return database.changesCount
    }

    func executeScript(_ sql: String) throws { try database.execute(sql: sql) }

    func query(
        _ sql: String, _ arguments: SQLArguments, _ body: (inout SQLRowReader) throws -> Bool
    ) throws {
        let statement = try database.cachedStatement(sql: sql)
        let cursor = try Row.fetchCursor(statement, arguments: StatementArguments(arguments))
        var reader = SQLRowReader(SQLiteResult(statement: statement))
        while try cursor.next() != nil {
            reader.restart()
            if try !body(&reader) { return }
        }
    }

    /// There is one process.
    var boundedTime: String { "?" }

    func serverTime() -> Int64? { nil }

    /// There is one writer.
    func lock(_ owner: OwnerID) throws {}

    func lock(table: String) throws {}

    func afterCommit(_ body: @escaping @Sendable () -> Void) {
        database.afterNextTransaction { _ in body() }
    }
}

/// A statement of GRDB at a row.
///
/// Values are read from the statement: GRDB's row would look up the name of each column as well.
private struct SQLiteResult: SQLResult {
    let statement: Statement

    var columnCount: Int { statement.columnCount }

    var columns: [String] { statement.columnNames }

    func value(_ column: Int) -> SQLValue {
        unsafe SQLValue(
            DatabaseValue(sqliteStatement: statement.sqliteStatement, index: CInt(clamping: column)))
    }
}

extension SQLValue {
    /// A REAL, which no table of Portico has, becomes null.
    fileprivate init(_ value: DatabaseValue) {
        switch value.storage {
        case .null, .double: self = .null
        case .int64(let number): self = .integer(number)
        case .string(let text): self = .text(text)
        case .blob(let bytes): self = .bytes(bytes)
        }
    }

    fileprivate var databaseValue: DatabaseValue {
        switch self {
        case .null: .null
        case .integer(let number): number.databaseValue
        case .text(let text): text.databaseValue
        case .bytes(let bytes): bytes.databaseValue
        case .boolean(let flag): flag.databaseValue
        }
    }
}

extension StatementArguments {
    fileprivate init(_ arguments: SQLArguments) {
        self.init(arguments.values.map(\.databaseValue))
    }
}
