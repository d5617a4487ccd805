import Synchronization

/// What one operation asks of the services behind the server, noted while it runs.
package final class UpstreamLog: Sendable {
    /// So many calls are told one by one; what is beyond is counted.
    static let limit = 256

    private struct State {
        var start: ContinuousClock.Instant
        var calls: [UpstreamCall] = []
        var omitted = 0
        var servesStale = false
    }

    // Calls end on any thread; held for an append.
    private let state: Mutex<State>

    init(start: ContinuousClock.Instant = .now) {
        state = Mutex(State(start: start))
    }

    private init(_ state: State) {
        self.state = Mutex(state)
    }

    /// When the operation began, or the part of it that is noted now.
    var start: ContinuousClock.Instant { state.withLock { $0.start } }

    /// Notes a call that has ended, or what stood in for one.
    package func note(_ call: UpstreamCall) {
        state.withLock { state in
            if call.outcome == .stale { state.servesStale = true }
            if state.calls.count < UpstreamLog.limit { state.calls.append(call) } else { state.omitted += 1 }
        }
    }

    /// Whether something was told that is past its time.
    var servesStale: Bool { state.withLock(\.servesStale) }

    /// What is noted so far, in a log of its own; this one begins anew.
    ///
    /// So the log of an operation of many responses stays small, however long it lasts.
    func take(until end: ContinuousClock.Instant) -> UpstreamLog {
        UpstreamLog(
            state.withLock { state in
                defer { state = State(start: end) }
                return state
            })
    }

    /// What the operation has cost so far.
    func use(until end: ContinuousClock.Instant) -> UpstreamUsage {
        let state = state.withLock { $0 }
        return UpstreamUsage(of: state.calls, from: state.start, until: end)
    }

    /// What is noted so far, in the order in which it began; `omitted` is how much came beyond the limit.
    var entries: (calls: [UpstreamCall], omitted: Int) {
        let state = state.withLock { $0 }
        return (state.calls.sorted { $0.start < $1.start }, state.omitted)
    }
}

/// How much of an operation was spent on services behind the server.
struct UpstreamUsage: Sendable, Hashable {
    /// Calls that went out, or were not let out; none of those that were spared.
    var calls = 0
    /// How long at least one of its calls was under way, or was waited for.
    var time = Duration.zero

    init(of calls: [UpstreamCall], from start: ContinuousClock.Instant, until end: ContinuousClock.Instant) {
        var covered = start
        // Most operations find all at hand.
        let lasting = calls.filter { $0.duration > .zero }.sorted { $0.start < $1.start }
        for call in lasting {
            let from = max(covered, call.start)
            let to = min(end, call.start + call.duration)
            guard to > from else { continue }
            time += from.duration(to: to)
            covered = to
        }
        self.calls = calls.count { !$0.outcome.isSpared }
    }
}
