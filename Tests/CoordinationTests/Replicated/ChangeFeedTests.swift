import Brokerage
import Coordination
import Dispatch
import EngineTestSupport
import Storage
import Synchronization
import TestSupport
import Testing

@Suite("The feed of changes")
struct ChangeFeedTests {
    /// A feed whose clock stands still until a test sets it.
    private struct Site {
        let database: SQLDatabase
        let feed: ChangeFeed
        /// The seconds since the begin.
        private let elapsed: Elapsed

        private final class Elapsed: Sendable {
            let seconds = Atomic(0)
        }

        init(_ test: TestDatabase, after snapshot: PostgresSnapshot? = nil) throws {
            database = try test.open().database
            let (begin, elapsed) = (ContinuousClock.now, Elapsed())
            self.elapsed = elapsed
            let clock = TimeSource(
                now: { begin + .seconds(elapsed.seconds.load(ordering: .relaxed)) }, wallTime: { .now },
                sleep: { _ in Issue.record("nothing waits") })
            feed = ChangeFeed(clock: clock, appliedAt: begin, snapshot)
        }

        func set(_ seconds: Int) { elapsed.seconds.store(seconds, ordering: .relaxed) }

        /// Reads and applies the changes.
        ///
        /// - Returns: Their ids.
        func apply() async throws -> [String] {
            let start = feed.now
            let read = try await database.read { [feed] db in try feed.read(db) }
            feed.didApply(read, readAt: start)
            return read.changes.map(\.id).sorted()
        }

        /// Inserts a change with a time in the past.
        func insert(_ id: String, age: Int64, xact: String = "pg_current_xact_id()") async throws {
            try await database.write { db in try ChangeFeedTests.insert(id, age: age, xact: xact, db) }
        }

        func deleteOld() async throws -> [String] {
            _ = try await database.write { [feed] db in try feed.deleteOld(db) }
            return try await database.read { db in try db.values("SELECT id FROM change ORDER BY id") }
        }
    }

    private static func insert(
        _ id: String, age: Int64, xact: String = "pg_current_xact_id()", _ db: SQLTransaction
    ) throws {
        try db.execute(
            """
            INSERT INTO change (kind, id, changed_at, xact)
            VALUES ('SESSION', ?, clock_milliseconds() - CAST(? AS BIGINT) * 1000, \(xact))
            """, [id, age])
    }

    @Test("returns a change once, after its commit, whatever its time and the changes in between")
    func lateCommit() async throws {
        try await TestEngine.postgresql.with { test in
            let site = try Site(test)
            let other = try test.open().database
            let (isInserted, isRead) = (Event<Void>(), DispatchSemaphore(value: 0))
            let late = Task {
                try await other.write { db in
                    try Self.insert("late", age: 60, db)
                    isInserted.happen()
                    isRead.wait()
                }
            }
            await isInserted.wait()
            defer { isRead.signal() }
            #expect(try await site.apply() == [])
            try await site.insert("between", age: 60)
            #expect(try await site.apply() == ["between"])
            #expect(try await site.apply() == [])
            isRead.signal()
            try await late.value
            #expect(try await site.apply() == ["late"])
            #expect(try await site.apply() == [])
        }
    }

    @Test("returns a change again until it was applied")
    func failed() async throws {
        try await TestEngine.postgresql.with { test in
            let site = try Site(test)
            _ = try await site.apply()
            try await site.insert("a", age: 60)
            for _ in 0..<2 {
                let read = try await site.database.read { [feed = site.feed] db in try feed.read(db) }
                #expect(read.changes.map(\.id) == ["a"])
            }
            #expect(try await site.apply() == ["a"])
            #expect(try await site.apply() == [])
        }
    }

    @Test("returns the changes of the last half minute without the snapshot of an earlier read")
    func window() async throws {
        try await TestEngine.postgresql.with { test in
            let site = try Site(test)
            try await site.insert("a", age: 60)
            try await site.insert("b", age: 1)
            #expect(try await site.apply() == ["b"])
        }
    }

    @Test("detects another server, which has not begun the transactions that the last one had")
    func otherServer() async throws {
        try await TestEngine.postgresql.with { test in
            let current = try await test.open().database.read(.normal, PostgresSnapshot.current)
            let later = PostgresSnapshot(text: "9000000000:9000000000:")
            for (snapshot, isEarlier) in [
                (nil, false), (current, false), (later, true),
            ] as [(PostgresSnapshot?, Bool)] {
                let site = try Site(test, after: snapshot)
                let read = try await site.database.read { [feed = site.feed] db in try feed.read(db) }
                #expect(read.isOfEarlierServer == isEarlier, "\(snapshot?.text ?? "no snapshot")")
                #expect(read.snapshot != nil)
                // After all was read, it follows this server.
                site.feed.didApplyAll(read.snapshot, readAt: site.feed.now)
                try await site.insert("a", age: 60)
                #expect(try await site.apply() == ["a"])
            }
        }
    }

    @Test("deletes a change when it has seen it for an hour, and at once those that it cannot wait for")
    func deletion() async throws {
        try await TestEngine.postgresql.with { test in
            let site = try Site(test)
            try await site.insert("a minute old", age: 60)
            try await site.insert("committed late", age: 7_200)
            try await site.insert("a day old", age: 86_460)
            try await site.insert("before the migration", age: 7_200, xact: "NULL")
            try await site.insert("of another server", age: 7_200, xact: "'9000000000'")
            _ = try await site.apply()
            #expect(try await site.deleteOld() == ["a minute old", "committed late"])
            site.set(1_800)
            _ = try await site.apply()
            #expect(try await site.deleteOld() == ["a minute old", "committed late"])
            site.set(3_600)
            #expect(try await site.deleteOld() == ["a minute old"])
            // By a clock of the server that is wrong, nothing is deleted that was not seen for an hour.
            try await site.database.setClock(to: .now + .seconds(7_200))
            try await site.insert("new", age: 0)
            try await site.database.setClock(to: .now + .seconds(14_400))
            #expect(try await site.deleteOld() == ["new"])
        }
    }
}
