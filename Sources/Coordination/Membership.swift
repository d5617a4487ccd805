package import Storage
import Synchronization

/// This process among the processes that use a PostgreSQL database.
///
/// Each start of a process has a new id, which is never used again: the writes of orders and the leases of the process
/// contain it. A process that has not reported for ``ReplicaTable/lifetime`` counts as ended, also if it is only stopped: then others
/// take over its writes, and it finds that they are no longer its own.
package final class Membership: Sendable {
    /// The id of this process.
    package let id = RandomID.make()
    private let database: SQLDatabase
    private let version: String
    private let live = Atomic(1)

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
        let count = try database.writeNow { [id, version] db in try ReplicaTable.report(id, version, in: db) }
        live.store(count, ordering: .relaxed)
    }

    /// Reports that this process runs.
    package func report() async throws(StorageError) {
        guard database.postgres != nil else { return }
        let count = try await database.write { [id, version] db in
            try ReplicaTable.report(id, version, in: db)
        }
        live.store(count, ordering: .relaxed)
    }

    /// Reports that this process has ended: others need not wait to take over its work.
    package func leave() async throws(StorageError) {
        guard database.postgres != nil else { return }
        try await database.write { [id] db in try ReplicaTable.delete(id, in: db) }
    }
}
