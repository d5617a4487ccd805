import Brokerage
import Synchronization
import Upstream

/// Tells those who follow all of a user's connections that these are others now.
final class ConnectionChangeNotifier: Sendable {
    private struct State {
        var listeners: [OwnerID: [Int: AsyncStream<Void>.Continuation]] = [:]
        var nextNumber = 0
    }

    // It is not held during `yield`, which waits for a lock of the task that it resumes: the cancellation of that task
    // holds the task's lock while it calls `leave`, which waits for this mutex.
    private let state = Mutex(State())

    /// One at once, then one after each change; several that nobody has seen to are one.
    func changes(of owner: OwnerID) -> AsyncStream<Void> {
        let (changes, listener) = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))
        listener.yield()
        let number = state.withLock { state in
            state.nextNumber += 1
            state.listeners[owner, default: [:]][state.nextNumber] = listener
            return state.nextNumber
        }
        listener.onTermination = { [self] _ in removeListener(number, owner) }
        return changes
    }

    /// A connection was made, or is no more.
    func notify(_ owner: OwnerID) {
        let listeners = state.withLock { $0.listeners[owner] }
        for listener in (listeners ?? [:]).values { listener.yield() }
    }

    private func removeListener(_ number: Int, _ owner: OwnerID) {
        state.withLock { state in
            state.listeners[owner]?[number] = nil
            if state.listeners[owner]?.isEmpty == true { state.listeners[owner] = nil }
        }
    }
}
