package import Brokerage
import PorticoCore
package import Storage
import Synchronization

/// The leases of a PostgreSQL database: a name is held by one process at a time, for a limited time.
///
/// The time is the database's. Each owner of a name has a greater epoch than all owners before.
package final class LeaseStore: Leases {
    private let database: SQLDatabase
    private let held = Atomic(0)
    /// The begin of the names of this process's owners.
    private let process: String

    /// - Parameters:
    ///   - file: The database.
    ///   - process: The id of this process, for ``count()``; nil for none.
    package init(in file: UserDatabase, of process: String? = nil) {
        database = file.database
        self.process = process ?? RandomID.make()
    }

    package var isShared: Bool { true }

    /// A new owner of leases in this process: two tasks that want one lease exclude each other.
    func newOwner() -> String { "\(process)/\(RandomID.make())" }

    /// Takes or renews a lease.
    ///
    /// - Parameters:
    ///   - name: The name of the lease.
    ///   - owner: The owner; a second call with the same owner renews the lease.
    ///   - lifetime: The time for which it is held.
    /// - Returns: The epoch, which stays the same while the owner holds the lease, unless it is raised; nil if another owner
    ///   holds it.
    /// - Throws: The error of the database. The lease may have been taken.
    package func take(
        _ name: String, by owner: String, for lifetime: Duration
    ) async throws(StorageError) -> Int64? {
        let arguments: SQLArguments = [name, owner, Int64(lifetime / .milliseconds(1))]
        return try await database.statement { db in try db.value(Self.takeStatement, arguments) }
    }

    /// The times are read in the server while it holds the lock of the row, after a wait for another owner.
    private static let takeStatement = """
        INSERT INTO lease (name, owner, epoch, expires_at)
        VALUES (?1, ?2, nextval('lease_epoch'), clock_milliseconds() + CAST(?3 AS BIGINT))
        ON CONFLICT (name) DO UPDATE SET owner = excluded.owner,
            epoch = CASE WHEN lease.owner = excluded.owner AND lease.expires_at > clock_milliseconds()
                THEN lease.epoch ELSE nextval('lease_epoch') END,
            expires_at = clock_milliseconds() + CAST(?3 AS BIGINT)
        WHERE lease.owner = excluded.owner OR lease.expires_at <= clock_milliseconds()
        RETURNING epoch
        """

    /// Gives a lease another epoch above a known one, and all later leases too.
    ///
    /// An epoch can be too low after the database was restored from a backup. The owner gets the new epoch with its next
    /// renewal.
    ///
    /// - Parameters:
    ///   - epoch: The epoch of the lease; a lease with another one is not changed.
    ///   - name: The name of the lease.
    ///   - known: The known epoch; if it is lower than the epoch of the lease, the lease is not changed.
    /// - Throws: The error of the database. The epoch may have been raised.
    package func raiseEpoch(
        _ epoch: Int64, of name: String, above known: Int64
    ) async throws(StorageError) {
        try await database.write { db in
            // Otherwise a lease could be taken before `setval`, and its epoch be given again.
            try db.executeScript("LOCK TABLE lease IN SHARE ROW EXCLUSIVE MODE")
            _ = try db.value(
                "SELECT setval('lease_epoch', greatest(last_value, CAST(? AS BIGINT))) FROM lease_epoch",
                [known], as: Int64.self)
            try db.execute(
                """
                UPDATE lease SET epoch = nextval('lease_epoch')
                WHERE name = ?1 AND epoch = ?2 AND epoch <= CAST(?3 AS BIGINT)
                """, [name, epoch, known])
        }
    }

    /// Ends a lease before its time, so that another process can take it at once.
    package func release(_ name: String, by owner: String) async throws(StorageError) {
        try await database.statement { db in
            try db.execute("UPDATE lease SET expires_at = 0 WHERE name = ? AND owner = ?", [name, owner])
        }
    }

    /// Deletes leases that ended long ago; a later owner of the name gets a greater epoch all the same.
    package func deleteOld() async throws(StorageError) {
        try await database.statement { db in
            try db.execute("DELETE FROM lease WHERE expires_at < clock_milliseconds() - 86400000")
        }
    }

    /// Counts the leases that this process holds.
    package func refresh() async throws(StorageError) {
        held.store(try await count(), ordering: .relaxed)
    }

    package var metrics: [PartMetric] {
        [.gauge("leases", "Leases that this process holds.", held.load(ordering: .relaxed))]
    }

    /// The number of leases that this process holds.
    package func count() async throws(StorageError) -> Int {
        try await database.statement { [process] db in
            try db.value(
                "SELECT count(*) FROM lease WHERE starts_with(owner, ?) AND expires_at > clock_milliseconds()",
                [process + "/"]) ?? 0
        }
    }
}

extension LeaseStore {
    package func hold(_ name: String, _ work: @escaping @Sendable (_ epoch: Int64) async -> Void) async {
        await LeaseKeeper(name, in: self).run(work)
    }

    package func holdOnce(
        _ name: String, clock: TimeSource, _ work: @escaping @Sendable (_ epoch: Int64) async -> Void
    ) async {
        await LeaseKeeper(name, in: self, clock: clock).once(work)
    }

    /// The time between two attempts to take a lease that another task holds.
    private static let pause = Duration.milliseconds(50)

    /// The pauses before the attempts to release a lease whose request had no response.
    ///
    /// The sum is longer than ``PostgresLimits/transaction``, after which the server ends a statement.
    private static let releasePauses = [Duration.seconds(1), .seconds(2)]

    /// Releases a lease whose request had no response, because the server can execute the statement nevertheless, also later.
    ///
    /// No caller waits. Each attempt is made, since one that succeeds can precede the statement. The owner is used once, so that
    /// no attempt ends the lease of another task.
    private func releaseAfterFailure(_ name: String, by owner: String) {
        Task { [self] in
            for pause in Self.releasePauses {
                try? await Task.sleep(for: pause)
                try? await release(name, by: owner)
            }
        }
    }

    package func exclusively<Value>(
        _ name: String, for lifetime: Duration, before deadline: ContinuousClock.Instant,
        _ body: () async throws -> Value
    ) async throws -> Value? {
        let owner = newOwner()
        while true {
            let asked = ContinuousClock.now
            let isTaken: Bool
            do throws(StorageError) {
                isTaken = try await take(name, by: owner, for: lifetime) != nil
            } catch {
                releaseAfterFailure(name, by: owner)
                throw error
            }
            let now = ContinuousClock.now
            guard now < deadline else {
                if isTaken { try? await release(name, by: owner) }
                return nil
            }
            // A lease that was granted while this process was stopped may have ended: it is renewed or taken again.
            if isTaken, now - asked < lifetime / 10 { break }
            if !isTaken { try await Task.sleep(for: Self.pause) }
        }
        let result = await Result.of(body)
        // If it cannot be released, it ends by itself.
        try? await release(name, by: owner)
        return try result.get()
    }
}
