import Synchronization

/// This process among the processes that use a PostgreSQL database.
///
/// Each start of a process has a new id, which is never used again: the writes of orders and the leases of the process
/// contain it. A process that has not reported for ``lifetime`` counts as ended, also if it is only stopped: then others
/// take over its writes, and it finds that they are no longer its own.
package final class Membership: Sendable {
    /// The id of this process.
    package let id = RandomID.make()
    private let database: SQLDatabase
    private let version: String
    private let live = Atomic(1)

    /// The time after which a process that does not report counts as ended, by the database's clock.
    package static let lifetime = LeaseTimes().lifetime
    /// The time between two reports.
    package static let interval = LeaseTimes().renewal

    /// - Parameters:
    ///   - file: The database.
    ///   - version: The version of this binary, for operators.
    package init(in file: UserDatabase, version: String) {
        database = file.database
        self.version = version
    }

    /// The number of processes, with this one, at its last report.
    package var liveCount: Int { live.load(ordering: .relaxed) }

    /// Reports this process for the first time; it blocks the thread.
    package func join() throws(StorageError) {
        guard database.postgres != nil else { return }
        let count = try database.writeNow { [id, version] db in try Self.report(id, version, in: db) }
        live.store(count, ordering: .relaxed)
    }

    /// Reports that this process runs.
    package func report() async throws(StorageError) {
        guard database.postgres != nil else { return }
        let count = try await database.write { [id, version] db in try Self.report(id, version, in: db) }
        live.store(count, ordering: .relaxed)
    }

    /// Reports that this process has ended: others need not wait to take over its work.
    package func leave() async throws(StorageError) {
        guard database.postgres != nil else { return }
        try await database.write { [id] db in try db.execute("DELETE FROM replica WHERE id = ?", [id]) }
    }

    private static func report(_ id: String, _ version: String, in db: SQLTransaction) throws -> Int {
        try db.execute(
            """
            INSERT INTO replica (id, version, started_at, expires_at)
            VALUES (?1, ?2, clock_milliseconds(), clock_milliseconds() + CAST(?3 AS BIGINT))
            ON CONFLICT (id) DO UPDATE SET expires_at = clock_milliseconds() + CAST(?3 AS BIGINT)
            """, [id, version, Int64(lifetime / .milliseconds(1))])
        try db.execute("DELETE FROM replica WHERE expires_at < clock_milliseconds() - 3600000")
        return try db.value("SELECT count(*) FROM replica WHERE expires_at > clock_milliseconds()") ?? 1
    }

    /// Reports a process that has not done so for half of its lifetime, in a transaction: others must not take over what
    /// the transaction stores for the process, because its reports failed during an outage of the database.
    ///
    /// It does nothing for a process without a row.
    static func prolong(_ id: String, _ db: SQLTransaction) throws {
        try db.execute(
            """
            UPDATE replica SET expires_at = clock_milliseconds() + CAST(?2 AS BIGINT)
            WHERE id = ?1 AND expires_at < clock_milliseconds() + CAST(?2 AS BIGINT) / 2
            """, [id, Int64(lifetime / .milliseconds(1))])
    }

    /// Whether a process has reported within its lifetime, in a transaction.
    package static func isLive(_ id: String, _ db: SQLTransaction) throws -> Bool {
        try db.value("SELECT \(isLive("?"))", [id], as: Bool.self) == true
    }

    /// The SQL condition for an id of a process that has reported within its lifetime.
    static func isLive(_ id: String) -> String {
        "EXISTS (SELECT 1 FROM replica WHERE replica.id = \(id) AND replica.expires_at > clock_milliseconds())"
    }
}
