import Brokerage
import Coordination
import EngineTestSupport
import Storage
import Testing

@Suite("Attempts of several processes")
struct AttemptStoreTests {
    @Test("of a damaged row can be counted further", arguments: [Int.max, -1, Int.min])
    func damaged(_ stored: Int) async throws {
        try await TestEngine.postgresql.with { test in
            let file = try test.open()
            let (store, ann) = (AttemptStore(in: file), AttemptSubject.user("ann"))
            let now = Instant(secondsSince1970: 1_800_000_000) ?? .earliest
            func fail() async throws -> Int? {
                try await store.update([ann], keptFor: .seconds(60), now: now) { records, now in
                    records[ann, default: AttemptRecord(last: now)].failures += 1
                    return records[ann]?.failures
                }
            }
            #expect(try await fail() == 1)
            try await file.database.write { db in try db.execute("UPDATE attempt SET failures = ?", [stored])
            }
            #expect(try await fail() == (stored < 0 ? 1 : stored))
        }
    }

    @Test("are counted together")
    func attempts() async throws {
        try await TestEngine.postgresql.with { test in
            let files = try (0..<3).map { _ in try test.open() }
            let stores = files.map { AttemptStore(in: $0) }
            let now = Instant(secondsSince1970: 1_800_000_000) ?? .earliest
            let (subjects, bob) = ([AttemptSubject.user("ann"), .user("shared")], AttemptSubject.user("bob"))
            try await withThrowingTaskGroup { group in
                for index in 0..<30 {
                    group.addTask {
                        try await stores[index % 3].update(
                            subjects, keptFor: .seconds(60), now: now
                        ) { records, now in
                            for subject in subjects {
                                records[subject, default: AttemptRecord(last: now)].failures += 1
                            }
                        }
                    }
                }
                try await group.waitForAll()
            }
            let counts = try await stores[0].update(
                subjects + [bob], keptFor: .seconds(60), now: now
            ) { records, _ in
                let counts = (subjects + [bob]).map { records[$0]?.failures }
                records[subjects[0]] = nil
                return counts
            }
            #expect(counts == [30, 30, nil])
            // They are forgotten after their time, by the clock of the database.
            try await files[0].database.setClock(to: .now + .seconds(61))
            let later = try await stores[1].update([subjects[1]], keptFor: .seconds(60), now: now) {
                records, _ in records[subjects[1]]
            }
            #expect(later == nil)
        }
    }

    @Test(
        "count by the clock of the database, whatever the clock of a process", arguments: [-86_400, 86_400])
    func wrongClock(_ seconds: Int) async throws {
        try await TestEngine.postgresql.with { test in
            let files = try (0..<2).map { _ in try test.open() }
            let throttles = files.map { SignInThrottle(AttemptStore(in: $0)) }
            let (address, now) = (ClientOrigin(1), Instant.now)
            try await files[0].database.setClock(to: now)
            for _ in 0..<5 { _ = try await throttles[0].begin(user: "ann", from: address, now: now) }
            // The wait is that of the database, and the process ends it for nobody.
            for (throttle, time) in [(throttles[1], now + .seconds(seconds)), (throttles[0], now)] {
                let refusal = await #expect(throws: SignInThrottle.RetryLater.self) {
                    try await throttle.begin(user: "ann", from: address, now: time)
                }
                #expect(
                    refusal?.retryAt.millisecondsSince1970 == (now + .seconds(1)).millisecondsSince1970)
            }
        }
    }
}
