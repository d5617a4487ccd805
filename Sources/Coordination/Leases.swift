package import Brokerage

/// Names that one process holds at a time, such as that of a provider's stream or of the evaluation of alerts.
///
/// - At most one process executes work under a name. The work of a process that was stopped ends before another one begins,
///   by the clock of the process; its epoch is lower than that of the next holder.
/// - A name whose holder ends is held by another process within ``ReplicaTable/lifetime`` and ``LeaseTimes/retry``; after
///   an orderly end at the next attempt.
/// - Without the database, a holder stops at its fence (``LeaseTimes/fence``), and no process becomes the holder.
package protocol Leases: CoordinationPart {
    /// Whether other processes may hold a name.
    var isShared: Bool { get }

    /// Executes work whenever this process holds a name, until the task is cancelled.
    ///
    /// - Parameters:
    ///   - name: The name.
    ///   - work: Executed with the epoch of each time that the name is acquired; its task is cancelled when it is lost.
    func hold(_ name: String, _ work: @escaping @Sendable (_ epoch: Int64) async -> Void) async

    /// Waits for a name, and executes work once while this process holds it, until the work ends, the name is lost or the
    /// task is cancelled.
    func holdOnce(
        _ name: String, clock: TimeSource, _ work: @escaping @Sendable (_ epoch: Int64) async -> Void
    ) async

    /// Executes an operation while no other task of any process executes one under the same name.
    ///
    /// The operation must end within `lifetime`. It is not stopped then: its writes must compare a version, or be repeatable.
    ///
    /// - Parameters:
    ///   - name: The name.
    ///   - lifetime: The time for which the name is held at most.
    ///   - deadline: The latest time at which the operation may start.
    ///   - body: The operation.
    /// - Returns: The result; nil if the name was not free before the deadline.
    /// - Throws: `StorageError` if the name cannot be acquired, or the error of the operation.
    func exclusively<Value>(
        _ name: String, for lifetime: Duration, before deadline: ContinuousClock.Instant,
        _ body: () async throws -> Value
    ) async throws -> Value?
}
