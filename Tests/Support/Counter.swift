import Synchronization

/// Counts events of several tasks or threads.
package final class Counter: Sendable {
    private let value = Mutex(0)

    package init() {}

    package var count: Int { value.withLock(\.self) }

    package func increment() { value.withLock { $0 += 1 } }
}
