package import Brokerage
import Foundation
import GRDB
package import Storage
import Synchronization
package import Upstream

/// The quota ledger's counts, in the cache file.
///
/// A row has the calls of an account in a window that end at the same second (`until`), or a closure; the `connection` of a row
/// is the credential. The counts of several calls that begin during one transaction are one transaction after it.
package final class SQLiteQuotaStore: QuotaStore {
    private let database: SQLiteDatabase
    // Calls begin on any thread; held for a few stores.
    private let state = Mutex(State())

    private struct State {
        /// The number of writes, to tidy up now and then.
        var writes = 0
        /// Whether a transaction is being executed.
        ///
        /// What is added meanwhile is in one transaction after it.
        var isWriting = false
        var waiting: [StoredQuotaUsage] = []
        var waiters: [CheckedContinuation<Void, any Error>] = []
    }

    /// Entries that ended earlier than this are deleted, even if the wall clock was set since.
    private static let retention = Duration.seconds(2 * 86_400)
    private static let additionsBetweenCleanings = 512

    /// Identifies the machine's last start; uptimes that were stored before it are not comparable.
    private let boot: String?
    private let maximumLoaded: Int

    /// - Parameters:
    ///   - file: The file of the entries.
    ///   - boot: Identifies the machine's last start; nil or empty if it is unknown, and the wall clock alone
    ///     counts.
    ///   - maximumLoaded: As many entries are read, because attempts to connect with wrong keys leave entries,
    ///     too.
    package init(
        in file: CacheDatabase, boot: String? = SQLiteQuotaStore.currentBoot, maximumLoaded: Int = 100_000
    ) {
        database = file.database
        self.boot = boot == "" ? nil : boot
        self.maximumLoaded = maximumLoaded
    }

    /// Linux's random id of the machine's last start: random(4).
    package static var currentBoot: String? {
        try? String(contentsOfFile: "/proc/sys/kernel/random/boot_id", encoding: .utf8)
            .trimmingCharacters(in: .whitespacesAndNewlines)
    }

    package func load(now: Instant, uptime: Duration) throws -> [StoredQuotaUsage] {
        try database.writeNow { db in
            if let boot {
                // The wall clock may be behind now: the end by it stays for the machine's next start.
                try db.execute(
                    sql: """
                        UPDATE quota SET boot = :boot, uptime_until = :uptime + lifetime * 1000000000
                            WHERE until > :now + lifetime AND boot IS NOT :boot
                        """,
                    arguments: [
                        "boot": boot, "uptime": uptime.nanoseconds, "now": now.secondsSince1970,
                    ])
            } else {
                try db.execute(
                    sql: """
                        INSERT INTO quota (provider, connection, window, kind, until, count, lifetime)
                            SELECT provider, connection, window, kind, :now + lifetime, sum(count), lifetime FROM quota
                            WHERE until > :now + lifetime GROUP BY provider, connection, window, kind, lifetime
                            ON CONFLICT DO UPDATE SET
                                count = count + excluded.count, lifetime = max(lifetime, excluded.lifetime)
                        """, arguments: ["now": now.secondsSince1970])
                try db.execute(
                    sql: "DELETE FROM quota WHERE until > ? + lifetime", arguments: [now.secondsSince1970])
            }
            // The server's own key first, then what counts longest.
            return try Row.fetchAll(
                db,
                sql: """
                    SELECT * FROM quota WHERE count > 0
                        AND CASE WHEN boot IS :boot AND uptime_until IS NOT NULL
                            THEN uptime_until > :uptime ELSE until > :now END
                        ORDER BY connection <> '', until DESC LIMIT :most
                    """,
                arguments: [
                    "boot": boot, "uptime": uptime.nanoseconds, "now": now.secondsSince1970,
                    "most": maximumLoaded,
                ]
            ).compactMap { StoredQuotaUsage(row: $0, boot: boot) }
        }
    }

    package func add(_ entries: [StoredQuotaUsage], now: Instant, uptime: Duration) async throws {
        let isFirst = state.withLock { state in
            defer { state.isWriting = true }
            return !state.isWriting
        }
        guard isFirst else {
            return try await withCheckedThrowingContinuation { continuation in
                let isOver = state.withLock { state in
                    state.waiting += entries
                    state.waiters.append(continuation)
                    defer { state.isWriting = true }
                    return !state.isWriting
                }
                // The transaction has ended in between.
                if isOver { writeWaiting(now: now, uptime: uptime) }
            }
        }
        defer { writeWaiting(now: now, uptime: uptime) }
        try await write(entries, now: now, uptime: uptime)
    }

    /// Writes what was added during a transaction, until nothing is left.
    private func writeWaiting(now: Instant, uptime: Duration) {
        let (entries, waiters) = state.withLock { state in
            defer { (state.waiting, state.waiters) = ([], []) }
            state.isWriting = !state.waiters.isEmpty
            return (state.waiting, state.waiters)
        }
        guard !waiters.isEmpty else { return }
        Task {
            do {
                try await write(entries, now: now, uptime: uptime)
                for waiter in waiters { waiter.resume() }
            } catch {
                for waiter in waiters { waiter.resume(throwing: error) }
            }
            writeWaiting(now: now, uptime: uptime)
        }
    }

    private func write(_ entries: [StoredQuotaUsage], now: Instant, uptime: Duration) async throws {
        let isCleaning = state.withLock { state in
            state.writes = (state.writes + 1) % Self.additionsBetweenCleanings
            return state.writes == 1
        }
        let oldest = (now - Self.retention).secondsSince1970
        try await database.write { [boot] db in
            let add = try db.cachedStatement(
                sql: """
                    INSERT INTO quota
                        (provider, connection, window, kind, until, count, boot, uptime_until, lifetime)
                    VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)
                    ON CONFLICT DO UPDATE SET
                        count = count + excluded.count, boot = excluded.boot,
                        lifetime = max(lifetime, excluded.lifetime),
                        uptime_until = CASE WHEN boot IS excluded.boot
                            THEN max(uptime_until, excluded.uptime_until) ELSE excluded.uptime_until END
                    """)
            for entry in entries {
                try add.execute(arguments: [
                    entry.account.provider.storedText, entry.account.column, entry.window,
                    entry.kind.rawValue,
                    entry.until.secondsSince1970, entry.count, entry.untilUptime == nil ? nil : boot,
                    boot == nil ? nil : entry.untilUptime?.nanoseconds,
                    entry.maximumLifetime.components.seconds,
                ])
            }
            guard isCleaning else { return }
            // An entry of the current start of the machine counts by the uptime, independent of the wall
            // clock.
            try db.execute(
                sql: """
                    DELETE FROM quota WHERE CASE WHEN boot IS :boot AND uptime_until IS NOT NULL
                        THEN uptime_until < :uptime ELSE until < :oldest END
                    """, arguments: ["boot": boot, "uptime": uptime.nanoseconds, "oldest": oldest])
        }
    }
}

extension Duration {
    /// In whole nanoseconds, rounded up.
    fileprivate var nanoseconds: Int64 {
        let (seconds, attoseconds) = components
        return seconds * 1_000_000_000 + (attoseconds + 999_999_999) / 1_000_000_000
    }
}

extension QuotaAccount {
    /// The credential behind a mark, so that none is taken for the server's own key.
    fileprivate var column: String { credential.map { "=" + $0 } ?? "" }

    fileprivate init?(provider: String, column: String) {
        guard let provider = ProviderID(stored: provider) else { return nil }
        self.init(provider, credential: column.hasPrefix("=") ? String(column.dropFirst()) : nil)
    }
}

extension StoredQuotaUsage {
    /// Nil for a row that another version has written and this one does not understand.
    fileprivate init?(row: Row, boot: String?) {
        guard let account = QuotaAccount(provider: row["provider"], column: row["connection"]),
            let kind = Kind(rawValue: row["kind"]), let until = Instant(secondsSince1970: row["until"])
        else { return nil }
        let uptime: Int64? = boot != nil && (row["boot"] as String?) == boot ? row["uptime_until"] : nil
        self.init(
            account: account, window: row["window"], kind: kind, until: until,
            untilUptime: uptime.map(Duration.nanoseconds), count: row["count"],
            maximumLifetime: .seconds(row["lifetime"] as Int64))
    }
}
