import Brokerage
import Coordination
import EngineTestSupport
import Foundation
import GRDB
import Storage
import TestSupport
import Testing
import Upstream

@Suite("The cache file")
struct CacheDatabaseTests {
    static let now = Instant(secondsSince1970: 1_795_185_000) ?? .earliest

    static func quota(
        _ count: Int, until seconds: Int64 = 60, uptime: Int64? = nil, credential: String? = nil,
        kind: StoredQuotaUsage.Kind = .calls, lifetime: Int64 = 26 * 3_600
    ) -> StoredQuotaUsage {
        StoredQuotaUsage(
            account: QuotaAccount(.alphaVantage, credential: credential), window: "day", kind: kind,
            until: now + .seconds(seconds), untilUptime: uptime.map { .seconds($0) }, count: count,
            maximumLifetime: .seconds(lifetime))
    }

    private static func rows(in file: CacheDatabase) async throws -> Int? {
        try await file.database.read { try Int.fetchOne($0, sql: "SELECT count(*) FROM quota") }
    }

    @Test("adds counts by account and time, and subtracts them")
    func counts() async throws {
        try await Folder.with { folder in
            let quotas = SQLiteQuotaStore(in: try CacheDatabase(in: try folder.opened()))
            let parts = [
                Self.quota(1), Self.quota(1), Self.quota(1, until: 61), Self.quota(1, credential: ""),
                Self.quota(1, credential: "7"), Self.quota(1, kind: .closure), Self.quota(1, until: 62),
                Self.quota(-1, until: 62),
            ]
            for part in parts { try await quotas.add([part], now: Self.now, uptime: .zero) }
            let kept = try SQLiteQuotaStore(in: try CacheDatabase(in: try folder.opened()))
                .load(now: Self.now, uptime: .zero)
            #expect(
                Set(kept) == [
                    Self.quota(2), Self.quota(1, until: 61), Self.quota(1, credential: ""),
                    Self.quota(1, credential: "7"), Self.quota(1, kind: .closure),
                ])
            #expect(kept.count == 5)
        }
    }

    @Test("keeps the counts of the table that its fifth step replaces")
    func migrates() async throws {
        try await Folder.with { folder in
            let counts = [
                Self.quota(2), Self.quota(1, until: 61), Self.quota(3, uptime: 40, credential: "7"),
                Self.quota(1, kind: .closure),
            ]
            let file = try CacheDatabase(in: try folder.opened())
            try await SQLiteQuotaStore(in: file, boot: "1").add(counts, now: Self.now, uptime: .zero)
            // The fourth step of the file, as a release before the fifth one has left it.
            try await file.database.write { db in
                try db.execute(
                    sql: """
                        CREATE TABLE earlier (
                            provider TEXT NOT NULL, connection TEXT NOT NULL, window TEXT NOT NULL, kind INTEGER NOT NULL,
                            until INTEGER NOT NULL, count INTEGER NOT NULL, boot TEXT, uptime_until INTEGER,
                            lifetime INTEGER NOT NULL DEFAULT 93600,
                            PRIMARY KEY (provider, connection, window, kind, until)
                        ) STRICT, WITHOUT ROWID;
                        INSERT INTO earlier SELECT * FROM quota;
                        DROP TABLE quota;
                        ALTER TABLE earlier RENAME TO quota;
                        CREATE INDEX quota_until ON quota (until);
                        DELETE FROM grdb_migrations WHERE identifier LIKE '5: %';
                        """)
            }
            let reopened = try CacheDatabase(in: try folder.opened())
            let kept = try SQLiteQuotaStore(in: reopened, boot: "1").load(now: Self.now, uptime: .zero)
            #expect(Set(kept) == Set(counts))
            let order = try await reopened.database.read { db in
                try String.fetchAll(
                    db, sql: "SELECT name FROM pragma_table_info('quota') WHERE pk > 0 ORDER BY pk")
            }
            #expect(order == ["until", "provider", "connection", "window", "kind"])
        }
    }

    @Test("deletes counts that ended long ago")
    func cleans() async throws {
        try await Folder.with { folder in
            let file = try CacheDatabase(in: try folder.opened())
            let quotas = SQLiteQuotaStore(in: file)
            try await quotas.add([Self.quota(1)], now: Self.now, uptime: .zero)
            for _ in 0..<512 {
                try await quotas.add(
                    [Self.quota(1, until: 900_000)], now: Self.now + .seconds(400_000), uptime: .zero)
            }
            #expect(
                try quotas.load(now: Self.now + .seconds(899_999), uptime: .zero)
                    == [Self.quota(512, until: 900_000)])
            #expect(try await Self.rows(in: file) == 1)
        }
    }

    /// An entry of a process, and the entry that a later process reads, four days after by the wall clock.
    struct Restart: CustomTestStringConvertible, Sendable {
        let testDescription: String
        let written: StoredQuotaUsage
        var firstBoot: String? = "1"
        var boot: String? = "1"
        var uptime: Int64 = 10
        let read: StoredQuotaUsage?

        static let all = [
            Restart(
                testDescription: "the wall clock was set ahead", written: quota(1, uptime: 60),
                read: quota(1, uptime: 60)),
            Restart(
                testDescription: "the entry ended long ago", written: quota(1, uptime: 60), uptime: 61,
                read: nil),
            Restart(
                testDescription: "the machine has restarted", written: quota(1, until: 400_000, uptime: 60),
                boot: "2", read: quota(1, until: 400_000)),
            Restart(
                testDescription: "the machine's start is unknown",
                written: quota(1, until: 400_000, uptime: 60), boot: nil, read: quota(1, until: 400_000)),
            Restart(
                testDescription: "the wall clock was set back and the machine has restarted",
                written: quota(1, until: 40 * 86_400, uptime: 60), boot: "2",
                read: quota(1, until: 40 * 86_400, uptime: 10 + 26 * 3_600)),
            Restart(
                testDescription: "the wall clock was set back and the machine's start is unknown",
                written: quota(1, until: 40 * 86_400, uptime: 60), boot: nil,
                read: quota(1, until: 4 * 86_400 + 26 * 3_600)),
            Restart(
                testDescription: "the wall clock was set back and no start of the machine is known",
                written: quota(1, until: 40 * 86_400, uptime: 60), firstBoot: nil, boot: nil,
                read: quota(1, until: 4 * 86_400 + 26 * 3_600)),
            Restart(
                testDescription: "the wall clock was set back and all ids of a start are empty",
                written: quota(1, until: 40 * 86_400, uptime: 60), firstBoot: "", boot: "",
                read: quota(1, until: 4 * 86_400 + 26 * 3_600)),
            Restart(
                testDescription: "the window has a month and the machine has restarted",
                written: quota(1, until: 29 * 86_400, uptime: 60, lifetime: 32 * 86_400), boot: "2",
                read: quota(1, until: 29 * 86_400, lifetime: 32 * 86_400)),
            Restart(
                testDescription:
                    "the window has a month, the wall clock was set back and the machine has restarted",
                written: quota(1, until: 40 * 86_400, uptime: 60, lifetime: 32 * 86_400), boot: "2",
                read: quota(1, until: 40 * 86_400, uptime: 10 + 32 * 86_400, lifetime: 32 * 86_400)),
            Restart(
                testDescription: "the window has a month, the wall clock was set back and no start is known",
                written: quota(1, until: 40 * 86_400, uptime: 60, lifetime: 32 * 86_400), boot: nil,
                read: quota(1, until: 36 * 86_400, lifetime: 32 * 86_400)),
            Restart(
                testDescription: "the entry ended long ago and no start of the machine is known",
                written: quota(1, uptime: 60), firstBoot: nil, boot: nil, read: nil),
        ]
    }

    @Test(
        "counts by the machine's uptime until its next start, then by the wall clock", arguments: Restart.all)
    func restarts(_ restart: Restart) async throws {
        try await Folder.with { folder in
            let file = try CacheDatabase(in: try folder.opened())
            try await SQLiteQuotaStore(in: file, boot: restart.firstBoot).add(
                [restart.written], now: Self.now, uptime: .zero)
            let (quotas, now) = (
                SQLiteQuotaStore(in: file, boot: restart.boot), Self.now + .seconds(4 * 86_400)
            )
            // The first addition of a process removes what ended long ago.
            let uptime = Duration.seconds(restart.uptime)
            try await quotas.add([], now: now, uptime: uptime)
            #expect(try await Self.rows(in: file) == (restart.read == nil ? 0 : 1))
            // The next process of the same start of the machine reads the same, also after a step of the wall
            // clock.
            for step in [Duration.zero, .seconds(3_600)] {
                #expect(
                    try quotas.load(now: now + step, uptime: uptime) == [restart.read].compactMap(\.self))
            }
        }
    }

    @Test("loses no count if the wall clock is behind after a start of the machine")
    func clockBehind() async throws {
        try await Folder.with { folder in
            let file = try CacheDatabase(in: try folder.opened())
            try await SQLiteQuotaStore(in: file, boot: "1").add(
                [Self.quota(2, until: 3_600, uptime: 3_600)], now: Self.now, uptime: .zero)
            let (quotas, behind) = (SQLiteQuotaStore(in: file, boot: "2"), Self.now + .seconds(-30 * 86_400))
            let clamped = Self.quota(2, until: 3_600, uptime: 5 + 26 * 3_600)
            #expect(try quotas.load(now: behind, uptime: .seconds(5)) == [clamped])
            // NTP has set the clock: the entry of this start counts by the uptime.
            #expect(try quotas.load(now: Self.now, uptime: .seconds(60)) == [clamped])
            try await quotas.add(
                [Self.quota(1, until: 3_600, uptime: 3_660)], now: Self.now, uptime: .seconds(60))
            let added = Self.quota(3, until: 3_600, uptime: 5 + 26 * 3_600)
            #expect(try quotas.load(now: Self.now, uptime: .seconds(60)) == [added])
            // After the next start, the wall clock counts again, if it can be right.
            #expect(
                try SQLiteQuotaStore(in: file, boot: "3").load(
                    now: Self.now + .seconds(60), uptime: .seconds(5))
                    == [Self.quota(3, until: 3_600)])
            // Cleaned once it has ended by the uptime, whatever the wall clock says.
            let last = SQLiteQuotaStore(in: file, boot: "2")
            try await last.add([], now: behind, uptime: .seconds(6 + 26 * 3_600))
            #expect(try last.load(now: behind, uptime: .zero).isEmpty)
        }
    }

    @Test("above the limit of entries, the server's own key is read first, and no ended entry")
    func mostLoaded() async throws {
        try await Folder.with { folder in
            let file = try CacheDatabase(in: try folder.opened())
            let quotas = SQLiteQuotaStore(in: file, boot: "1", maximumLoaded: 2)
            let ended = [
                Self.quota(1, until: 900, uptime: 10, credential: "4"), Self.quota(1, until: 20),
                Self.quota(0, until: 901, uptime: 901, credential: "5"),
            ]
            let kept = [
                Self.quota(1, until: 60, uptime: 60),
                Self.quota(1, until: 800, uptime: 800, credential: "2"),
            ]
            let above = Self.quota(1, until: 700, uptime: 700, credential: "1")
            try await quotas.add(kept + [above] + ended, now: Self.now, uptime: .zero)
            #expect(try quotas.load(now: Self.now + .seconds(30), uptime: .seconds(30)) == kept)
        }
    }

    static func key(_ subject: String) -> PersistentCacheKey {
        guard let key = PersistentCacheKey(kind: "chart.1", in: .shared(.polygon), subject: subject) else {
            preconditionFailure("A scope of values for everybody has keys.")
        }
        return key
    }

    static func value(_ size: Int, at seconds: Int64 = 0) -> PersistentCacheEntry {
        PersistentCacheEntry(
            bytes: [UInt8](repeating: UInt8(seconds & 0xFF), count: size), readAt: now + .seconds(seconds),
            freshUntil: now + .seconds(seconds + 60), staleUntil: now + .seconds(seconds + 3_600))
    }

    @Test("returns values at once, from the file, and after a restart")
    func values() async throws {
        try await Folder.with { folder in
            let values = SQLitePersistentCache(in: try CacheDatabase(in: try folder.opened()))
            values.save([Self.key("A"): Self.value(10), Self.key("B"): Self.value(0, at: 1)])
            let keys = [Self.key("A"), Self.key("B"), Self.key("C")]
            let expected = [Self.key("A"): Self.value(10), Self.key("B"): Self.value(0, at: 1)]
            #expect(await values.load(keys) == expected)
            await values.flush()
            #expect(await values.load(keys) == expected)
            values.save([Self.key("A"): Self.value(3, at: 2)])
            await values.flush()
            let reopened = SQLitePersistentCache(in: try CacheDatabase(in: try folder.opened()))
            #expect(await reopened.load(keys)[Self.key("A")] == Self.value(3, at: 2))
            try await reopened.deleteOutdated(now: Self.now + .seconds(3_601))
            #expect(Set(await reopened.load(keys).keys) == [Self.key("A")])
        }
    }

    @Test("returns values whose write has started and not ended")
    func written() async throws {
        try await Folder.with { folder in
            let file = try CacheDatabase(in: try folder.opened())
            let values = SQLitePersistentCache(in: file)
            // The file's queue of writes is occupied until the test has looked.
            let (isOccupied, isLooked) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
            file.database.pool.asyncWriteWithoutTransaction { _ in
                isOccupied.signal()
                isLooked.wait()
            }
            await withCheckedContinuation { continuation in
                DispatchQueue.global().async {
                    isOccupied.wait()
                    continuation.resume()
                }
            }
            values.save([Self.key("A"): Self.value(10)])
            // The writer takes the value at an unknown time; it must be found before, after and meanwhile.
            var found = 0
            for _ in 0..<1_000 {
                await Task.yield()
                found += await values.load([Self.key("A")]) == [Self.key("A"): Self.value(10)] ? 1 : 0
            }
            isLooked.signal()
            await values.flush()
            #expect(found == 1_000)
            #expect(await values.load([Self.key("A")]) == [Self.key("A"): Self.value(10)])
        }
    }

    @Test("stores no more bytes than its limit, the latest ones")
    func bounded() async throws {
        try await Folder.with { folder in
            var limits = SQLitePersistentCache.Limits()
            // The size of keys counts as well.
            limits.bytes = 10 * (Self.key("10").weight + 100)
            let values = SQLitePersistentCache(in: try CacheDatabase(in: try folder.opened()), limits: limits)
            for number in 0..<25 {
                values.save([Self.key("\(number)"): Self.value(100, at: Int64(number))])
                await values.flush()
            }
            let kept = await values.load((0..<25).map { Self.key("\($0)") })
            #expect(Set(kept.keys) == Set((15..<25).map { Self.key("\($0)") }))
        }
    }

    @Test("discards values that exceed the limit of waiting writes")
    func overloaded() async throws {
        try await Folder.with { folder in
            var limits = SQLitePersistentCache.Limits()
            // One byte less than the size of the key and the value.
            limits.waitingBytes = Self.key("A").weight + 150
            let values = SQLitePersistentCache(in: try CacheDatabase(in: try folder.opened()), limits: limits)
            values.save([Self.key("A"): Self.value(151)])
            await values.flush()
            #expect(await values.load([Self.key("A")]).isEmpty)
        }
    }

    @Test("does not match keys that are only canonically equivalent")
    func keys() async throws {
        try await Folder.with { folder in
            let values = SQLitePersistentCache(in: try CacheDatabase(in: try folder.opened()))
            let (composed, decomposed) = (Self.key("\u{E9}"), Self.key("e\u{301}"))
            values.save([composed: Self.value(1), decomposed: Self.value(2)])
            for _ in 0..<2 {
                let loaded = await values.load([composed, decomposed])
                #expect(loaded[composed]?.bytes.count == 1)
                #expect(loaded[decomposed]?.bytes.count == 2)
                await values.flush()
            }
        }
    }

    @Test("a file that fails loses values, and is reported")
    func fails() async throws {
        try await Folder.with { folder in
            let file = try CacheDatabase(in: try folder.opened())
            let counted = Counter()
            let values = SQLitePersistentCache(in: file) { _ in counted.increment() }
            try await file.database.write { try $0.execute(sql: "DROP TABLE lasting") }
            values.save([Self.key("A"): Self.value(1)])
            await values.flush()
            #expect(await values.load([Self.key("A")]).isEmpty)
            #expect(counted.count == 2)
        }
    }
}
