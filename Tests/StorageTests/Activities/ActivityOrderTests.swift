import Brokerage
import EngineTestSupport
import Storage
import TestSupport
import Testing
import Upstream

@Suite("The order of stored activities")
struct ActivityOrderTests {
    @Test(
        "is by day, time and id, newest first, each once, whatever the size of a page",
        arguments: TestEngine.allCases)
    func order(engine: TestEngine) async throws {
        try await TwoUsers.with(engine) { users in
            let store = ActivityStore(in: users.file)
            let account = ActivityStoreTests.account(users.ann)
            let activities = [
                try ActivityStoreTests.activity("e", on: "2026-11-18"),
                try ActivityStoreTests.activity("d", on: "2026-11-18"),
                try ActivityStoreTests.activity("a", on: "2026-11-19", at: "2026-11-19T15:00:00Z"),
                try ActivityStoreTests.activity("b", on: "2026-11-19", at: "2026-11-19T16:00:00Z"),
                try ActivityStoreTests.activity("c", on: "2026-11-19"),
                // Late in New York, the next day in UTC.
                try ActivityStoreTests.activity("f", on: "2026-11-18", at: "2026-11-19T15:30:00Z"),
            ]
            _ = try await store.save(
                ActivityPage(activities: activities), for: ActivityQuery(), of: account,
                now: ActivityStoreTests.noon)
            for size in 1...7 {
                var listed: [Activity] = []
                var pages = 0
                repeat {
                    let page = try await store.activities(
                        ActivityFilter(), of: account, after: listed.last.map { ActivityPosition($0) },
                        limit: size)
                    if page.isEmpty { break }
                    listed += page.map(\.activity)
                    pages += 1
                } while pages < 10
                #expect(listed.map(\.id) == ["b", "a", "c", "f", "e", "d"])
            }
        }
    }

    @Test(
        "is within a millisecond by nanosecond, the broker's sequence and id, whatever the size of a page",
        arguments: TestEngine.allCases)
    func orderWithinMillisecond(engine: TestEngine) async throws {
        func fill(_ id: String, at fraction: String, _ filled: String?) throws -> Activity {
            var fill = try ActivityStoreTests.activity(
                id, on: "2026-11-19", .trade, at: "2026-11-19T15:00:00.5\(fraction)Z")
            fill.sequence = try filled.flatMap { BrokerSequence(try #require(Decimal($0))) }
            return fill
        }
        try await TwoUsers.with(engine) { users in
            let store = ActivityStore(in: users.file)
            let account = ActivityStoreTests.account(users.ann)
            // The ids have the opposite order of the fills.
            let oldestFirst = [
                try fill("i", at: "", nil), try fill("h", at: "00000001", "20"),
                try fill("g", at: "00000002", nil), try fill("f", at: "00284", "0.5"),
                try fill("e", at: "00284", "2"), try fill("d", at: "00284", "2.5"),
                try fill("c", at: "00284", "10"), try fill("a", at: "01", nil), try fill("b", at: "01", nil),
            ]
            _ = try await store.save(
                ActivityPage(activities: oldestFirst.reversed()), for: ActivityQuery(), of: account,
                now: ActivityStoreTests.noon)
            for size in 1...oldestFirst.count {
                var listed: [Activity] = []
                while listed.count < oldestFirst.count {
                    let page = try await store.activities(
                        ActivityFilter(), of: account, after: listed.last.map { ActivityPosition($0) },
                        limit: size)
                    if page.isEmpty { break }
                    listed += page.map(\.activity)
                }
                #expect(listed == oldestFirst.reversed())
            }
        }
    }
}
