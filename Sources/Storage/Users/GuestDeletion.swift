import Synchronization

/// The deletion of guests without a session, whose data no client can access.
///
/// All data of a guest is deleted with the guest. The time of a transaction is limited, and some guests have very much data: a
/// transaction that takes too long is repeated with half as many guests, and a guest whose data alone takes too long is left out,
/// so that the others are deleted.
package final class GuestDeletion: Sendable {
    private struct State {
        /// The number of guests of the next transaction: halved after a failure, doubled after a success unless the call has had
        /// a failure.
        var batch = GuestDeletion.maximumBatch
        /// The guests up to this one have been examined; empty at the beginning of a pass.
        var last = ""
    }

    private static let maximumBatch = 100
    /// Transactions of one call that may take too long, each up to ``PostgresLimits/transaction``; the next call continues.
    private static let maximumFailures = 10

    private let sessions: SessionStore
    // Held for a few stores.
    private let state = Mutex(State())

    package init(of sessions: SessionStore) {
        self.sessions = sessions
    }

    /// Deletes the guests, in several transactions.
    ///
    /// A guest with an order in progress is deleted after its outcome has been recorded.
    ///
    /// - Throws: The error of the database: `unavailable` also if a guest was left out, or the call has ended before all guests
    ///   were examined. Those of the transactions before are deleted.
    package func run() async throws(StorageError) {
        var failure: StorageError?
        var failureCount = 0
        while failureCount < Self.maximumFailures {
            let (batch, last) = state.withLock { ($0.batch, $0.last) }
            let ids = try await sessions.database.read { db in
                try UserStore.guestsWithoutSession(after: last, limit: batch, in: db)
            }
            guard let end = ids.last else {
                state.withLock { $0.last = "" }
                if let failure { throw failure }
                return
            }
            do throws(StorageError) {
                let deleted = try await sessions.database.write { db in
                    try UserStore.deleteGuestsWithoutSession(ids, in: db)
                }
                sessions.deletions.report(deleted)
                let next = failureCount == 0 ? min(batch * 2, Self.maximumBatch) : batch
                state.withLock { $0 = State(batch: next, last: end) }
            } catch {
                guard case .unavailable = error else { throw error }
                failureCount += 1
                let isAlone = ids.count == 1
                if isAlone || failureCount == Self.maximumFailures { failure = error }
                state.withLock { $0 = State(batch: max(ids.count / 2, 1), last: isAlone ? end : last) }
            }
        }
        if let failure { throw failure }
    }
}
