import Synchronization

/// The state of the loads of a deferred part: whether they have ended.
final class DeferredLoad: Sendable {
    private let ended = Atomic(false)

    var isComplete: Bool { ended.load(ordering: .acquiring) }

    /// Records that the loads have ended; the slots that they have set may then be read.
    func complete() {
        ended.store(true, ordering: .releasing)
    }
}

/// The running loads of the deferred parts of one execution.
///
/// They run in tasks of their own, because the first payload does not wait for them.
final class DeferredLoads: Sendable {
    private struct State {
        var tasks: [Task<Void, Never>] = []
        var endedCount = 0
        var isCancelled = false
        var waiting: CheckedContinuation<Void, Never>?
    }

    // A lock, because loads end on any thread while the reader of the payloads waits.
    private let state = Mutex(State())
    private let timeLimit: Duration?

    /// - Parameter timeLimit: The time limit of each load; nil for no limit.
    init(timeLimit: Duration?) {
        self.timeLimit = timeLimit
    }

    /// Runs loads, and records their end in `load`.
    func start(_ load: DeferredLoad, _ pending: [PendingLoad], of execution: Execution) {
        let task = Task { [timeLimit, weak self] in
            await execution.run(within: timeLimit) { await finish(pending) }
            load.complete()
            self?.recordEnd()
        }
        let isCancelled = state.withLock { state in
            state.tasks.append(task)
            return state.isCancelled
        }
        if isCancelled { task.cancel() }
    }

    /// The number of loads that have ended.
    var endedCount: Int { state.withLock(\.endedCount) }

    /// Waits until more than `count` loads have ended, or all are cancelled.
    func waitForEnd(after count: Int) async {
        await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                let isOver = state.withLock { state in
                    if state.endedCount > count || state.isCancelled { return true }
                    state.waiting = continuation
                    return false
                }
                if isOver { continuation.resume() }
            }
        } onCancel: {
            cancel()
        }
    }

    /// Cancels the loads, whose results nobody reads.
    func cancel() {
        let (tasks, waiting) = state.withLock { state in
            defer { (state.tasks, state.waiting, state.isCancelled) = ([], nil, true) }
            return (state.tasks, state.waiting)
        }
        for task in tasks { task.cancel() }
        waiting?.resume()
    }

    var isCancelled: Bool { state.withLock(\.isCancelled) }

    private func recordEnd() {
        let waiting = state.withLock { state in
            state.endedCount += 1
            defer { state.waiting = nil }
            return state.waiting
        }
        waiting?.resume()
    }
}
