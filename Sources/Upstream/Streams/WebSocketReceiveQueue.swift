import NIOCore
import Synchronization

/// Messages between the network's thread and who receives them.
package final class WebSocketReceiveQueue: Sendable {
    typealias Arrival = Result<WebSocketMessage, WebSocketError>

    private struct State {
        var messages: CircularBuffer<WebSocketMessage> = []
        var waiters: [(id: Int, continuation: CheckedContinuation<Arrival, Never>)] = []
        var nextID = 0
        var end: WebSocketError?
        /// The network's thread waits for room.
        var isHeld = false
    }

    private let state = Mutex(State())
    private let capacity: Int

    package init(capacity: Int) {
        self.capacity = max(capacity, 1)
    }

    /// The reason why it has ended; nil while it is open.
    package var end: WebSocketError? { state.withLock { $0.end } }

    // MARK: The network's side

    package func deliver(_ message: WebSocketMessage) {
        let waiter: CheckedContinuation<Arrival, Never>? = state.withLock { state in
            guard state.end == nil else { return nil }
            if state.waiters.isEmpty {
                state.messages.append(message)
                return nil
            }
            return state.waiters.removeFirst().continuation
        }
        waiter?.resume(returning: .success(message))
    }

    /// Ends it: the first reason stays.
    ///
    /// Messages that came before can still be received.
    package func finish(_ error: WebSocketError) {
        let waiters = state.withLock { state in
            if state.end == nil { state.end = error }
            defer { state.waiters = [] }
            return state.waiters
        }
        for waiter in waiters { waiter.continuation.resume(returning: .failure(error)) }
    }

    /// Whether more may be read now; if not, ``receive(readOn:)`` reports when.
    package func shouldRead() -> Bool {
        state.withLock { state in
            state.isHeld = state.messages.count >= capacity && state.end == nil
            return !state.isHeld
        }
    }

    var isHeld: Bool { state.withLock { $0.isHeld } }

    // MARK: The receiver's side

    /// The next message.
    ///
    /// - Parameter readOn: called when the network's thread waited for room, and there is some.
    /// - Returns: the message.
    /// - Throws: why there will be none.
    package func receive(readOn: () -> Void) async throws(WebSocketError) -> WebSocketMessage {
        let id = state.withLock { state in
            state.nextID += 1
            return state.nextID
        }
        let arrival: Arrival = await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                let (arrival, isRoom) = dequeue(id, continuation)
                if isRoom { readOn() }
                if let arrival { continuation.resume(returning: arrival) }
            }
        } onCancel: {
            cancel(id)
        }
        return try arrival.get()
    }

    private func dequeue(
        _ id: Int, _ continuation: CheckedContinuation<Arrival, Never>
    ) -> (arrival: Arrival?, isRoom: Bool) {
        state.withLock { state in
            // A task that is cancelled later finds its waiter below.
            if Task.isCancelled { return (.failure(.cancelled), false) }
            if let message = state.messages.popFirst() {
                let isRoom = state.isHeld && state.messages.count * 2 <= capacity
                if isRoom { state.isHeld = false }
                return (.success(message), isRoom)
            }
            if let end = state.end { return (.failure(end), false) }
            state.waiters.append((id, continuation))
            return (nil, false)
        }
    }

    private func cancel(_ id: Int) {
        let waiter: CheckedContinuation<Arrival, Never>? = state.withLock { state in
            guard let index = state.waiters.firstIndex(where: { $0.id == id }) else { return nil }
            return state.waiters.remove(at: index).continuation
        }
        waiter?.resume(returning: .failure(.cancelled))
    }
}
