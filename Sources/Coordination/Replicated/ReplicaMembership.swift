package import Storage
import Synchronization

/// The membership in a PostgreSQL database.
package final class ReplicaMembership: Membership {
    /// The id of this process.
    package let processID = RandomID.make()
    private let database: SQLDatabase
    private let version: String
    private let live = Atomic(1)

    /// - Parameters:
    ///   - file: The database.
    ///   - version: The version of this binary, for operators.
    package init(in file: UserDatabase, version: String) {
        database = file.database
        self.version = version
    }

    package var id: String? { processID }
    package var liveCount: Int { live.load(ordering: .relaxed) }

    /// Reports this process for the first time; it blocks the thread.
    package func join() throws(StorageError) {
        let count = try database.writeNow { [processID, version] db in
            try ReplicaTable.report(processID, version, in: db)
        }
        live.store(count, ordering: .relaxed)
    }

    package func refresh() async throws(StorageError) {
        let count = try await database.write { [processID, version] db in
            try ReplicaTable.report(processID, version, in: db)
        }
        live.store(count, ordering: .relaxed)
    }

    package func leave() async throws(StorageError) {
        try await database.write { [processID] db in try ReplicaTable.delete(processID, in: db) }
    }

    package var metrics: [PartMetric] {
        [.gauge("replicas", "Processes that use the database, with this one.", liveCount)]
    }
}
