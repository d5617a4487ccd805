package import Brokerage
import Cryptography
import Foundation
package import Storage

/// The attempts of all processes, in a PostgreSQL database, which has only hashes of their subjects.
///
/// They count by the clock of the database, because a wrong clock of one process would end the waits for all.
package struct AttemptStore: Attempts {
    private let database: SQLDatabase

    /// - Parameter file: The database, of PostgreSQL.
    package init(in file: UserDatabase) { database = file.database }

    package var isShared: Bool { true }

    package func update<Value: Sendable>(
        _ subjects: [AttemptSubject], keptFor lifetime: Duration, now: Instant,
        _ body: @escaping @Sendable (inout [AttemptSubject: AttemptRecord], _ now: Instant) -> Value
    ) async throws(StorageError) -> Value {
        let hashes = Dictionary(
            subjects.map { (Data(HashFunction.sha256.hash($0.text)), $0) },
            uniquingKeysWith: { first, _ in first }
        )
        let order = hashes.keys.sorted { $0.lexicographicallyPrecedes($1) }
        return try await database.write { db in
            var now = now
            for hash in order {
                // Also for a subject without a row, in the same order in all processes. The time is that after the wait.
                let row = try db.row(
                    """
                    SELECT CAST(pg_advisory_xact_lock(hashtextextended(encode(?, 'hex'), 12)) AS TEXT),
                        clock_milliseconds() AS time
                    """, [hash])
                guard let time = try row?.instant("time") else { throw CorruptedRow() }
                now = time
            }
            var records: [AttemptSubject: AttemptRecord] = [:]
            for hash in order {
                let row = try db.row(
                    "SELECT * FROM attempt WHERE subject = ? AND forget_at >= ?",
                    [hash, now.millisecondsSince1970])
                guard let row, let subject = hashes[hash], let last = try row.instant("last_at")
                else { continue }
                let failures: Int = try row["failures"]
                records[subject] = try AttemptRecord(
                    // So that the next failure can be added, whatever the row contains.
                    failures: min(max(failures, 0), Int.max - 1), last: last,
                    blockedUntil: row.instant("blocked_until"))
            }
            let known = records
            let value = body(&records, now)
            for hash in order {
                guard let subject = hashes[hash], records[subject] != known[subject] else { continue }
                guard let record = records[subject] else {
                    try db.execute("DELETE FROM attempt WHERE subject = ?", [hash])
                    continue
                }
                try db.execute(
                    """
                    INSERT INTO attempt (subject, failures, last_at, blocked_until, forget_at) VALUES (?, ?, ?, ?, ?)
                    ON CONFLICT (subject) DO UPDATE SET failures = excluded.failures, last_at = excluded.last_at,
                        blocked_until = excluded.blocked_until, forget_at = excluded.forget_at
                    """,
                    [
                        hash, record.failures, record.last.millisecondsSince1970,
                        record.blockedUntil?.millisecondsSince1970,
                        (now + lifetime).millisecondsSince1970,
                    ])
            }
            // Last, and without a wait, so that two processes cannot wait for each other.
            try db.execute(
                """
                DELETE FROM attempt WHERE subject IN (
                    SELECT subject FROM attempt WHERE forget_at < ? LIMIT 1000 FOR UPDATE SKIP LOCKED)
                """, [now.millisecondsSince1970])
            return value
        }
    }
}
