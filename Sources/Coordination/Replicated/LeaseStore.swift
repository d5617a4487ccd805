package import Storage

/// The leases of a PostgreSQL database: a name is held by one process at a time, for a limited time.
///
/// The time is the database's. Each owner of a name has a greater epoch than all owners before. With another engine,
/// there is one process (``DirectoryLock``), which holds every lease.
package struct LeaseStore: Sendable {
    private let database: SQLDatabase
    /// The begin of the names of this process's owners.
    private let process: String

    /// - Parameters:
    ///   - file: The database.
    ///   - process: The id of this process, for ``count()``; nil for none.
    package init(in file: UserDatabase, of process: String? = nil) {
        database = file.database
        self.process = process ?? RandomID.make()
    }

    /// Whether other processes use the leases.
    package var isShared: Bool { database.postgres != nil }

    /// A new owner of leases in this process: two tasks that want one lease exclude each other.
    func newOwner() -> String { "\(process)/\(RandomID.make())" }

    /// Takes or renews a lease.
    ///
    /// - Parameters:
    ///   - name: The name of the lease.
    ///   - owner: The owner; a second call with the same owner renews the lease.
    ///   - lifetime: The time for which it is held.
    /// - Returns: The epoch, which stays the same while the owner holds the lease; nil if another owner holds it.
    /// - Throws: The error of the database. The lease may have been taken.
    package func take(
        _ name: String, by owner: String, for lifetime: Duration
    ) async throws(StorageError) -> Int64? {
        guard let server = database.postgres else { return 1 }
        let arguments: SQLArguments = [name, owner, Int64(lifetime / .milliseconds(1))]
        return try await server.statement { db in try db.value(Self.takeStatement, arguments) }
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

    /// Ends a lease before its time, so that another process can take it at once.
    package func release(_ name: String, by owner: String) async throws(StorageError) {
        guard let server = database.postgres else { return }
        try await server.statement { db in
            try db.execute("UPDATE lease SET expires_at = 0 WHERE name = ? AND owner = ?", [name, owner])
        }
    }

    /// Deletes leases that ended long ago; a later owner of the name gets a greater epoch all the same.
    package func deleteOld() async throws(StorageError) {
        guard let server = database.postgres else { return }
        try await server.statement { db in
            try db.execute("DELETE FROM lease WHERE expires_at < clock_milliseconds() - 86400000")
        }
    }

    /// The number of leases that this process holds.
    package func count() async throws(StorageError) -> Int {
        guard let server = database.postgres else { return 0 }
        return try await server.statement { [process] db in
            try db.value(
                "SELECT count(*) FROM lease WHERE starts_with(owner, ?) AND expires_at > clock_milliseconds()",
                [process + "/"]) ?? 0
        }
    }
}

extension LeaseStore {
    /// The time between two attempts to take a lease that another task holds.
    private static let pause = Duration.milliseconds(50)

    /// Executes an operation while no other task of any process executes one under the same name.
    ///
    /// The operation must end within the lifetime of the lease. It is not stopped then: its writes must compare a version,
    /// or be repeatable.
    ///
    /// - Parameters:
    ///   - name: The name of the lease.
    ///   - lifetime: The time for which the lease is held at most.
    ///   - deadline: The latest time at which the operation may start.
    ///   - body: The operation.
    /// - Returns: The result; nil if the lease was not free before the deadline.
    /// - Throws: `StorageError` if the lease cannot be taken, or the error of the operation.
    package func exclusively<Value>(
        _ name: String, for lifetime: Duration, before deadline: ContinuousClock.Instant,
        _ body: () async throws -> Value
    ) async throws -> Value? {
        guard database.postgres != nil else { return try await body() }
        let owner = newOwner()
        while true {
            let asked = ContinuousClock.now
            let isTaken = try await take(name, by: owner, for: lifetime) != nil
            let now = ContinuousClock.now
            guard now < deadline else {
                if isTaken { try? await release(name, by: owner) }
                return nil
            }
            // A lease that was granted while this process was stopped may have ended: it is renewed or taken again.
            if isTaken, now - asked < lifetime / 10 { break }
            if !isTaken { try await Task.sleep(for: Self.pause) }
        }
        let result: Result<Value, any Error>
        do {
            result = .success(try await body())
        } catch {
            result = .failure(error)
        }
        // If it cannot be released, it ends by itself.
        try? await release(name, by: owner)
        return try result.get()
    }
}
