import Synchronization

/// Holds tasks up until it is opened, and counts them.
final class Gate: Sendable {
    private struct State {
        var isOpen = false
        var arrivals = 0
        var held: [Int: CheckedContinuation<Void, Never>] = [:]
        var cancelled: Set<Int> = []
        var watchers: [(count: Int, CheckedContinuation<Void, Never>)] = []
        var cancellations = 0
        var cancelWatchers: [(count: Int, CheckedContinuation<Void, Never>)] = []
    }

    private let state = Mutex(State())

    var arrivals: Int { state.withLock { $0.arrivals } }

    /// Waits for the opening, or for the cancellation of the task.
    func pass() async {
        let (id, watchers) = state.withLock { state in
            state.arrivals += 1
            let ready = state.watchers.filter { $0.count <= state.arrivals }
            state.watchers.removeAll { $0.count <= state.arrivals }
            return (state.arrivals, ready)
        }
        for watcher in watchers { watcher.1.resume() }
        await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                let isFree = state.withLock { state in
                    if state.isOpen || state.cancelled.contains(id) { return true }
                    state.held[id] = continuation
                    return false
                }
                if isFree { continuation.resume() }
            }
        } onCancel: {
            let (held, watchers) = state.withLock { state in
                state.cancelled.insert(id)
                state.cancellations += 1
                let ready = state.cancelWatchers.filter { $0.count <= state.cancellations }
                state.cancelWatchers.removeAll { $0.count <= state.cancellations }
                return (state.held.removeValue(forKey: id), ready)
            }
            held?.resume()
            for watcher in watchers { watcher.1.resume() }
        }
    }

    func open() {
        let held = state.withLock { state in
            state.isOpen = true
            defer { state.held = [:] }
            return state.held.values.map(\.self)
        }
        for continuation in held { continuation.resume() }
    }

    /// Returns once so many have come.
    func arrived(_ count: Int) async {
        await withCheckedContinuation { continuation in
            let isThere = state.withLock { state in
                if state.arrivals < count { state.watchers.append((count, continuation)) }
                return state.arrivals >= count
            }
            if isThere { continuation.resume() }
        }
    }

    /// Returns once so many were cancelled at the gate.
    func cancelled(_ count: Int) async {
        await withCheckedContinuation { continuation in
            let isThere = state.withLock { state in
                if state.cancellations < count { state.cancelWatchers.append((count, continuation)) }
                return state.cancellations >= count
            }
            if isThere { continuation.resume() }
        }
    }
}

/// Keeps what it is told.
final class Journal<Entry: Sendable>: Sendable {
    private let state = Mutex<[Entry]>([])

    var entries: [Entry] { state.withLock { $0 } }

    func note(_ entry: Entry) { state.withLock { $0.append(entry) } }
}
