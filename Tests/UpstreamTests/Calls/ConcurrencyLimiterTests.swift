import Synchronization
import Testing
import Upstream

/// Counts who is inside.
private final class Occupancy: Sendable {
    private let state = Mutex((now: 0, most: 0))

    var now: Int { state.withLock { $0.now } }
    var most: Int { state.withLock { $0.most } }

    func enter() { state.withLock { $0 = ($0.now + 1, max($0.most, $0.now + 1)) } }

    func leave() { state.withLock { $0.now -= 1 } }
}

@Suite("The limit of concurrent calls")
struct ConcurrencyLimiterTests {
    @Test("admits the limit at a time, and all in the end")
    func limits() async throws {
        let clock = ManualClock()
        let limiter = ConcurrencyLimiter(limit: 3, clock: clock.clock)
        let inside = Occupancy()
        await withTaskGroup { group in
            for _ in 0..<500 {
                group.addTask {
                    do {
                        try await limiter.acquire(before: clock.now + .seconds(60))
                    } catch {
                        Issue.record("\(error)")
                        return
                    }
                    inside.enter()
                    await Task.yield()
                    inside.leave()
                    limiter.release()
                }
            }
        }
        #expect(inside.most == 3)
        #expect(inside.now == 0)
    }

    @Test("ends a wait at the deadline")
    func deadline() async throws {
        let clock = ManualClock()
        let limiter = ConcurrencyLimiter(limit: 1, clock: clock.clock)
        try await limiter.acquire(before: clock.now)
        let waiter = Task { try await limiter.acquire(before: clock.now + .seconds(1)) }
        await clock.somebodySleeps()
        clock.advance(by: .seconds(1))
        await #expect(throws: ConcurrencyLimiter.Failure.timedOut) { try await waiter.value }
        limiter.release()
        try await limiter.acquire(before: clock.now)
    }

    @Test("ends a wait when it is cancelled, and its slot is not lost")
    func cancelled() async throws {
        let clock = ManualClock()
        let limiter = ConcurrencyLimiter(limit: 1, clock: clock.clock)
        try await limiter.acquire(before: clock.now)
        let waiters = (0..<5).map { _ in Task { try await limiter.acquire(before: clock.now + .seconds(1)) } }
        await clock.somebodySleeps()
        for waiter in waiters { waiter.cancel() }
        for waiter in waiters {
            await #expect(throws: ConcurrencyLimiter.Failure.cancelled) { try await waiter.value }
        }
        limiter.release()
        try await limiter.acquire(before: clock.now)
    }

    @Test("limits the number of waiting calls")
    func overloaded() async throws {
        let clock = ManualClock()
        let limiter = ConcurrencyLimiter(limit: 1, maximumQueueLength: 1, clock: clock.clock)
        try await limiter.acquire(before: clock.now)
        let waiter = Task { try await limiter.acquire(before: clock.now + .seconds(1)) }
        await clock.somebodySleeps()
        await #expect(throws: ConcurrencyLimiter.Failure.overloaded) {
            try await limiter.acquire(before: clock.now + .seconds(1))
        }
        limiter.release()
        try await waiter.value
    }
}
