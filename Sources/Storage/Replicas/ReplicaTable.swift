package import Brokerage

/// The processes that use a PostgreSQL database, one row each, with the time before which the process must report again.
package enum ReplicaTable {
    /// The time after which a process that does not report counts as ended, by the database's clock.
    package static let lifetime = Duration.seconds(10)

    /// Reports that a process runs.
    ///
    /// - Returns: The number of processes that run, and the time of the database.
    package static func report(
        _ id: String, _ version: String, in db: SQLTransaction
    ) throws -> (count: Int, time: Instant) {
        try db.execute(
            """
            INSERT INTO replica (id, version, started_at, expires_at)
            VALUES (?1, ?2, clock_milliseconds(), clock_milliseconds() + CAST(?3 AS BIGINT))
            ON CONFLICT (id) DO UPDATE SET expires_at = clock_milliseconds() + CAST(?3 AS BIGINT)
            """, [id, version, Int64(lifetime / .milliseconds(1))])
        try db.execute("DELETE FROM replica WHERE expires_at < clock_milliseconds() - 3600000")
        let row = try db.row(
            """
            SELECT count(*) AS replicas, clock_milliseconds() AS time FROM replica
            WHERE expires_at > clock_milliseconds()
            """)
        guard let row, let time = try row.instant("time") else { throw CorruptedRow() }
        return (try row["replicas"], time)
    }

    /// Reports that a process has ended: others need not wait to take over its work.
    package static func delete(_ id: String, in db: SQLTransaction) throws {
        try db.execute("DELETE FROM replica WHERE id = ?", [id])
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
