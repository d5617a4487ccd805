package import Brokerage
import Synchronization
package import Upstream

/// The quota ledger's counts, in a PostgreSQL database, for one server.
///
/// Entries end by the wall clock: the next process may run on another machine.
package final class PostgresQuotaStore: QuotaStore {
    private let database: SQLDatabase
    // Counts additions, to delete old entries now and then; held for that alone.
    private let additions = Mutex(0)

    /// Entries that ended earlier than this are deleted, even if the wall clock was set since.
    private static let retention = Duration.seconds(2 * 86_400)
    private static let additionsBetweenCleanings = 512
    private static let maximumLoaded = 100_000

    package init(in file: UserDatabase) {
        database = file.database
    }

    package func load(now: Instant, uptime: Duration) throws -> [StoredQuotaUsage] {
        // An entry that ends later was stored by a wrong clock, or is read by one.
        let latest = now + StoredQuotaUsage.maximumLifetime
        return try database.readNow { db in
            // The server's own key first, then what counts longest.
            try db.rows(
                """
                SELECT * FROM call_count WHERE calls > 0 AND ends_at > ?
                ORDER BY credential <> '', ends_at DESC LIMIT ?
                """, [now.millisecondsSince1970, Self.maximumLoaded]
            ).compactMap { row in
                guard let provider = try ProviderID(rawValue: row["provider"]),
                    let kind = try StoredQuotaUsage.Kind(rawValue: row["kind"]),
                    let end = try row.instant("ends_at")
                else { return nil }
                let credential: String = try row["credential"]
                return try StoredQuotaUsage(
                    account: QuotaAccount(
                        provider, credential: credential.isEmpty ? nil : String(credential.dropFirst())),
                    window: row["quota"], kind: kind, until: min(end, latest), count: row["calls"])
            }
        }
    }

    package func add(_ entries: [StoredQuotaUsage], now: Instant, uptime: Duration) async throws {
        let isCleaning = additions.withLock { count in
            count = (count + 1) % Self.additionsBetweenCleanings
            return count == 1
        }
        let oldest = (now - Self.retention).millisecondsSince1970
        try await database.write { db in
            for entry in entries {
                try db.execute(
                    """
                    INSERT INTO call_count (provider, credential, quota, kind, ends_at, calls)
                    VALUES (?, ?, ?, ?, ?, ?)
                    ON CONFLICT (provider, credential, quota, kind, ends_at)
                        DO UPDATE SET calls = call_count.calls + excluded.calls
                    """,
                    [
                        entry.account.provider.rawValue,
                        // Behind a mark, so that none is taken for the server's own key.
                        entry.account.credential.map { "=" + $0 } ?? "", entry.window, entry.kind.rawValue,
                        entry.until.millisecondsSince1970, entry.count,
                    ])
            }
            if isCleaning { try db.execute("DELETE FROM call_count WHERE ends_at < ?", [oldest]) }
        }
    }
}
