package import Storage

/// This process among those that use one database.
///
/// - Each start of a process has an id that is never used again: the writes of orders and the leases contain it.
/// - A process that has not reported for ``ReplicaTable/lifetime`` counts as ended, also if it is only stopped: others take
///   over its writes, and it finds that they are no longer its own.
/// - Without the database, no process counts as ended to the others, because none can take over.
package protocol Membership: CoordinationPart {
    /// The id of this process; nil if there are no others.
    var id: String? { get }

    /// The number of processes, with this one, at the last ``CoordinationPart/refresh()``.
    var liveCount: Int { get }

    /// Reports that this process has ended: others need not wait to take over its work.
    func leave() async throws(StorageError)
}
