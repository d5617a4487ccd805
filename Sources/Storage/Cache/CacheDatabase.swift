import GRDB

/// The database `portico-cache.db`: counts of provider calls, cached values whose calls are limited, and counts of the
/// schema elements that clients use.
///
/// Writes are not synchronised one by one: they survive the end of the process, even if it is killed, but
/// may be lost if the power fails. The file can be deleted while no Portico runs.
package struct CacheDatabase: Sendable {
    package static let name = "portico-cache.db"

    package let database: SQLiteDatabase

    package init(in folder: DataDirectory) throws(StorageError) {
        database = try SQLiteDatabase.open(Self.name, in: folder, .normal, Self.migrator)
    }

    /// Opens the file in a directory that a running server may use: it creates nothing.
    ///
    /// - Throws: `missing` if there is no file, `older` if tables are missing.
    package static func existing(in folder: DataDirectory) throws(StorageError) -> CacheDatabase {
        CacheDatabase(database: try .openExisting(name, in: folder, .normal, migrator))
    }

    private init(database: SQLiteDatabase) {
        self.database = database
    }

    /// The longest time until a count of calls ends, in seconds, if its window has at most 25 hours.
    static let usualQuotaLifetime: Int64 = 26 * 3_600
    /// The same for the longest window that a provider file can have, of 31 days.
    static let longestQuotaLifetime: Int64 = 31 * 86_400 + 3_600

    private static var migrator: DatabaseMigrator {
        var migrator = DatabaseMigrator()
        migrator.registerMigration("1: quota and lasting values") { db in
            try db.execute(
                sql: """
                    CREATE TABLE quota (
                        provider TEXT NOT NULL, connection TEXT NOT NULL, window TEXT NOT NULL, kind INTEGER NOT NULL,
                        until INTEGER NOT NULL, count INTEGER NOT NULL,
                        PRIMARY KEY (provider, connection, window, kind, until)
                    ) STRICT, WITHOUT ROWID;
                    CREATE INDEX quota_until ON quota (until);
                    CREATE TABLE lasting (
                        kind TEXT NOT NULL, provider TEXT NOT NULL, subject TEXT NOT NULL, bytes BLOB NOT NULL,
                        size INTEGER NOT NULL, read_at INTEGER NOT NULL, fresh_until INTEGER NOT NULL,
                        stale_until INTEGER NOT NULL,
                        PRIMARY KEY (kind, provider, subject)
                    ) STRICT;
                    CREATE INDEX lasting_read_at ON lasting (read_at, size);
                    CREATE INDEX lasting_stale_until ON lasting (stale_until);
                    """)
        }
        migrator.registerMigration("2: quota by uptime") { db in
            try db.execute(
                sql: """
                    ALTER TABLE quota ADD COLUMN boot TEXT;
                    ALTER TABLE quota ADD COLUMN uptime_until INTEGER;
                    """)
        }
        migrator.registerMigration("3: uses of the schema") { db in
            try db.execute(
                sql: """
                    CREATE TABLE schema_use (
                        client TEXT NOT NULL, operation TEXT NOT NULL, coordinate TEXT NOT NULL,
                        count INTEGER NOT NULL, last INTEGER NOT NULL,
                        PRIMARY KEY (client, operation, coordinate)
                    ) STRICT, WITHOUT ROWID;
                    CREATE INDEX schema_use_last ON schema_use (last, count);
                    CREATE TABLE schema_use_total (
                        id INTEGER PRIMARY KEY CHECK (id = 0), since INTEGER NOT NULL, uncounted INTEGER NOT NULL
                    ) STRICT;
                    """)
        }
        migrator.registerMigration("4: lifetime of quota") { db in
            // 26 hours, which all counts had until then.
            try db.execute(sql: "ALTER TABLE quota ADD COLUMN lifetime INTEGER NOT NULL DEFAULT 93600")
        }
        migrator.registerMigration("5: quota by its end") { db in
            // New rows have the latest ends, so that many of them change one page instead of one page each.
            try db.execute(
                sql: """
                    CREATE TABLE quota_by_end (
                        provider TEXT NOT NULL, connection TEXT NOT NULL, window TEXT NOT NULL, kind INTEGER NOT NULL,
                        until INTEGER NOT NULL, count INTEGER NOT NULL, boot TEXT, uptime_until INTEGER,
                        lifetime INTEGER NOT NULL DEFAULT 93600,
                        PRIMARY KEY (until, provider, connection, window, kind)
                    ) STRICT, WITHOUT ROWID;
                    INSERT INTO quota_by_end
                        SELECT provider, connection, window, kind, until, count, boot, uptime_until, lifetime FROM quota
                        ORDER BY until, provider, connection, window, kind;
                    DROP TABLE quota;
                    ALTER TABLE quota_by_end RENAME TO quota;
                    """)
        }
        return migrator
    }
}
