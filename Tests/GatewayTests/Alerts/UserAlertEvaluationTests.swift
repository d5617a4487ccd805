import Brokerage
import Storage
import Synchronization
import TestSupport
import Testing
import Upstream

import class Sandbox.ManualClock

@testable import Gateway

@Suite("The evaluation of a user's alerts while the database fails", .timeLimit(.minutes(10)))
struct UserAlertEvaluationTests {
    /// Alerts of Alice that are met, and a trigger that refuses firings.
    private func withEvaluation(
        alerts count: Int, refusing condition: String,
        _ test: (
            _ evaluation: UserAlertEvaluation, _ leaps: ManualClock, _ failures: () -> Int,
            _ store: AlertStore
        ) async throws -> Void
    ) async throws {
        let file = try UserDatabase.temporary()
        try await withGateway(in: file) { gateway in
            let store = gateway.userData.alerts
            for _ in 0..<count {
                _ = try await store.create(
                    .priceAbove(.example, 1), label: nil, rearmAfter: nil, for: alice)
            }
            try file.database.writeNow { db in
                try db.executeScript(
                    """
                    CREATE TRIGGER slow_database BEFORE INSERT ON alert_firing WHEN \(condition)
                    BEGIN SELECT RAISE(ABORT, 'the time is over'); END
                    """)
            }
            let (start, leaps) = (ContinuousClock.now, ManualClock(.now))
            let begin = leaps.now
            let clock = TimeSource(
                now: { start + leaps.now.duration(since: begin) }, wallTime: { leaps.now },
                sleep: { end in
                    await leaps.clock.wait(until: begin + start.duration(to: end))
                    try Task.checkCancellation()
                })
            var settings = AlertEvaluation.Settings()
            // Time stands still: a read has the time of a slow machine.
            settings.timeout = .seconds(3_600)
            let failures = Mutex(0)
            let evaluation = UserAlertEvaluation(
                of: alice, try gateway.backends([]), clock: clock, settings: settings
            ) { _ in failures.withLock { $0 += 1 } }
            let task = Task { await evaluation.run { true } }
            let result: Result<Void, any Error>
            do {
                result = .success(try await test(evaluation, leaps, { failures.withLock(\.self) }, store))
            } catch {
                result = .failure(error)
            }
            task.cancel()
            await task.value
            try result.get()
        }
    }

    @Test("stores firings in smaller transactions after failures, until all are stored")
    func smallerTransactions() async throws {
        // 100 and 50 firings have no time.
        let condition = "(SELECT count(*) FROM alert_firing WHERE fired_at = NEW.fired_at) >= 30"
        try await withEvaluation(alerts: 150, refusing: condition) { _, leaps, failures, store in
            try await waitUntil {
                if leaps.waiterCount > 0 { leaps.advance(by: .seconds(30)) }
                return try await store.active(of: alice).isEmpty
            }
            #expect(failures() >= 2)
            let firings = try await store.firings(of: alice, alert: nil, before: nil, limit: 200)
            #expect(firings.count == 150 && Set(firings.map(\.alert)).count == 150)
        }
    }

    @Test("waits for the pause after a failure, although changes wake it")
    func pause() async throws {
        try await withEvaluation(alerts: 1, refusing: "1") { evaluation, leaps, failures, store in
            for count in 1...3 {
                try await waitUntil { failures() >= count }
                for _ in 0..<10 {
                    evaluation.reload()
                    evaluation.refresh()
                    try await waitUntil { leaps.waiterCount > 0 }
                }
                #expect(failures() == count)
                leaps.advance(by: .seconds(30))
            }
            #expect(try await store.active(of: alice).count == 1)
        }
    }
}
