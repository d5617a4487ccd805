import Synchronization

/// Wakes the one who waits for something to do.
///
/// A lock, because it is rung from any task.
final class WakeSignal: Sendable {
    private struct State {
        /// It was rung while nobody waited.
        var hasRung = false
        /// Of the waiting that is under way, or was.
        var number = 0
        /// Whether that one has lasted long enough.
        var isOver = false
        var waiter: CheckedContinuation<Bool, Never>?
    }

    private let state = Mutex(State())

    /// Wakes the one who waits, or the next one who will.
    func ring() {
        let waiter = state.withLock { state in
            defer { state.waiter = nil }
            if state.waiter == nil { state.hasRung = true }
            return state.waiter
        }
        waiter?.resume(returning: true)
    }

    /// Waits for it; one waits at a time.
    ///
    /// - Parameter sleep: ends the waiting when it returns.
    /// - Returns: whether it rang.
    func wait(noLongerThan sleep: @escaping @Sendable () async -> Void) async -> Bool {
        let number = state.withLock { state in
            state.number += 1
            state.isOver = false
            return state.number
        }
        let alarm = Task {
            await sleep()
            end(number)
        }
        defer { alarm.cancel() }
        return await withCheckedContinuation { continuation in
            let answer: Bool? = state.withLock { state in
                if state.hasRung {
                    state.hasRung = false
                    return true
                }
                if state.isOver { return false }
                state.waiter = continuation
                return nil
            }
            if let answer { continuation.resume(returning: answer) }
        }
    }

    /// A waiting has lasted long enough; a later one is not meant.
    private func end(_ number: Int) {
        let waiter: CheckedContinuation<Bool, Never>? = state.withLock { state in
            guard state.number == number else { return nil }
            defer { state.waiter = nil }
            state.isOver = true
            return state.waiter
        }
        waiter?.resume(returning: false)
    }
}
