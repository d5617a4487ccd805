import Synchronization

/// Whether one token is still valid, and what to call when it ends.
///
/// There is one for each token and not for each session: a session that is renewed has another token from then on, and what
/// was opened with the old one has ended. Sockets and streams register here, so that none has to ask again and again.
package final class TokenValidity: Sendable {
    private struct State {
        var observers: [Int: @Sendable () -> Void] = [:]
        var nextNumber = 0
    }

    // Any thread. It is held for a few stores, never while an observer is called.
    private let state = Mutex(State())
    // Each guarded field reads it, without the lock. It is set under the lock, so that none observes what has ended.
    private let ended = Atomic(false)

    package var hasEnded: Bool { ended.load(ordering: .acquiring) }

    /// Calls a closure once, when the token ends; at once where it has ended.
    ///
    /// - Parameter observer: Is called on any thread, and must not block.
    /// - Returns: what removes the closure; to be called when it is of no use any more.
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

    /// Ends the token, for good.
    func end() {
        let observers = state.withLock { state in
            ended.store(true, ordering: .releasing)
            defer { state.observers = [:] }
            return state.observers
        }
        for observer in observers.values { observer() }
    }
}
