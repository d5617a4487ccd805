import Synchronization

/// Bounds how many tests run programs at one time: a hundred processes that start at once would all be slow.
enum ProcessLimiter {
    private struct State {
        var free = 6
        var waiting: [CheckedContinuation<Void, Never>] = []
    }

    private static let state = Mutex(State())
    /// Whoever has a turn does not wait for another one: two could wait for each other.
    @TaskLocal private static var isTaken = false

    static func take<Value>(_ body: () async throws -> Value) async rethrows -> Value {
        if isTaken { return try await body() }
        await withCheckedContinuation { continuation in
            let isFree = state.withLock { state in
                if state.free == 0 {
                    state.waiting.append(continuation)
                    return false
                }
                state.free -= 1
                return true
            }
            if isFree { continuation.resume() }
        }
        defer { leave() }
        return try await $isTaken.withValue(true) { try await body() }
    }

    private static func leave() {
        let next: CheckedContinuation<Void, Never>? = state.withLock { state in
            if !state.waiting.isEmpty { return state.waiting.removeFirst() }
            state.free += 1
            return nil
        }
        next?.resume()
    }
}
