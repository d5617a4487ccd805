import Synchronization

/// The queue of commands from callers to the client's thread.
///
/// The lock is held for a few stores, and never during a callback or a wake-up: the thread that is woken would wait for it.
final class CurlCommandQueue: Sendable {
    /// Wakes the thread, and retains what it needs for that.
    typealias WakeUp = @Sendable () -> Void

    private struct State {
        var submissions: [PendingTransfer] = []
        var cancellations: [HTTPClientCall] = []
        var isClosing = false
        var isClosed = false
        var closeWaiters: [CheckedContinuation<Void, Never>] = []
        /// Wakes the thread; set while it runs.
        var wake: WakeUp?

        var isEmpty: Bool { submissions.isEmpty && cancellations.isEmpty }
    }

    /// The commands for the thread.
    struct CommandBatch {
        var submissions: [PendingTransfer]
        var cancellations: [HTTPClientCall]
        var isClosing: Bool
    }

    private let state = Mutex(State())
    /// The calls that were submitted and have not ended; added to behind the lock, so that it does not exceed the capacity.
    private let callCount = Atomic(0)
    private let capacity: Int

    init(capacity: Int) {
        self.capacity = capacity
    }

    func submit(_ submission: PendingTransfer) {
        let accepted: Result<WakeUp?, HTTPClientError> = state.withLock { state in
            if state.isClosing { return .failure(.shutDown) }
            if callCount.load(ordering: .relaxed) >= capacity { return .failure(.overloaded) }
            callCount.add(1, ordering: .relaxed)
            // One wake-up is enough for all commands that are queued when the thread runs.
            defer { state.submissions.append(submission) }
            return .success(state.isEmpty ? state.wake : nil)
        }
        switch accepted {
        case .success(let wake): wake?()
        case .failure(let refusal): submission.finish(.failure(refusal))
        }
    }

    func cancel(_ call: HTTPClientCall) {
        let wake = state.withLock { state -> WakeUp? in
            guard !state.isClosing else { return nil }
            defer { state.cancellations.append(call) }
            return state.isEmpty ? state.wake : nil
        }
        wake?()
    }

    /// From now on every submission is refused, and the thread winds up.
    func close() {
        let wake = state.withLock { state in
            state.isClosing = true
            return state.wake
        }
        wake?()
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

    /// `wake` must be callable from any thread, also after ``didClose()`` by a caller that had it before.
    func open(wake: @escaping WakeUp) {
        state.withLock { $0.wake = wake }
    }

    func collect() -> CommandBatch {
        state.withLock { state in
            defer { (state.submissions, state.cancellations) = ([], []) }
            return CommandBatch(
                submissions: state.submissions, cancellations: state.cancellations, isClosing: state.isClosing
            )
        }
    }

    func didFinishCall() { callCount.subtract(1, ordering: .relaxed) }

    /// No caller begins a wake-up after this.
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
