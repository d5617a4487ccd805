import NIOCore
import Synchronization

/// How late event loops are: how long what is due has to wait until it is its turn.
///
/// Each loop is looked at from time to time. A lock, because each writes what it has found from its own thread.
final class EventLoopLag: Sendable {
    private static let interval = TimeAmount.seconds(1)

    private let state = Mutex(State())

    private struct State {
        var due: [NIODeadline] = []
        var lags: [TimeAmount] = []
        var tasks: [RepeatedTask] = []
    }

    /// Looks at the loops of a group until `stop`.
    func watch(_ group: any EventLoopGroup) {
        let loops = Array(group.makeIterator())
        let due = NIODeadline.now() + EventLoopLag.interval
        state.withLock { state in
            state.due = loops.map { _ in due }
            state.lags = loops.map { _ in .zero }
        }
        let tasks = loops.enumerated().map { place, loop in
            loop.scheduleRepeatedTask(initialDelay: EventLoopLag.interval, delay: EventLoopLag.interval) {
                [weak self] task in
                guard let self else { return task.cancel() }
                self.look(at: place, now: .now())
            }
        }
        state.withLock { $0.tasks = tasks }
    }

    func stop() {
        let tasks = state.withLock { $0.tasks }
        for task in tasks { task.cancel() }
    }

    private func look(at place: Int, now: NIODeadline) {
        state.withLock { state in
            state.lags[place] = max(.zero, now - state.due[place])
            state.due[place] = now + EventLoopLag.interval
        }
    }

    /// What was found last, by the places of the loops in their group.
    var family: MetricFamily {
        let lags = state.withLock { $0.lags }
        return MetricFamily(
            "portico_event_loop_lag_seconds", .gauge,
            "How late each event loop was when it was looked at last.",
            lags.enumerated().map { place, lag in
                MetricFamily.Sample(
                    Double(lag.nanoseconds) / 1e9, labels: [MetricFamily.Label("loop", "\(place)")])
            })
    }
}
