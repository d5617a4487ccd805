package import Brokerage
import Synchronization

/// The clock of the sandbox.
package struct SandboxClock: Sendable {
    private let read: @Sendable () -> Instant
    private let pause: @Sendable (Instant) async -> Void

    /// Creates a clock; `waiting` returns when it has reached a moment or the task is cancelled.
    ///
    /// By default, `waiting` polls 50 times a second.
    package init(
        _ read: @escaping @Sendable () -> Instant, waiting: (@Sendable (Instant) async -> Void)? = nil
    ) {
        self.read = read
        pause =
            waiting ?? { moment in
                while read() < moment, !Task.isCancelled { try? await Task.sleep(for: .milliseconds(20)) }
            }
    }

    package var now: Instant { read() }

    /// Returns when the clock has reached the moment, or the task is cancelled.
    package func wait(until moment: Instant) async {
        await pause(moment)
    }

    /// The machine's clock.
    package static let real = SandboxClock(
        { .now },
        waiting: { moment in
            let rest = moment.duration(since: .now)
            if rest > .zero { try? await Task.sleep(for: rest) }
        })

    /// Returns a stopped clock; waiting for a later moment ends only with cancellation.
    package static func fixed(_ instant: Instant) -> SandboxClock {
        ManualClock(instant).clock
    }
}

/// A clock that changes only when it is set, for tests that control time.
///
/// A waiting task continues when the clock is set to its moment or past it. It uses a lock: one task sets
/// it, others read it.
package final class ManualClock: Sendable {
    private let state: Mutex<State>

    private struct State {
        var instant: Instant
        var waiting: [Int: (moment: Instant, continuation: CheckedContinuation<Void, Never>)] = [:]
        var next = 0
        /// Cancelled before they were added as waiting.
        var cancelled: Set<Int> = []
    }

    package init(_ instant: Instant) {
        state = Mutex(State(instant: instant))
    }

    package var now: Instant { state.withLock { $0.instant } }

    package func set(_ new: Instant) {
        change { $0.instant = new }
    }

    package func advance(by duration: Duration) {
        change { $0.instant = $0.instant + duration }
    }

    /// The number of waiting tasks; tests use it to detect that started tasks are idle.
    package var waiterCount: Int { state.withLock { $0.waiting.count } }

    package var clock: SandboxClock { SandboxClock({ self.now }, waiting: { await self.wait(until: $0) }) }

    private func change(_ change: (inout State) -> Void) {
        let due = state.withLock { state in
            change(&state)
            let due = state.waiting.filter { $0.value.moment <= state.instant }
            for number in due.keys { state.waiting[number] = nil }
            return due.values.map(\.continuation)
        }
        for continuation in due { continuation.resume() }
    }

    private func wait(until moment: Instant) async {
        let number = state.withLock { state in
            state.next += 1
            return state.next
        }
        await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                let isDone = state.withLock { state in
                    if state.cancelled.remove(number) != nil || moment <= state.instant { return true }
                    state.waiting[number] = (moment, continuation)
                    return false
                }
                if isDone { continuation.resume() }
            }
        } onCancel: {
            let continuation = state.withLock { state in
                let waiter = state.waiting.removeValue(forKey: number)
                if waiter == nil { state.cancelled.insert(number) }
                return waiter?.continuation
            }
            continuation?.resume()
        }
        state.withLock { _ = $0.cancelled.remove(number) }
    }
}
