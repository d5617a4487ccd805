package import Brokerage
import Cryptography
import Foundation
package import Storage

/// The failed sign-ins and the rates of sign-ups of all processes, in a PostgreSQL database.
///
/// A subject is a text such as a name at an address; the database has only its hash.
package struct AttemptStore: Sendable {
    private let database: SQLDatabase

    /// - Parameter file: The database, of PostgreSQL.
    package init(in file: UserDatabase) { database = file.database }

    /// The attempts that count for a subject.
    package struct Record: Hashable, Sendable {
        package var failures: Int
        package var last: Instant
        /// The time before which no other attempt is allowed.
        package var blockedUntil: Instant?

        package init(failures: Int = 0, last: Instant, blockedUntil: Instant? = nil) {
            (self.failures, self.last, self.blockedUntil) = (failures, last, blockedUntil)
        }
    }

    /// Changes the records of some subjects while no other process does.
    ///
    /// - Parameters:
    ///   - subjects: The subjects; the closure gets the records of those that have one.
    ///   - lifetime: The time after which the changed records are deleted.
    ///   - now: The current time.
    ///   - body: Changes the records; it may be called more than once.
    /// - Returns: The result of `body`.
    /// - Throws: The error that prevented the change.
    package func update<Value: Sendable>(
        _ subjects: [String], keptFor lifetime: Duration, now: Instant = .now,
        _ body: @escaping @Sendable (inout [String: Record]) -> Value
    ) async throws(StorageError) -> Value {
        let hashes = Dictionary(
            subjects.map { (Data(HashFunction.sha256.hash($0)), $0) }, uniquingKeysWith: { first, _ in first }
        )
        let order = hashes.keys.sorted { $0.lexicographicallyPrecedes($1) }
        let forgetAt = (now + lifetime).millisecondsSince1970
        return try await database.write { db in
            var records: [String: Record] = [:]
            for hash in order {
                // Also for a subject without a row, in the same order in all processes.
                try db.execute(
                    "SELECT CAST(pg_advisory_xact_lock(hashtextextended(encode(?, 'hex'), 12)) AS TEXT)",
                    [hash])
                let row = try db.row(
                    "SELECT * FROM attempt WHERE subject = ? AND forget_at >= ?",
                    [hash, now.millisecondsSince1970])
                guard let row, let subject = hashes[hash], let last = try row.instant("last_at")
                else { continue }
                records[subject] = try Record(
                    failures: row["failures"], last: last, blockedUntil: row.instant("blocked_until"))
            }
            let known = records
            let value = body(&records)
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
                        record.blockedUntil?.millisecondsSince1970, forgetAt,
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
