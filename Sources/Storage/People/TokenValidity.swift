import Synchronization

/// The validity of one token, with the closures to call when it ends.
///
/// There is one for each token and not for each session: a renewed session has a new token, and everything
/// that was opened with the old token has ended. Sockets and streams register here, so that none has to poll.
package final class TokenValidity: Sendable {
    private struct State {
        var observers: [Int: @Sendable () -> Void] = [:]
        var nextNumber = 0
    }

    // Taken on any thread. It is held for a few stores, never while an observer is called.
    private let state = Mutex(State())
    // Each guarded field reads it without the lock. It is set under the lock, so that no observer is added
    // after the end.
    private let ended = Atomic(false)

    package var hasEnded: Bool { ended.load(ordering: .acquiring) }

    /// Calls a closure once when the token ends; at once if it has ended.
    ///
    /// - Parameter observer: Called on any thread; must not block.
    /// - Returns: A closure that removes the observer. Call it when the observer is no longer needed.
    package func onEnd(_ observer: @escaping @Sendable () -> Void) -> @Sendable () -> Void {
        let number: Int? = state.withLock { state in
            if hasEnded { return nil }
            state.nextNumber += 1
            state.observers[state.nextNumber] = observer
            return state.nextNumber
        }
        guard let number else {
            observer()
            return {}
        }
        return { [self] in _ = state.withLock { $0.observers.removeValue(forKey: number) } }
    }

    /// Ends the token permanently.
    func end() {
        let observers = state.withLock { state in
            ended.store(true, ordering: .releasing)
            defer { state.observers = [:] }
            return state.observers
        }
        for observer in observers.values { observer() }
    }
}
