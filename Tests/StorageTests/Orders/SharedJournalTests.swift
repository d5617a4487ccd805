import Brokerage
import Coordination
import EngineTestSupport
import Foundation
import Storage
import Testing
import Upstream

@Suite("The journal of orders of several processes")
struct SharedJournalTests {
    /// A process that has reported to the others.
    private struct Process {
        let file: UserDatabase
        let membership: ReplicaMembership
        let journal: OrderJournal

        init(_ test: TestDatabase) throws {
            file = try test.open()
            try UserStore(in: file).ensure(OrderJournalTests.owner())
            membership = ReplicaMembership(in: file, version: "test")
            try membership.join()
            // A slow machine must not look like a process that has ended.
            try file.database.writeNow { [id = membership.processID] db in try Self.extend(id, db) }
            journal = OrderJournal(in: file, of: membership.processID)
        }

        private static func extend(_ id: String, _ db: SQLTransaction) throws {
            try db.execute("UPDATE replica SET expires_at = expires_at + 3600000 WHERE id = ?", [id])
        }

        /// Continues after it was stopped.
        func resume() async throws {
            try await membership.refresh()
            try await file.database.write { [id = membership.processID] db in try Self.extend(id, db) }
        }

        /// Lets the time pass after which a stopped process counts as ended.
        func stop() async throws {
            try await file.database.write { [id = membership.processID] db in
                try db.execute("UPDATE replica SET expires_at = 1 WHERE id = ?", [id])
            }
        }
    }

    private static func with(_ body: (Process, Process) async throws -> Void) async throws {
        try await TestEngine.postgresql.with { test in try await body(Process(test), Process(test)) }
    }

    @Test("returns an order that another process is placing, and does not place it again")
    func sameKey() async throws {
        try await Self.with { first, second in
            let placing = try OrderJournalTests.placing()
            _ = try await first.journal.begin(placing)
            guard case .known(let order)? = try await second.journal.find(OrderJournalTests.placing()) else {
                Issue.record("the key counts as free")
                return
            }
            #expect(order.identity == placing.identity)
            #expect(try await second.journal.begin(OrderJournalTests.placing()) == .known(order))
            try await second.journal.abandonUnattended()
            #expect(try await second.journal.markSent(placing.id) == false)
            #expect(try await first.journal.markSent(placing.id))
        }
    }

    @Test("lets another process place the order of a stopped one, which sends nothing when it continues")
    func stoppedBeforeMark() async throws {
        try await Self.with { first, second in
            let (old, new) = (try OrderJournalTests.placing(), try OrderJournalTests.placing())
            _ = try await first.journal.begin(old)
            try await first.stop()
            guard case .begun = try await second.journal.begin(new) else {
                Issue.record("the key of an order that was not sent is not free")
                return
            }
            try await first.resume()
            #expect(try await first.journal.markSent(old.id) == false)
            #expect(try await second.journal.markSent(new.id))
            #expect(try await first.journal.begin(OrderJournalTests.placing()) != .otherOrder)
            #expect(try await first.journal.order(old.identity) == nil)
        }
    }

    @Test(
        "lets no other process take over an order that a process begins before its first report after an outage"
    )
    func beginsAfterOutage() async throws {
        try await Self.with { first, second in
            // The database did not respond for longer than a process may be silent.
            try await first.stop()
            let placing = try OrderJournalTests.placing()
            guard case .begun = try await first.journal.begin(placing) else {
                Issue.record("it was not recorded")
                return
            }
            try await second.journal.abandonUnattended()
            #expect(try await first.journal.markSent(placing.id))
        }
    }

    @Test("keeps an order that was marked, and another process queries its broker")
    func stoppedAfterMark() async throws {
        try await Self.with { first, second in
            let placing = try OrderJournalTests.placing()
            _ = try await first.journal.begin(placing)
            #expect(try await first.journal.markSent(placing.id))
            try await first.stop()
            guard case .known = try await second.journal.begin(OrderJournalTests.placing()) else {
                Issue.record("an order that may have been sent was placed again")
                return
            }
            try await second.journal.abandonUnattended()
            #expect(try await second.journal.unconfirmed().map(\.id) == [placing.id])
            // The first process continues, and leaves the queries to the second one.
            try await first.resume()
            try await first.journal.abandonUnattended()
            #expect(try await first.journal.unconfirmed() == [])
            #expect(try await second.journal.order(placing.identity)?.order.state == .unconfirmed)
            try await second.journal.recordOutcome(.found(OrderJournalTests.order("P1")), of: placing.id)
            #expect(try await first.journal.order(placing.identity)?.order.state == .open)
            #expect(try await second.journal.unconfirmed() == [])
        }
    }

    @Test(
        "records the response that a process finds when it continues, although another one has taken the write over",
        arguments: [
            OrderWriteOutcome.accepted(OrderJournalTests.order("P1")), .rejected(OrderJournalTests.rejection),
        ], [true, false])
    func lateResponse(_ response: OrderWriteOutcome, isKept: Bool) async throws {
        try await Self.with { first, second in
            let placing = try OrderJournalTests.placing()
            _ = try await first.journal.begin(placing)
            #expect(try await first.journal.markSent(placing.id))
            try await first.stop()
            try await second.journal.abandonUnattended()
            #expect(try await second.journal.unconfirmed().map(\.id) == [placing.id])
            try await first.resume()
            if isKept {
                // The database did not respond to the first process.
                first.journal.release(placing.id, keeping: response)
                #expect(try await first.journal.abandonUnattended() == [placing.identity])
            } else {
                try await first.journal.recordOutcome(response, of: placing.id)
            }
            let order = try #require(try await second.journal.order(placing.identity))
            let isAccepted = response.event == .accepted
            #expect(order.order.state == (isAccepted ? .open : .rejected))
            #expect(order.latestWriteState == (isAccepted ? .done : .refused))
            #expect(try await second.journal.unconfirmed() == [])
            // The query of the second process ends later.
            try await second.journal.recordOutcome(.notFound(OrderJournalTests.rejection), of: placing.id)
            #expect(try await first.journal.order(placing.identity) == order)
        }
    }

    @Test("moves the queries about an order to another process when theirs ends")
    func queries() async throws {
        try await Self.with { first, second in
            let placing = try OrderJournalTests.placing()
            _ = try await first.journal.begin(placing)
            #expect(try await first.journal.markSent(placing.id))
            try await first.journal.recordOutcome(.responseLost, of: placing.id)
            first.journal.release(placing.id)
            try await second.journal.abandonUnattended()
            #expect(try await first.journal.unconfirmed().map(\.id) == [placing.id])
            #expect(try await second.journal.unconfirmed() == [])
            try await first.membership.leave()
            try await second.journal.abandonUnattended()
            #expect(try await second.journal.unconfirmed().map(\.id) == [placing.id])
        }
    }

    /// Orders of a process with one key each, which were marked as sent, and that another process has not.
    private static func sent(_ count: Int, by process: Process) async throws -> [OrderPlacement] {
        var placings: [OrderPlacement] = []
        for number in 0..<count {
            let placing = try OrderJournalTests.placing("sent \(number)")
            _ = try await process.journal.begin(placing)
            #expect(try await process.journal.markSent(placing.id))
            placings.append(placing)
        }
        return placings
    }

    @Test(
        "takes over the other orders of an ended process while one cannot be, and that one afterwards",
        // The time of a statement was over, as for an order of a user whose lock is held; the statement is refused.
        arguments: ["57014", "P0001"])
    func stuck(state: String) async throws {
        try await Self.with { first, second in
            let placings = try await Self.sent(5, by: first)
            let stuck = placings[2].id
            try await first.file.database.write { db in
                try db.executeScript(
                    """
                    CREATE FUNCTION refuse() RETURNS trigger LANGUAGE plpgsql AS
                    $$ BEGIN RAISE EXCEPTION 'refused' USING ERRCODE = '\(state)'; END $$;
                    CREATE TRIGGER stuck BEFORE UPDATE ON journal_write FOR EACH ROW
                    WHEN (OLD.id = '\(stuck)') EXECUTE FUNCTION refuse();
                    """)
            }
            try await first.stop()
            await #expect(throws: StorageError.self) { try await second.journal.abandonUnattended() }
            #expect(
                try await Set(second.journal.unconfirmed().map(\.id))
                    == Set(placings.map(\.id)).subtracting([stuck]))
            // The users of the others are not locked, and their orders belong to this process.
            for placing in placings where placing.id != stuck {
                try await second.journal.recordOutcome(
                    .found(OrderJournalTests.order("P \(placing.idempotencyKey)")), of: placing.id)
            }
            try await first.file.database.write { db in
                try db.executeScript("DROP TRIGGER stuck ON journal_write")
            }
            try await second.journal.abandonUnattended()
            #expect(try await second.journal.unconfirmed().map(\.id) == [stuck])
        }
    }

    @Test("takes over as many orders as a process can leave, each by a transaction of its own")
    func many() async throws {
        try await Self.with { first, second in
            let placings = try await Self.sent(2 * OrderJournal.takeoverBatch + 1, by: first)
            // Those of a process that runs are not read.
            let own = try OrderJournalTests.placing("own")
            _ = try await second.journal.begin(own)
            try await first.stop()
            let count = second.file.database.transactionCount
            try await second.journal.abandonUnattended()
            #expect(second.file.database.transactionCount - count >= placings.count)
            #expect(try await Set(second.journal.unconfirmed().map(\.id)) == Set(placings.map(\.id)))
            #expect(try await second.journal.markSent(own.id))
            // Their queries move to a third process, also in several transactions.
            try await second.stop()
            try await first.resume()
            try await first.journal.abandonUnattended()
            try await second.resume()
            #expect(try await first.journal.unconfirmed().count == placings.count + 1)
            #expect(try await second.journal.unconfirmed() == [])
        }
    }

    @Test("has one order for a key that many processes place at the same time")
    func race() async throws {
        try await TestEngine.postgresql.with { test in
            let processes = try (0..<4).map { _ in try Process(test) }
            let marks = try await withThrowingTaskGroup(of: Int.self) { group in
                for index in 0..<16 {
                    group.addTask {
                        let journal = processes[index % 4].journal
                        let placing = try OrderJournalTests.placing()
                        guard case .begun = try await journal.begin(placing) else { return 0 }
                        return try await journal.markSent(placing.id) ? 1 : 0
                    }
                }
                return try await group.reduce(0, +)
            }
            #expect(marks == 1)
            let count: Int? = try await processes[0].file.database.read { db in
                try db.value("SELECT count(*) FROM journal_order")
            }
            #expect(count == 1)
        }
    }
}
