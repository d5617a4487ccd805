import Synchronization

/// Runs the tasks of one key one after the other; tasks of different keys run at the same time.
///
/// Each body runs in its own task: it continues when the task that enqueued it is cancelled, so a client that
/// disconnects does not interrupt a write. A lock guards the state, because any task may enqueue.
package final class KeyedTaskQueue<Key: Hashable & Sendable>: Sendable {
    private struct Last {
        let number: Int
        let end: Task<Void, Never>
    }

    private struct State {
        var last: [Key: Last] = [:]
        var number = 0
    }

    private let state = Mutex(State())

    package init() {}

    /// Starts the body after all bodies that were enqueued before with the same key have ended.
    package func enqueue<Value: Sendable>(
        _ key: Key, _ body: @escaping @Sendable () async throws -> Value
    ) -> Task<Value, any Error> {
        state.withLock { state in
            let previous = state.last[key]?.end
            let task = Task {
                await previous?.value
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
