import Synchronization

/// An event that occurs once; any number of tasks can wait for it.
package final class Event<Value: Sendable>: Sendable {
    private enum State {
        case awaited([CheckedContinuation<Value, Never>])
        case happened(Value)
    }

    private let state = Mutex(State.awaited([]))

    package init() {}

    /// Marks the event as occurred; later calls have no effect.
    package func happen(_ value: Value) {
        let waiting: [CheckedContinuation<Value, Never>] = state.withLock { state in
            guard case .awaited(let waiting) = state else { return [] }
            state = .happened(value)
            return waiting
        }
        for continuation in waiting { continuation.resume(returning: value) }
    }

    package var hasHappened: Bool {
        state.withLock { state in
            switch state {
            case .awaited: false
            case .happened: true
            }
        }
    }

    /// Waits for the event, also after cancellation of the task.
    package func wait() async -> Value {
        await withCheckedContinuation { continuation in
            let value: Value? = state.withLock { state in
                switch state {
                case .happened(let value): return value
                case .awaited(let waiting):
                    state = .awaited(waiting + [continuation])
                    return nil
                }
            }
            if let value { continuation.resume(returning: value) }
        }
    }
}

extension Event<Void> {
    package func happen() { happen(()) }
}
