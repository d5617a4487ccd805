import Synchronization

/// Whether the writes of a database are stored, by the outcome of the last one.
///
/// A database whose disk is full can still be read, and a failed write says more than free bytes: quotas, limits of the
/// process and rights prevent writes, too.
package final class WriteState: Sendable {
    // Transactions of several threads end at the same time.
    private let state = Mutex(State())

    private struct State {
        var failure: StorageError?
        var report: @Sendable (StorageError?) -> Void = { _ in }
    }

    /// The reason why the last write was not stored; nil if it was.
    package var failure: StorageError? { state.withLock(\.failure) }

    /// Calls a closure with the reason when writes begin to fail, and with nil when one was stored again.
    package func onChange(_ report: @escaping @Sendable (StorageError?) -> Void) {
        state.withLock { $0.report = report }
    }

    /// A write with changes was committed.
    func didStore() { change(to: nil) }

    /// Remembers an error of a write if further ones will fail, too, and returns it.
    func recorded(_ error: StorageError) -> StorageError {
        if error.stopsWrites { change(to: error) }
        return error
    }

    private func change(to failure: StorageError?) {
        let report = state.withLock { state in
            let hasChanged = (state.failure == nil) != (failure == nil)
            state.failure = failure
            return hasChanged ? state.report : nil
        }
        report?(failure)
    }
}
