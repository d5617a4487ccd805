package import Brokerage
import GRDB
import Synchronization
package import Upstream

/// The quota ledger's counts, in the cache file.
package final class KeptQuotas: QuotaKeeper {
    private let database: DatabaseFile
    // Counts additions, to tidy up now and then; held for that alone.
    private let additions = Mutex(0)

    /// What ended this long ago is of no use, even if the wall clock was set since.
    private static let retention = Duration.seconds(2 * 86_400)
    private static let additionsBetweenCleanings = 512

    package init(in file: CacheFile) {
        database = file.database
    }

    package func load() throws -> [KeptQuota] {
        try database.readNow { db in
            try Row.fetchAll(db, sql: "SELECT * FROM quota WHERE count > 0").compactMap(KeptQuota.init(row:))
        }
    }

    package func add(_ entries: [KeptQuota], now: Instant) async throws {
        let isCleaning = additions.withLock { count in
            count = (count + 1) % Self.additionsBetweenCleanings
            return count == 1
        }
        let oldest = (now - Self.retention).secondsSince1970
        try await database.write { db in
            let add = try db.cachedStatement(
                sql: """
                    INSERT INTO quota (provider, connection, window, kind, until, count) VALUES (?, ?, ?, ?, ?, ?)
                    ON CONFLICT DO UPDATE SET count = count + excluded.count
                    """)
            for entry in entries {
                try add.execute(arguments: [
                    entry.holder.provider.rawValue, entry.holder.column, entry.window, entry.kind.rawValue,
                    entry.until.secondsSince1970, entry.count,
                ])
            }
            if isCleaning { try db.execute(sql: "DELETE FROM quota WHERE until < ?", arguments: [oldest]) }
        }
    }

    package func remove(_ holder: QuotaHolder) async throws {
        try await database.write { db in
            try db.execute(
                sql: "DELETE FROM quota WHERE provider = ? AND connection = ?",
                arguments: [holder.provider.rawValue, holder.column])
        }
    }
}

extension QuotaHolder {
    /// The connection's id behind a mark, so that no id is taken for the server's own key.
    fileprivate var column: String { connection.map { "=" + $0 } ?? "" }

    fileprivate init?(provider: String, column: String) {
        guard let provider = Provider(rawValue: provider) else { return nil }
        self.init(provider, connection: column.hasPrefix("=") ? String(column.dropFirst()) : nil)
    }
}

extension KeptQuota {
    /// Nil for a row that another version has written and this one does not understand.
    fileprivate init?(row: Row) {
        guard let holder = QuotaHolder(provider: row["provider"], column: row["connection"]),
            let kind = Kind(rawValue: row["kind"]), let until = Instant(secondsSince1970: row["until"])
        else { return nil }
        self.init(holder: holder, window: row["window"], kind: kind, until: until, count: row["count"])
    }
}
