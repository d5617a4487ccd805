package import Brokerage
import Foundation
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
    /// As many entries are read, because attempts to connect with wrong keys leave entries, too.
    private static let mostLoaded = 100_000

    /// Identifies the machine's last start: uptimes that were stored before it say nothing.
    private let boot: String?

    /// - Parameters:
    ///   - file: The file of the entries.
    ///   - boot: Identifies the machine's last start; nil if it is unknown, and the wall clock alone counts.
    package init(in file: CacheFile, boot: String? = KeptQuotas.currentBoot) {
        database = file.database
        self.boot = boot
    }

    /// Linux's random id of the machine's last start: random(4).
    package static var currentBoot: String? {
        try? String(contentsOfFile: "/proc/sys/kernel/random/boot_id", encoding: .utf8)
            .trimmingCharacters(in: .whitespacesAndNewlines)
    }

    package func load(now: Instant) throws -> [KeptQuota] {
        let latest = (now + KeptQuota.longest).secondsSince1970
        return try database.writeNow { db in
            try db.execute(
                sql: """
                    INSERT INTO quota (provider, connection, window, kind, until, count)
                        SELECT provider, connection, window, kind, :latest, sum(count) FROM quota
                        WHERE until > :latest AND boot IS NOT :boot GROUP BY provider, connection, window, kind
                        ON CONFLICT DO UPDATE SET count = count + excluded.count
                    """, arguments: ["latest": latest, "boot": boot])
            try db.execute(
                sql: "DELETE FROM quota WHERE until > ? AND boot IS NOT ?", arguments: [latest, boot])
            return try Row.fetchAll(
                db, sql: "SELECT * FROM quota WHERE count > 0 ORDER BY until DESC LIMIT ?",
                arguments: [Self.mostLoaded]
            ).compactMap { KeptQuota(row: $0, boot: boot) }
        }
    }

    package func add(_ entries: [KeptQuota], now: Instant, uptime: Duration) async throws {
        let isCleaning = additions.withLock { count in
            count = (count + 1) % Self.additionsBetweenCleanings
            return count == 1
        }
        let oldest = (now - Self.retention).secondsSince1970
        try await database.write { [boot] db in
            let add = try db.cachedStatement(
                sql: """
                    INSERT INTO quota
                        (provider, connection, window, kind, until, count, boot, uptime_until)
                    VALUES (?, ?, ?, ?, ?, ?, ?, ?)
                    ON CONFLICT DO UPDATE SET
                        count = count + excluded.count, boot = excluded.boot,
                        uptime_until = CASE WHEN boot IS excluded.boot
                            THEN max(uptime_until, excluded.uptime_until) ELSE excluded.uptime_until END
                    """)
            for entry in entries {
                try add.execute(arguments: [
                    entry.holder.provider.rawValue, entry.holder.column, entry.window, entry.kind.rawValue,
                    entry.until.secondsSince1970, entry.count, entry.untilUptime == nil ? nil : boot,
                    boot == nil ? nil : entry.untilUptime?.nanoseconds,
                ])
            }
            guard isCleaning else { return }
            // An entry of this start of the machine counts by the uptime, even if the wall clock was set.
            try db.execute(
                sql: "DELETE FROM quota WHERE until < ? AND (boot IS NOT ? OR uptime_until < ?)",
                arguments: [oldest, boot, uptime.nanoseconds])
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

extension QuotaHolder {
    /// The credential behind a mark, so that none is taken for the server's own key.
    fileprivate var column: String { credential.map { "=" + $0 } ?? "" }

    fileprivate init?(provider: String, column: String) {
        guard let provider = Provider(rawValue: provider) else { return nil }
        self.init(provider, credential: column.hasPrefix("=") ? String(column.dropFirst()) : nil)
    }
}

extension KeptQuota {
    /// Nil for a row that another version has written and this one does not understand.
    fileprivate init?(row: Row, boot: String?) {
        guard let holder = QuotaHolder(provider: row["provider"], column: row["connection"]),
            let kind = Kind(rawValue: row["kind"]), let until = Instant(secondsSince1970: row["until"])
        else { return nil }
        let uptime: Int64? = boot != nil && (row["boot"] as String?) == boot ? row["uptime_until"] : nil
        self.init(
            holder: holder, window: row["window"], kind: kind, until: until,
            untilUptime: uptime.map(Duration.nanoseconds), count: row["count"])
    }
}
