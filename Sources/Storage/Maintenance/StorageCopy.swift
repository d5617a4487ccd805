package import Brokerage
import GRDB

/// A copy of all users' data from a data directory to a PostgreSQL database, or back.
///
/// No server may use either of them: the copy holds the locks of both. Secrets are copied as they are, encrypted under the
/// same master key. The counts of quotas are copied, too; otherwise the calls of the day could be made twice.
package struct StorageCopy {
    /// A data directory or a database.
    package enum Place: Sendable {
        case folder(DataDirectory)
        case postgres(PostgresURL)
    }

    /// The number of copied rows of a table.
    package struct Table: Hashable, Sendable {
        package let name: String
        package let rows: Int
    }

    /// The tables, those first to which others refer, with the columns of their primary keys.
    private static let tables: [(name: String, key: String)] = [
        ("data_key", "id"), ("token_key", "id"), ("credential", "connection"), ("user", "id"),
        ("password", "user_id"), ("session", "id"), ("invitation", "id"), ("connection", "id"),
        ("connected_account", "connection, place"), ("watchlist", "number"),
        ("watchlist_item", "watchlist, symbol"), ("goal", "number"), ("goal_allocation", "goal, position"),
        ("journal_order", "owner, connection, id"),
        ("journal_replaced", "owner, connection, provider_order_id"), ("journal_write", "id"),
        ("activity_account", "owner, connection, account"), ("activity", "owner, connection, account, id"),
        ("identity", "issuer, subject"), ("pending_sign_in", "state_hash"),
        ("ended_identity_session", "issuer, kind, value"), ("accepted_logout", "token_hash"),
        ("alert", "number"), ("alert_firing", "number"),
        ("webhook", "id"), ("webhook_delivery", "id"),
    ]
    /// The tables whose numbers are never used again, with their columns.
    private static let numbered = [
        ("data_key", "id"), ("token_key", "id"), ("watchlist", "number"), ("goal", "number"),
        ("alert", "number"), ("alert_firing", "number"),
    ]

    private let source: OpenPlace
    private let target: OpenPlace

    /// Opens both, and updates the tables of the source to this version.
    ///
    /// - Throws: `busy` if a server uses one of them, `notEmpty` if the target has data.
    package init(from source: Place, to target: Place) throws(StorageError) {
        self.source = try OpenPlace(source)
        self.target = try OpenPlace(target)
        let isEmpty = try self.target.file.database.readNow { db in
            try Self.tables.allSatisfy { table in
                try db.value("SELECT count(*) FROM \"\(table.name)\"", as: Int.self) == 0
            }
        }
        guard isEmpty else { throw .notEmpty(path: self.target.file.database.location) }
    }

    /// Copies all rows in one transaction, and compares them with the original.
    ///
    /// Before, writes of the order journal that no process executes any more are settled: a write that was not sent is
    /// deleted, and one that may have been sent becomes unconfirmed.
    ///
    /// - Returns: The number of rows of each table.
    /// - Throws: `differs` if a row is different in the copy, or the error of a database; then nothing was stored.
    package func run(now: Instant = .now) async throws(StorageError) -> [Table] {
        if source.file.database.postgres != nil {
            // No process runs, also if one was killed a moment ago.
            try await source.file.database.write { db in try db.execute("DELETE FROM replica") }
        }
        try await OrderJournal(in: source.file).abandonUnattended(now: now)
        let (original, copy) = (source.file.database, target.file.database)
        let usage = try source.usage(now: now)
        var tables = try original.maintain { from in
            try copy.maintain { to in
                let tables = try Self.tables.map { table in
                    Table(name: table.name, rows: try Self.copy(table, from, to, at: original.location))
                }
                guard copy.postgres != nil else { return tables }
                for (table, column) in Self.numbered { try Self.setSequence(table, column, from, to) }
                try Self.insert(usage, into: to)
                return tables
            }
        }
        try target.store(usage, now: now)
        tables.append(Table(name: "counts of calls", rows: usage.count))
        return tables
    }

    /// Returns the number of rows.
    private static func copy(
        _ table: (name: String, key: String), _ from: SQLTransaction, _ to: SQLTransaction,
        at location: String
    ) throws -> Int {
        let select = "SELECT * FROM \"\(table.name)\" ORDER BY \(table.key)"
        var columns: [String] = []
        try from.forEachRow(select) { row in
            columns = row.columns
            let places = Array(repeating: "?", count: columns.count).joined(separator: ", ")
            try to.execute(
                "INSERT INTO \"\(table.name)\" (\(columns.joined(separator: ", "))) VALUES (\(places))",
                SQLArguments(row.values))
        }
        if columns.isEmpty { return 0 }
        let copied = try to.rows(
            "SELECT \(columns.joined(separator: ", ")) FROM \"\(table.name)\" ORDER BY \(table.key)")
        var index = 0
        try from.forEachRow(select) { row in
            guard index < copied.count, copied[index].values.map(plain) == row.values.map(plain) else {
                throw StorageError.differs(path: location, table: table.name)
            }
            index += 1
        }
        guard index == copied.count else { throw StorageError.differs(path: location, table: table.name) }
        return index
    }

    /// A value as SQLite has it.
    private static func plain(_ value: SQLValue) -> SQLValue {
        if case .boolean(let flag) = value { .integer(flag ? 1 : 0) } else { value }
    }

    /// Lets new rows of PostgreSQL have numbers that SQLite has never used.
    private static func setSequence(
        _ table: String, _ column: String, _ from: SQLTransaction, _ to: SQLTransaction
    ) throws {
        let last: Int64? = try from.value("SELECT seq FROM sqlite_sequence WHERE name = ?", [table])
        guard let last else { return }
        try to.execute(
            "SELECT setval(pg_get_serial_sequence(?, ?), CAST(? AS BIGINT))", ["\"\(table)\"", column, last])
    }

    // MARK: Counts of calls

    /// A row of the counts of calls, which both engines have under different names.
    fileprivate struct Usage: Sendable {
        let provider: String
        let credential: String
        let quota: String
        let kind: Int64
        let end: Instant
        let calls: Int64

        /// The kind of a closed window; 0 is that of calls.
        static let closure: Int64 = 1
    }

    /// Stores counts as slots; a closed window is an entry of the kind 1.
    private static func insert(_ usage: [Usage], into db: SQLTransaction) throws {
        for entry in usage where entry.calls > 0 {
            let end = entry.end.millisecondsSince1970
            let key: SQLArguments = [entry.provider, entry.credential, entry.quota]
            try db.execute(
                """
                INSERT INTO quota (provider, credential, name) VALUES (?, ?, ?)
                ON CONFLICT (provider, credential, name) DO NOTHING
                """, key)
            if entry.kind == Usage.closure {
                try db.execute(
                    """
                    UPDATE quota SET closed_until = greatest(closed_until, CAST(? AS BIGINT))
                    WHERE provider = ? AND credential = ? AND name = ?
                    """, [end] + key)
            } else {
                try db.execute(
                    "SELECT CAST(quota_add(?, ?, ?, 0, CAST(? AS BIGINT), CAST(? AS BIGINT)) AS TEXT)",
                    key + [end, entry.calls])
            }
        }
    }

    /// An opened data directory or database, with its lock.
    private struct OpenPlace {
        let file: UserDatabase
        private let cache: CacheDatabase?
        private let locks: (folder: DirectoryLock?, server: PostgresServerLock?)

        /// A copy may take long.
        private static let limits: PostgresLimits = {
            var limits = PostgresLimits()
            limits.transaction = .seconds(60)
            limits.maintenance = .seconds(6 * 3_600)
            return limits
        }()

        init(_ place: Place) throws(StorageError) {
            switch place {
            case .folder(let folder):
                locks = (try DirectoryLock(folder), nil)
                file = try UserDatabase(in: folder)
                cache = try CacheDatabase(in: folder)
            case .postgres(let url):
                locks = (nil, try PostgresServerLock(url, for: .copy))
                file = try UserDatabase(at: url, Self.limits)
                cache = nil
            }
        }

        /// The counts whose windows have not ended.
        func usage(now: Instant) throws(StorageError) -> [Usage] {
            guard let cache else {
                return try file.database.readNow { db in
                    try db.rows(
                        """
                        SELECT provider, credential, name, CAST(0 AS BIGINT) AS kind, ending, number
                        FROM quota, unnest(ends, calls) AS slot (ending, number) WHERE ending > ?1
                        UNION ALL
                        SELECT provider, credential, name, 1, closed_until, 1 FROM quota WHERE closed_until > ?1
                        ORDER BY 1, 2, 3, 4, 5
                        """, [now.millisecondsSince1970]
                    ).map { row in
                        guard let end = try row.instant("ending") else { throw CorruptedRow() }
                        return try Usage(
                            provider: row["provider"], credential: row["credential"], quota: row["name"],
                            kind: row["kind"], end: end, calls: row["number"])
                    }
                }
            }
            return try cache.database.readNow { db in
                let rows = try Row.fetchAll(
                    db, sql: "SELECT * FROM quota WHERE until > ?", arguments: [now.secondsSince1970])
                return try rows.map { row in
                    guard let end = Instant(secondsSince1970: row["until"]) else { throw CorruptedRow() }
                    return Usage(
                        provider: row["provider"], credential: row["connection"], quota: row["window"],
                        kind: row["kind"], end: end, calls: row["count"])
                }
            }
        }

        /// Stores counts in the cache file of a directory.
        func store(_ usage: [Usage], now: Instant) throws(StorageError) {
            guard let cache else { return }
            try cache.database.writeNow { db in
                for entry in usage {
                    // Never sooner: the file has whole seconds.
                    let until = entry.end.secondsSince1970 + (entry.end.nanoseconds > 0 ? 1 : 0)
                    // The length of the window is not known here; an end later than this is taken for a wrong one.
                    let lifetime = min(
                        max(CacheDatabase.usualQuotaLifetime, until - now.secondsSince1970 + 3_600),
                        CacheDatabase.longestQuotaLifetime)
                    try db.execute(
                        sql: """
                            INSERT INTO quota (provider, connection, window, kind, until, count, lifetime)
                            VALUES (?, ?, ?, ?, ?, ?, ?)
                            ON CONFLICT DO UPDATE SET count = count + excluded.count
                            """,
                        arguments: [
                            entry.provider, entry.credential, entry.quota, entry.kind, until, entry.calls,
                            lifetime,
                        ])
                }
            }
        }
    }
}
