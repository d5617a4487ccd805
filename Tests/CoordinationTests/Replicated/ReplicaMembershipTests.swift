import Brokerage
import Coordination
import EngineTestSupport
import Storage
import Synchronization
import Testing

@Suite("The report of a process to the others")
struct ReplicaMembershipTests {
    @Test("is too old ten seconds after its begin, until the next one")
    func reported() async throws {
        try await TestEngine.postgresql.with { test in
            let begin = ContinuousClock.now
            let elapsed = Atomic(0)
            let clock = TimeSource(
                now: { begin + .seconds(elapsed.load(ordering: .relaxed)) }, wallTime: { .now },
                sleep: { _ in Issue.record("nothing waits") })
            let membership = ReplicaMembership(in: try test.open(), version: "1", clock: clock)
            try membership.join()
            for (seconds, isRecent) in [(0, true), (9, true), (10, false), (60, false)] {
                elapsed.store(seconds, ordering: .relaxed)
                #expect(membership.hasRecentReport == isRecent, "\(seconds) s")
            }
            try await membership.refresh()
            #expect(membership.hasRecentReport)
        }
    }

    @Test("finds by how much the clock of the process is wrong", arguments: [-3_600, 0, 3_600])
    func difference(seconds: Int) async throws {
        try await TestEngine.postgresql.with { test in
            let clock = TimeSource(
                now: { .now }, wallTime: { .now + .seconds(seconds) },
                sleep: { _ in Issue.record("nothing waits") })
            let membership = ReplicaMembership(in: try test.open(), version: "1", clock: clock)
            for isFirst in [true, false] {
                if isFirst { try membership.join() } else { try await membership.refresh() }
                // Without the duration of the report.
                let found = membership.clockDifference
                switch seconds {
                case 0: #expect(found == .zero)
                case 1...: #expect(found > .seconds(3_000) && found <= .seconds(3_600))
                default: #expect(found < .seconds(-3_000) && found >= .seconds(-3_601))
                }
            }
            let metric = membership.metrics.first { $0.name == "portico_clock_difference_seconds" }
            #expect(metric?.value == Int(membership.clockDifference.components.seconds))
        }
    }
}
