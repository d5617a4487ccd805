package import Brokerage
import Foundation
import GRDB
package import Storage
import Synchronization
package import Upstream

/// Public values of scarce providers, in the cache file.
///
/// Values are written behind, many at a time; a process that is killed loses the last moments' ones.
package final class SQLitePersistentCache: PersistentCache {
    /// The limits of the cache.
    package struct Limits: Sendable {
        /// Of all values together; the oldest go first.
        package var bytes = 64 << 20
        /// Of values that wait to be written; more are dropped.
        package var waitingBytes = 4 << 20

        package init() {}
    }

    private struct State {
        var waiting: [PersistentCacheKey: PersistentCacheEntry] = [:]
        var waitingBytes = 0
        /// The values of the batch that is written now; they may not be in the file yet.
        var written: [PersistentCacheKey: PersistentCacheEntry] = [:]
        /// Whether a task writes, or is about to.
        var isWriting = false
        var flushWaiters: [CheckedContinuation<Void, Never>] = []
    }

    private let database: SQLiteDatabase
    private let limits: Limits
    private let report: @Sendable (StorageError) -> Void
    // Held for a few stores, never while the file is written.
    private let state = Mutex(State())

    /// - Parameters:
    ///   - file: The database.
    ///   - limits: The limits of the cache.
    ///   - report: Called with each failed read or write, which no caller gets as an error.
    package init(
        in file: CacheDatabase, limits: Limits = Limits(),
        report: @escaping @Sendable (StorageError) -> Void = { _ in }
    ) {
        database = file.database
        self.limits = limits
        self.report = report
    }

    package let isShared = false

    package func load(_ keys: [PersistentCacheKey]) async -> [PersistentCacheKey: PersistentCacheEntry] {
        // Values that are not written are not in the file yet.
        var found = state.withLock { state in
            keys.reduce(into: [:]) { found, key in found[key] = state.waiting[key] ?? state.written[key] }
        }
        let rest = keys.filter { found[$0] == nil }
        guard !rest.isEmpty else { return found }
        do throws(StorageError) {
            let stored = try await database.read { db in try Self.fetch(rest, db) }
            found.merge(stored) { newer, _ in newer }
        } catch {
            report(error)
        }
        return found
    }

    package func save(_ values: [PersistentCacheKey: PersistentCacheEntry]) {
        let mustStart = state.withLock { state in
            for (key, value) in values {
                if let known = state.waiting.removeValue(forKey: key) {
                    state.waitingBytes -= key.weight + known.bytes.count
                }
                let weight = key.weight + value.bytes.count
                guard state.waitingBytes + weight <= limits.waitingBytes else { continue }
                state.waiting[key] = value
                state.waitingBytes += weight
            }
            if state.isWriting || state.waiting.isEmpty { return false }
            state.isWriting = true
            return true
        }
        // While a batch is written the next one gathers.
        if mustStart { Task.detached { [self] in await write() } }
    }

    /// Has no effect: one process uses the file, so keys are not claimed.
    package func release(_ keys: [PersistentCacheKey]) {}

    /// Returns when all that was saved before is in the file.
    package func flush() async {
        await withCheckedContinuation { continuation in
            let isDone = state.withLock { state in
                if state.isWriting { state.flushWaiters.append(continuation) }
                return !state.isWriting
            }
            if isDone { continuation.resume() }
        }
    }

    private func write() async {
        while let batch = next() {
            do throws(StorageError) {
                let limit = limits.bytes
                try await database.write { db in
                    try Self.store(batch, db)
                    try Self.trim(to: limit, db)
                }
            } catch {
                report(error)
            }
        }
    }

    /// Returns the values to write now; nil if there are none, and the writer ends.
    private func next() -> [PersistentCacheKey: PersistentCacheEntry]? {
        let (batch, waiters) = state.withLock { state in
            let batch = state.waiting
            state.written = batch
            state.waiting = [:]
            state.waitingBytes = 0
            guard batch.isEmpty else { return (batch, [CheckedContinuation<Void, Never>]()) }
            state.isWriting = false
            defer { state.flushWaiters = [] }
            return (batch, state.flushWaiters)
        }
        for waiter in waiters { waiter.resume() }
        return batch.isEmpty ? nil : batch
    }

    // MARK: Rows

    private static func fetch(_ keys: [PersistentCacheKey], _ db: Database) throws -> [PersistentCacheKey:
        PersistentCacheEntry]
    {
        let select = try db.cachedStatement(
            sql: "SELECT * FROM lasting WHERE kind = ? AND provider = ? AND subject = ?")
        var found: [PersistentCacheKey: PersistentCacheEntry] = [:]
        for key in keys {
            let arguments: StatementArguments = [key.kind, key.provider.storedText, key.subject]
            found[key] = try Row.fetchOne(select, arguments: arguments).flatMap(
                PersistentCacheEntry.init(row:))
        }
        return found
    }

    private static func store(_ values: [PersistentCacheKey: PersistentCacheEntry], _ db: Database) throws {
        let insert = try db.cachedStatement(
            sql: """
                INSERT OR REPLACE INTO lasting
                    (kind, provider, subject, bytes, size, read_at, fresh_until, stale_until)
                VALUES (?, ?, ?, ?, ?, ?, ?, ?)
                """)
        for (key, value) in values {
            try insert.execute(arguments: [
                key.kind, key.provider.storedText, key.subject, Data(value.bytes),
                key.weight + value.bytes.count,
                value.readAt.secondsSince1970, value.freshUntil.secondsSince1970,
                value.staleUntil.secondsSince1970,
            ])
        }
    }

    /// Deletes the values that were read longest ago until the rest is within the bound.
    private static func trim(to limit: Int, _ db: Database) throws {
        let total = try Int.fetchOne(db, sql: "SELECT coalesce(sum(size), 0) FROM lasting") ?? 0
        guard total > limit else { return }
        try db.execute(
            sql: """
                DELETE FROM lasting WHERE rowid IN (
                    SELECT rowid FROM (
                        SELECT rowid, sum(size) OVER (ORDER BY read_at DESC, rowid DESC) AS running FROM lasting
                    ) WHERE running > ?
                )
                """, arguments: [limit])
    }

    /// Deletes values that have expired.
    package func deleteOutdated(now: Instant) async throws(StorageError) {
        try await database.write { db in
            try db.execute(
                sql: "DELETE FROM lasting WHERE stale_until <= ?", arguments: [now.secondsSince1970])
        }
    }
}

extension PersistentCacheEntry {
    /// Nil for a row that makes no sense.
    fileprivate init?(row: Row) {
        guard let bytes: Data = row["bytes"], let readAt = Instant(secondsSince1970: row["read_at"]),
            let freshUntil = Instant(secondsSince1970: row["fresh_until"]),
            let staleUntil = Instant(secondsSince1970: row["stale_until"])
        else { return nil }
        self.init(bytes: Array(bytes), readAt: readAt, freshUntil: freshUntil, staleUntil: staleUntil)
    }
}
