import Synchronization

/// The queue of commands from callers to the client's thread.
///
/// The lock is held for a few stores, and never during a callback.
final class CurlCommandQueue: Sendable {
    private struct State {
        var submissions: [PendingTransfer] = []
        var cancellations: [HTTPClientCall] = []
        /// Submitted and not finished.
        var callCount = 0
        var isClosing = false
        var isClosed = false
        var closeWaiters: [CheckedContinuation<Void, Never>] = []
        /// Wakes the thread; set while it runs.
        var wake: (@Sendable () -> Void)?

        var isEmpty: Bool { submissions.isEmpty && cancellations.isEmpty }
    }

    /// The commands for the thread.
    struct CommandBatch {
        var submissions: [PendingTransfer]
        var cancellations: [HTTPClientCall]
        var isClosing: Bool
    }

    private let state = Mutex(State())
    private let capacity: Int

    init(capacity: Int) {
        self.capacity = capacity
    }

    func submit(_ submission: PendingTransfer) {
        let refusal: HTTPClientError? = state.withLock { state in
            if state.isClosing { return .shutDown }
            if state.callCount >= capacity { return .overloaded }
            state.callCount += 1
            // One wake-up is enough for all commands that are queued when the thread runs.
            let isFirst = state.isEmpty
            state.submissions.append(submission)
            if isFirst { state.wake?() }
            return nil
        }
        if let refusal { submission.finish(.failure(refusal)) }
    }

    func cancel(_ call: HTTPClientCall) {
        state.withLock { state in
            guard !state.isClosing else { return }
            let isFirst = state.isEmpty
            state.cancellations.append(call)
            if isFirst { state.wake?() }
        }
    }

    /// From now on every submission is refused, and the thread winds up.
    func close() {
        state.withLock { state in
            state.isClosing = true
            state.wake?()
        }
    }

    /// Returns when the thread has wound up.
    func closed() async {
        await withCheckedContinuation { continuation in
            let isClosed = state.withLock { state in
                if !state.isClosed { state.closeWaiters.append(continuation) }
                return state.isClosed
            }
            if isClosed { continuation.resume() }
        }
    }

    // MARK: The thread's side

    /// `wake` must be callable from any thread until ``didClose()``; it is called under the lock, so that
    /// the thread cannot release the handle in between.
    func open(wake: @escaping @Sendable () -> Void) {
        state.withLock { $0.wake = wake }
    }

    func collect() -> CommandBatch {
        state.withLock { state in
            let batch = CommandBatch(
                submissions: state.submissions, cancellations: state.cancellations, isClosing: state.isClosing
            )
            state.submissions.removeAll(keepingCapacity: true)
            state.cancellations.removeAll(keepingCapacity: true)
            return batch
        }
    }

    func didFinishCall() {
        state.withLock { $0.callCount -= 1 }
    }

    /// No wake-up comes after this.
    func stopWaking() {
        state.withLock { $0.wake = nil }
    }

    func didClose() {
        let waiters = state.withLock { state in
            state.isClosed = true
            defer { state.closeWaiters = [] }
            return state.closeWaiters
        }
        for waiter in waiters { waiter.resume() }
    }
}
