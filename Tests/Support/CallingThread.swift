import Dispatch
import Foundation

/// The thread that executes a piece of a task.
///
/// Threads are compared by their ids: a new thread of the executor has the name of the thread that created it.
package struct CallingThread: Hashable, Sendable {
    private let id: UInt

    /// Asynchronous functions cannot ask for the current thread.
    package static func current() -> CallingThread { CallingThread(id: UInt(pthread_self())) }

    /// Begins a task on a thread that executes nothing else, like an event loop.
    ///
    /// - Parameter body: The task.
    /// - Returns: The thread, which exists until the task has ended, so that no other one has its id; and the result of
    ///   the task.
    package static func begin<Result: Sendable>(
        _ body: @escaping @Sendable () async -> Result
    ) async -> (thread: CallingThread, result: Result) {
        await withCheckedContinuation { continuation in
            Thread.detachNewThread {
                let thread = current()
                let end = DispatchSemaphore(value: 0)
                Task.immediate {
                    let result = await body()
                    end.signal()
                    continuation.resume(returning: (thread, result))
                }
                end.wait()
            }
        }
    }
}
