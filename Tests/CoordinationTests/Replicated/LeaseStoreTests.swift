import Coordination
import Dispatch
import EngineTestSupport
import Foundation
import Storage
import Synchronization
import TestSupport
import Testing

@Suite("Leases in PostgreSQL")
struct LeaseStoreTests {
    /// The row of a lease as `LeaseModel` has it.
    private struct Row {
        var owner: String?
        var epoch: Int64 = 0
        var expiresAt = 0
    }

    @Test("are granted as in the model, for random owners and times", arguments: [1, 2, 3] as [UInt64])
    func model(seed: UInt64) async throws {
        try await TestEngine.postgresql.with { test in
            let file = try test.open()
            let store = LeaseStore(in: file)
            var random = SplitMix(seed: seed)
            var (row, now) = (Row(), 0)
            for step in 0..<150 {
                let owner = ["a", "b", "c"][Int(random.next() % 3)]
                switch random.next() % 6 {
                case 0, 1:
                    // Time passes: rows are older.
                    let minutes = Int(random.next() % 3) + 1
                    now += minutes
                    try await file.database.write { db in
                        try db.execute("UPDATE lease SET expires_at = expires_at - ?", [minutes * 60_000])
                    }
                case 2:
                    try await store.release("it", by: owner)
                    if row.owner == owner { row.expiresAt = now }
                default:
                    let epoch = try await store.take("it", by: owner, for: .seconds(150))
                    let isFree = row.owner == nil || row.owner == owner || row.expiresAt <= now
                    #expect((epoch != nil) == isFree, "step \(step)")
                    guard let epoch else { continue }
                    let isRenewal = row.owner == owner && row.expiresAt > now
                    #expect(isRenewal ? epoch == row.epoch : epoch > row.epoch, "step \(step)")
                    // Three minutes by whole minutes of this test.
                    row = Row(owner: owner, epoch: epoch, expiresAt: now + 3)
                }
            }
            #expect(row.epoch > 0)
        }
    }

    @Test("have rising epochs also after their rows were deleted")
    func deletion() async throws {
        try await TestEngine.postgresql.with { test in
            let file = try test.open()
            let store = LeaseStore(in: file)
            let first = try #require(try await store.take("it", by: "a", for: .seconds(10)))
            try await file.database.write { db in try db.execute("UPDATE lease SET expires_at = 1") }
            try await store.deleteOld()
            let second = try #require(try await store.take("it", by: "b", for: .seconds(10)))
            #expect(second > first)
        }
    }

    @Test("get an epoch above a known one, and so do all later leases")
    func raised() async throws {
        try await TestEngine.postgresql.with { test in
            let store = LeaseStore(in: try test.open())
            let epoch = try #require(try await store.take("it", by: "a", for: .seconds(60)))
            // Neither a lower epoch nor that of another lease changes one.
            try await store.raiseEpoch(epoch, of: "it", above: epoch - 1)
            try await store.raiseEpoch(epoch + 1, of: "it", above: epoch + 1)
            #expect(try await store.take("it", by: "a", for: .seconds(60)) == epoch)
            try await store.raiseEpoch(epoch, of: "it", above: 1_000)
            #expect(try await store.take("it", by: "a", for: .seconds(60)) == 1_001)
            // It is executed again if its response was lost.
            try await store.raiseEpoch(epoch, of: "it", above: 1_000)
            #expect(try await store.take("it", by: "a", for: .seconds(60)) == 1_001)
            let other = try #require(try await store.take("other", by: "b", for: .seconds(60)))
            #expect(other > 1_001)
            try await store.raiseEpoch(1_001, of: "it", above: 1_001)
            let last = try #require(try await store.take("it", by: "a", for: .seconds(60)))
            #expect(last > other)
        }
    }

    @Test("let their owner work again with the epoch that was raised")
    func raisedWork() async throws {
        try await TestEngine.postgresql.with { test in
            let store = LeaseStore(in: try test.open())
            let (epochs, continuation) = AsyncStream<Int64>.makeStream()
            let keeper = LeaseKeeper("it", in: store, times: LeaseTimes(renewal: .milliseconds(20)))
            let owner = Task {
                await keeper.run { epoch in
                    continuation.yield(epoch)
                    // Until it is cancelled.
                    while !Task.isCancelled { try? await Task.sleep(for: .seconds(3_600)) }
                }
            }
            var iterator = epochs.makeAsyncIterator()
            let first = try #require(await iterator.next())
            try await store.raiseEpoch(first, of: "it", above: 1_000)
            let second = try #require(await iterator.next())
            #expect(second > 1_000)
            #expect(keeper.epoch == second)
            owner.cancel()
            await owner.value
        }
    }

    @Test("let one of many tasks work at a time")
    func exclusion() async throws {
        try await TestEngine.postgresql.with { test in
            let stores = try (0..<3).map { _ in LeaseStore(in: try test.open()) }
            let counts = Counts()
            try await withThrowingTaskGroup { group in
                for index in 0..<12 {
                    group.addTask {
                        let deadline = ContinuousClock.now + .seconds(60)
                        let result: Int? = try await stores[index % 3].exclusively(
                            "it", for: .seconds(30), before: deadline
                        ) {
                            #expect(counts.working.add(1, ordering: .relaxed).newValue == 1)
                            await Task.yield()
                            #expect(counts.working.subtract(1, ordering: .relaxed).newValue == 0)
                            return counts.done.add(1, ordering: .relaxed).newValue
                        }
                        #expect(result != nil)
                    }
                }
                try await group.waitForAll()
            }
            #expect(counts.done.load(ordering: .relaxed) == 12)
        }
    }

    /// Ends all leases in a transaction that keeps their rows locked until the semaphore is signaled; returns when it has.
    private static func lockLeases(
        of database: SQLDatabase, until mayContinue: DispatchSemaphore
    ) async -> Task<Void, any Error> {
        let isLocked = Event<Void>()
        let lock = Task {
            try await database.write { db in
                try db.execute("UPDATE lease SET expires_at = 0")
                isLocked.happen()
                mayContinue.wait()
            }
        }
        await isLocked.wait()
        return lock
    }

    private static func waitForOwner(otherThan owner: String, in database: SQLDatabase) async throws {
        try await waitUntil {
            try await database.read { db in
                try db.value("SELECT owner <> ? FROM lease WHERE name = 'it'", [owner], as: Bool.self) == true
            }
        }
    }

    @Test("are released unused if they are granted after the latest time")
    func late() async throws {
        try await TestEngine.postgresql.with { test in
            let (file, other) = (try test.open(), try test.open())
            let store = LeaseStore(in: file)
            _ = try await store.take("it", by: "a", for: .seconds(60))
            // The request waits for the lock of the row.
            let mayContinue = DispatchSemaphore(value: 0)
            let lock = await Self.lockLeases(of: other.database, until: mayContinue)
            defer { mayContinue.signal() }
            let deadline = ContinuousClock.now + .milliseconds(50)
            let work = Task {
                try await store.exclusively("it", for: .seconds(60), before: deadline) { true }
            }
            try await Task.sleep(until: deadline, clock: .continuous)
            mayContinue.signal()
            try await lock.value
            #expect(try await work.value == nil)
            #expect(try await store.take("it", by: "b", for: .seconds(60)) != nil)
        }
    }

    @Test("are released if the request was executed after its time, so that it had no response")
    func withoutResponse() async throws {
        try await TestEngine.postgresql.with { test in
            var limits = TestDatabase.limits
            let other = try test.open()
            _ = try await LeaseStore(in: other).take("it", by: "a", for: .seconds(3_600))
            limits.lookUp = .milliseconds(500)
            let store = LeaseStore(in: try test.open(limits))
            let mayContinue = DispatchSemaphore(value: 0)
            let lock = await Self.lockLeases(of: other.database, until: mayContinue)
            defer { mayContinue.signal() }
            // The statement waits in the server for the lock of the row for longer than the time of its response.
            let error = await #expect(throws: StorageError.self) {
                try await store.exclusively("it", for: .seconds(3_600), before: .now + .seconds(60)) { true }
            }
            guard case .unavailable? = error else {
                Issue.record("\(String(describing: error))")
                return
            }
            mayContinue.signal()
            try await lock.value
            // The server executes it now: the lease has the owner of the request, or has had it.
            try await Self.waitForOwner(otherThan: "a", in: other.database)
            // The lease would be held for an hour.
            let free = LeaseStore(in: other)
            try await waitUntil { try await free.take("it", by: "b", for: .seconds(60)) != nil }
        }
    }

    @Test("are released when their owner ends, also if its last request had no response")
    func ownerWithoutResponse() async throws {
        try await TestEngine.postgresql.with { test in
            let other = try test.open()
            let free = LeaseStore(in: other)
            _ = try await free.take("it", by: "a", for: .seconds(3_600))
            var limits = TestDatabase.limits
            limits.lookUp = .milliseconds(500)
            let store = LeaseStore(in: try test.open(limits))
            let mayContinue = DispatchSemaphore(value: 0)
            let lock = await Self.lockLeases(of: other.database, until: mayContinue)
            defer { mayContinue.signal() }
            // There is one request, and the lease would be held for an hour.
            let times = LeaseTimes(lifetime: .seconds(3_600), retry: .seconds(3_600))
            let hasFailed = Event<Void>()
            let keeper = LeaseKeeper("it", in: store, times: times) { _ in hasFailed.happen() }
            let owner = Task { await keeper.run { _ in } }
            await hasFailed.wait()
            mayContinue.signal()
            try await lock.value
            // The server executes the request now.
            try await Self.waitForOwner(otherThan: "a", in: other.database)
            #expect(keeper.epoch == nil)
            owner.cancel()
            await owner.value
            try await waitUntil { try await free.take("it", by: "b", for: .seconds(60)) != nil }
        }
    }

    @Test("move to another process when their owner ends")
    func keepers() async throws {
        try await TestEngine.postgresql.with { test in
            let (first, second) = (LeaseStore(in: try test.open()), LeaseStore(in: try test.open()))
            let (epochs, continuation) = AsyncStream<(String, Int64)>.makeStream()
            var owners: [Task<Void, Never>] = []
            for (name, store) in [("a", first), ("b", second)] {
                let keeper = LeaseKeeper("it", in: store, times: LeaseTimes(retry: .milliseconds(20)))
                owners.append(
                    Task {
                        await keeper.run { epoch in
                            #expect(keeper.epoch == epoch)
                            continuation.yield((name, epoch))
                            // Until it is cancelled.
                            while !Task.isCancelled { try? await Task.sleep(for: .seconds(3_600)) }
                        }
                    })
            }
            var iterator = epochs.makeAsyncIterator()
            let owner = try #require(await iterator.next())
            #expect(try await (owner.0 == "a" ? first : second).count() == 1)
            #expect(try await (owner.0 == "a" ? second : first).count() == 0)
            owners[owner.0 == "a" ? 0 : 1].cancel()
            let next = try #require(await iterator.next())
            #expect(next.0 != owner.0)
            #expect(next.1 > owner.1)
            for task in owners {
                task.cancel()
                await task.value
            }
            #expect(try await first.count() + second.count() == 0)
        }
    }

    @Test("count processes that have reported, and those only")
    func membership() async throws {
        try await TestEngine.postgresql.with { test in
            let file = try test.open()
            let (one, other) = (
                ReplicaMembership(in: file, version: "1"),
                ReplicaMembership(in: try test.open(), version: "2")
            )
            try one.join()
            #expect(one.liveCount == 1)
            try other.join()
            try await one.refresh()
            #expect(one.liveCount == 2)
            // The other one is stopped.
            try await file.database.write { [id = other.processID] db in
                #expect(try ReplicaTable.isLive(id, db))
                try db.execute(
                    "UPDATE replica SET expires_at = clock_milliseconds() - 1 WHERE id = ?", [id])
                #expect(try !ReplicaTable.isLive(id, db))
            }
            try await one.refresh()
            #expect(one.liveCount == 1)
            // It continues.
            try await other.refresh()
            #expect(other.liveCount == 2)
            try await other.leave()
            try await one.refresh()
            #expect(one.liveCount == 1)
        }
    }
}

/// How many tasks work now, and how many have ended.
private final class Counts: Sendable {
    let working = Atomic(0)
    let done = Atomic(0)
}
