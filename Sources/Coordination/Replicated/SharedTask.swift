import PorticoCore
import Synchronization

/// An operation that several callers wait for: one that is called while it is in progress joins it.
///
/// It is executed to its end even if all callers are cancelled.
final class SharedTask<Failure: Error>: Sendable {
    // Held while a task is started or removed.
    private let state = Mutex<Task<Result<Void, Failure>, Never>?>(nil)

    func run(_ body: @escaping @Sendable () async throws(Failure) -> Void) async throws(Failure) {
        let task = state.withLock { current in
            if let current { return current }
            let task = Task { [self] () -> Result<Void, Failure> in
                let result = await Result.of(body)
                state.withLock { $0 = nil }
                return result
            }
            current = task
            return task
        }
        try await task.value.get()
    }
}
