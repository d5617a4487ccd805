import Brokerage
import Coordination
import Gateway
import Synchronization
import Testing
import Upstream

@Suite("The calls to providers that a client without a session may cause")
struct CallBudgetTests {
    /// A clock that a test advances.
    private final class Time: Sendable {
        private let elapsed = Mutex(Duration.zero)
        private let start = ContinuousClock.now

        func advance(by duration: Duration) { elapsed.withLock { $0 += duration } }

        var clock: TimeSource {
            TimeSource(
                now: { [self] in start + elapsed.withLock(\.self) },
                wallTime: { [self] in .earliest + elapsed.withLock(\.self) }, sleep: { _ in })
        }
    }

    @Test("are limited in the minute that begins with the first call, and allowed again after it")
    func minute() {
        let time = Time()
        let budgets = CallBudgets(limit: 3, clock: time.clock)
        let (one, other) = (ClientOrigin(1), ClientOrigin(2))
        for _ in 0..<3 {
            #expect(budgets.limitError(for: one, counting: true) == nil)
            time.advance(by: .seconds(10))
        }
        let retryAt = Instant.earliest + .seconds(60)
        for isSpent in [false, true] {
            #expect(budgets.limitError(for: one, counting: isSpent) == .client(limit: 3, retryAt: retryAt))
        }
        #expect(budgets.limitError(for: other, counting: true) == nil)
        time.advance(by: .seconds(30))
        #expect(budgets.limitError(for: one, counting: true) == nil)
    }

    @Test("are not counted by a check whether a call is left")
    func asking() {
        let budgets = CallBudgets(limit: 1)
        for _ in 0..<5 { #expect(budgets.limitError(for: ClientOrigin(1), counting: false) == nil) }
        #expect(budgets.limitError(for: ClientOrigin(1), counting: true) == nil)
        #expect(budgets.limitError(for: ClientOrigin(1), counting: false) != nil)
    }

    @Test("are shared by clients for which the table has no room, until entries expire")
    func bounded() {
        let time = Time()
        let budgets = CallBudgets(limit: 2, capacity: 10, clock: time.clock)
        for client in UInt64(0)..<10 {
            #expect(budgets.limitError(for: ClientOrigin(client), counting: true) == nil)
        }
        #expect(budgets.limitError(for: ClientOrigin(100), counting: true) == nil)
        #expect(budgets.limitError(for: ClientOrigin(101), counting: true) == nil)
        #expect(budgets.limitError(for: ClientOrigin(102), counting: true) != nil)
        // Clients in the table have their own budgets.
        #expect(budgets.limitError(for: ClientOrigin(3), counting: true) == nil)
        time.advance(by: .seconds(60))
        #expect(budgets.limitError(for: ClientOrigin(102), counting: true) == nil)
        #expect(budgets.limitError(for: ClientOrigin(103), counting: true) == nil)
        #expect(budgets.limitError(for: ClientOrigin(103), counting: true) == nil)
    }
}
