import Brokerage
import Synchronization
import Upstream

/// A clock that a test turns by hand.
final class ManualClock: Sendable {
    private struct Sleeper {
        var id: Int
        var until: ContinuousClock.Instant
        var continuation: CheckedContinuation<Bool, Never>
    }

    /// Waits for somebody who wants to be woken by a moment.
    private struct SleepWaiter {
        var latest: ContinuousClock.Instant
        var continuation: CheckedContinuation<Void, Never>
    }

    private struct State {
        var elapsed = Duration.zero
        var sleepers: [Sleeper] = []
        var cancelled: Set<Int> = []
        var nextID = 0
        var sleepWaiters: [SleepWaiter] = []
    }

    private let start = ContinuousClock.now
    private let wallStart = Instant(secondsSince1970: 1_795_185_000) ?? .earliest
    private let state = Mutex(State())

    var now: ContinuousClock.Instant { start + state.withLock { $0.elapsed } }
    var wallTime: Instant { wallStart + state.withLock { $0.elapsed } }

    var clock: TimeSource {
        TimeSource(
            now: { [self] in now }, wallTime: { [self] in wallTime },
            sleep: { [self] in try await sleep(until: $0) })
    }

    /// Moves time on and wakes whoever slept until then.
    func advance(by duration: Duration) {
        let awake = state.withLock { state in
            state.elapsed += duration
            let now = start + state.elapsed
            let awake = state.sleepers.filter { $0.until <= now }
            state.sleepers.removeAll { $0.until <= now }
            return awake
        }
        for sleeper in awake { sleeper.continuation.resume(returning: true) }
    }

    /// Returns once somebody sleeps, for so long at most.
    func somebodySleeps(atMost longest: Duration = .seconds(1_000_000_000)) async {
        await withCheckedContinuation { continuation in
            let isThere = state.withLock { state in
                let latest = start + state.elapsed + longest
                let isThere = state.sleepers.contains { $0.until <= latest }
                if !isThere {
                    state.sleepWaiters.append(SleepWaiter(latest: latest, continuation: continuation))
                }
                return isThere
            }
            if isThere { continuation.resume() }
        }
    }

    /// The number of tasks that sleep.
    var sleeperCount: Int { state.withLock { $0.sleepers.count } }

    /// How long the one who sleeps still will.
    var remaining: Duration? {
        state.withLock { state in state.sleepers.first.map { (start + state.elapsed).duration(to: $0.until) }
        }
    }

    private func sleep(until: ContinuousClock.Instant) async throws {
        let id = state.withLock { state in
            state.nextID += 1
            return state.nextID
        }
        let isOver = await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                let (result, waiters): (Bool?, [SleepWaiter]) = state.withLock { state in
                    if state.cancelled.contains(id) { return (false, []) }
                    if until <= start + state.elapsed { return (true, []) }
                    state.sleepers.append(Sleeper(id: id, until: until, continuation: continuation))
                    let waiters = state.sleepWaiters.filter { $0.latest >= until }
                    state.sleepWaiters.removeAll { $0.latest >= until }
                    return (nil, waiters)
                }
                if let result { continuation.resume(returning: result) }
                for waiter in waiters { waiter.continuation.resume() }
            }
        } onCancel: {
            let sleeper: Sleeper? = state.withLock { state in
                state.cancelled.insert(id)
                guard let index = state.sleepers.firstIndex(where: { $0.id == id }) else { return nil }
                return state.sleepers.remove(at: index)
            }
            sleeper?.continuation.resume(returning: false)
        }
        if !isOver { throw CancellationError() }
    }
}
