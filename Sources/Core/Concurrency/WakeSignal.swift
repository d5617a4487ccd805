import Synchronization

/// Wakes one waiting task.
///
/// A signal that is sent while no task waits is remembered, once.
/// A lock guards the state, because any task may send the signal.
package final class WakeSignal: Sendable {
    private struct State {
        /// The signal was sent while no task waited.
        var isPending = false
        /// The number of the current wait, or of the last one.
        var wait = 0
        /// Whether the current wait has timed out.
        var hasTimedOut = false
        var waiter: CheckedContinuation<Bool, Never>?
    }

    private let state = Mutex(State())

    package init() {}

    /// Wakes the waiting task, or the next task that waits.
    package func send() {
        let waiter = state.withLock { state in
            defer { state.waiter = nil }
            if state.waiter == nil { state.isPending = true }
            return state.waiter
        }
        waiter?.resume(returning: true)
    }

    /// Waits for the signal; one task at a time may wait.
    ///
    /// - Parameter timeout: Ends the wait when it returns.
    /// - Returns: True for a signal, false for the timeout.
    package func wait(timeout: @escaping @Sendable () async -> Void) async -> Bool {
        let wait = state.withLock { state in
            state.wait += 1
            state.hasTimedOut = false
            return state.wait
        }
        let timer = Task {
            await timeout()
            end(wait)
        }
        defer { timer.cancel() }
        return await withCheckedContinuation { continuation in
            let result: Bool? = state.withLock { state in
                if state.isPending {
                    state.isPending = false
                    return true
                }
                if state.hasTimedOut { return false }
                state.waiter = continuation
                return nil
            }
            if let result { continuation.resume(returning: result) }
        }
    }

    /// Waits for the signal, for the end of the timeout, or until the task is cancelled; one task at a time may wait.
    package func waitOrCancel(timeout: @escaping @Sendable () async -> Void) async {
        _ = await withTaskCancellationHandler {
            await wait(timeout: timeout)
        } onCancel: {
            send()
        }
    }

    /// Ends one wait; a later wait continues.
    private func end(_ wait: Int) {
        let waiter: CheckedContinuation<Bool, Never>? = state.withLock { state in
            guard state.wait == wait else { return nil }
            defer { state.waiter = nil }
            state.hasTimedOut = true
            return state.waiter
        }
        waiter?.resume(returning: false)
    }
}
