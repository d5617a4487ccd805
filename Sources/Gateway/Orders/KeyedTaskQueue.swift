import Synchronization

/// Does things one after the other that have the same key, each in a task of its own: it goes on when whoever asked for it
/// has gone.
///
/// A lock, because requests on many tasks take their turns.
final class KeyedTaskQueue<Key: Hashable & Sendable>: Sendable {
    private struct Last {
        let number: Int
        let end: Task<Void, Never>
    }

    private struct State {
        var last: [Key: Last] = [:]
        var number = 0
    }

    private let state = Mutex(State())

    /// Begins something as soon as what was begun before with the same key has ended.
    func enqueue<Value: Sendable>(
        _ key: Key, _ body: @escaping @Sendable () async throws -> Value
    ) -> Task<Value, any Error> {
        state.withLock { state in
            let before = state.last[key]?.end
            let task = Task {
                await before?.value
                return try await body()
            }
            state.number += 1
            let number = state.number
            let end = Task {
                _ = await task.result
                self.release(key, number)
            }
            state.last[key] = Last(number: number, end: end)
            return task
        }
    }

    private func release(_ key: Key, _ number: Int) {
        state.withLock { state in
            if state.last[key]?.number == number { state.last[key] = nil }
        }
    }
}

/// Lets one after the other do what must not overlap, for each key.
///
/// An actor, since what waits is in an order over time.
actor WriteTurns {
    private var last: [String: (number: Int, task: Task<Void, Never>)] = [:]
    private var count = 0

    /// Does something once all that was given before under the same key has been done.
    ///
    /// In a task of its own: a client that hangs up must not undo what was done for it.
    func run<Value: Sendable>(
        _ key: String, _ body: @escaping @Sendable () async throws -> Value
    ) async throws -> Value {
        let before = last[key]?.task
        let task = Task.detached {
            await before?.value
            return try await body()
        }
        count &+= 1
        let number = count
        last[key] = (number, Task.detached { _ = try? await task.value })
        defer { if last[key]?.number == number { last[key] = nil } }
        return try await task.value
    }
}
