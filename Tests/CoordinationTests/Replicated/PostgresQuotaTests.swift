import Brokerage
import Coordination
import EngineTestSupport
import Foundation
import Storage
import Synchronization
import TestSupport
import Testing
import Upstream

@Suite("Quotas that several processes share in PostgreSQL")
struct PostgresQuotaTests {
    private static let account = QuotaAccount(.alpaca)
    private static let perMinute = QuotaWindow("minute", limit: 5, per: .rolling(seconds: 60))

    /// The clocks of a database and of processes, which a test sets.
    private final class SharedClock: Sendable {
        private let file: UserDatabase
        /// The two clocks round to the same multiples of a step.
        private let base = ContinuousClock().systemEpoch + .milliseconds(start.millisecondsSince1970)
        // Set by the test while limiters read it.
        private let elapsed = Mutex(Duration.zero)
        /// 23:55 in New York, so that a day ends during a test.
        private static let start = Instant(secondsSince1970: 1_795_150_500) ?? .earliest

        init(_ file: UserDatabase) async throws {
            self.file = file
            try await file.database.write { db in
                try db.executeScript(
                    """
                    CREATE TABLE test_clock (value BIGINT);
                    INSERT INTO test_clock VALUES (\(Self.start.millisecondsSince1970));
                    CREATE OR REPLACE FUNCTION clock_milliseconds() RETURNS BIGINT LANGUAGE sql VOLATILE AS
                        'SELECT value FROM test_clock';
                    """)
            }
        }

        func advance(by duration: Duration) async throws {
            let milliseconds = Int64(duration / .milliseconds(1))
            try await file.database.write { db in
                try db.execute("UPDATE test_clock SET value = value + ?", [milliseconds])
            }
            pause(for: duration)
        }

        /// Advances the clock of this process only.
        func pause(for duration: Duration) { elapsed.withLock { $0 += duration } }

        /// The time since the clock was created.
        var time: Duration { elapsed.withLock(\.self) }

        var source: TimeSource {
            TimeSource(
                now: { [self] in base + elapsed.withLock(\.self) },
                wallTime: { [self] in Self.start + elapsed.withLock(\.self) },
                sleep: { _ in Issue.record("nothing waits") })
        }
    }

    private static func take(
        _ limiter: any QuotaLimiter, _ windows: [QuotaWindow], _ clock: TimeSource, isShared: Bool = false
    ) async -> Result<QuotaReservation, ProviderFailure> {
        do throws(ProviderFailure) {
            return .success(
                try await limiter.reserve(
                    windows, of: account, before: clock.now() + .seconds(60), isShared: isShared))
        } catch {
            return .failure(error)
        }
    }

    private static func cause(_ result: Result<QuotaReservation, ProviderFailure>) -> ProviderFailure.Cause? {
        if case .failure(let failure) = result { failure.cause } else { nil }
    }

    /// The number of random calls in all sequences; `QUOTA_CALLS=1000000` compares a million.
    private static let randomCalls =
        ProcessInfo.processInfo.environment["QUOTA_CALLS"].flatMap { Int($0) } ?? 4_000

    /// Windows of a few calls, or one of so many that their ends are rounded.
    private static func randomWindows(hasMany: Bool, _ random: inout SplitMix) -> [QuotaWindow] {
        func number(_ range: ClosedRange<Int>) -> Int { Int.random(in: range, using: &random) }
        if hasMany {
            return [QuotaWindow("many", limit: number(513...600), per: .rolling(seconds: number(30...90)))]
        }
        return [
            QuotaWindow("short", limit: number(1...6), per: .rolling(seconds: number(1...20))),
            QuotaWindow("minute", limit: number(1...30), per: .rolling(seconds: number(60...300))),
            QuotaWindow("day", limit: number(10...40), per: .newYorkDay),
        ]
    }

    @Test("are counted as by the ledger of one process", arguments: [1, 2, 3, 4] as [UInt64])
    func model(seed: UInt64) async throws {
        try await TestEngine.postgresql.with { test in
            let files = try (0..<2).map { _ in try test.open() }
            let clock = try await SharedClock(files[0])
            var random = SplitMix(seed: seed)
            var (calls, refusals, sequence) = (0, 0, 0)
            while calls < Self.randomCalls / 4 {
                let hasMany = sequence % 8 == 1
                let length = hasMany ? 700 : 100
                refusals += try await Self.compare(
                    Self.randomWindows(hasMany: hasMany, &random), calls: length,
                    pause: hasMany ? 40 : 40_000, clock, files, &random)
                calls += length
                sequence += 1
                try await files[0].database.write { db in try db.execute("DELETE FROM quota") }
            }
            #expect(refusals > calls / 20)
        }
    }

    /// Lets a ledger and two processes with a database count the same random calls.
    ///
    /// - Parameters:
    ///   - all: The windows.
    ///   - count: The number of calls.
    ///   - pause: The longest pause in milliseconds.
    ///   - clock: The clocks.
    ///   - files: The database, as each process has opened it.
    ///   - random: The random numbers.
    /// - Returns: The number of calls that were refused.
    /// - Throws: The error of the database.
    private static func compare(
        _ all: [QuotaWindow], calls count: Int, pause: Int, _ clock: SharedClock, _ files: [UserDatabase],
        _ random: inout SplitMix
    ) async throws -> Int {
        var limits = QuotaLedger.Limits()
        limits.maximumWait = .zero
        let ledger = try QuotaLedger(clock: clock.source, store: nil, limits: limits)
        let shared = files.map { PostgresQuota(in: $0, clock: clock.source, maximumWait: .zero) }
        var last: (QuotaReservation, QuotaReservation)?
        var refusals = 0
        for step in 0..<count {
            let limiter = shared[Int(random.next() % 2)]
            let windows = all.filter { _ in all.count == 1 || random.next() % 3 > 0 }
            switch random.next() % 8 {
            case 0: try await clock.advance(by: .milliseconds(Int.random(in: 0...pause, using: &random)))
            case 1:
                if let pair = last {
                    await ledger.release(pair.0)
                    await limiter.release(pair.1)
                }
                last = nil
            default:
                let isShared = random.next() % 4 == 0
                let one = await take(ledger, windows, clock.source, isShared: isShared)
                let other = await take(limiter, windows, clock.source, isShared: isShared)
                #expect(cause(one) == cause(other), "call \(step) of \(windows)")
                guard case .success(let first) = one, case .success(let second) = other else {
                    refusals += 1
                    continue
                }
                last = (first, second)
                guard random.next() % 8 == 0, let window = windows.first else { continue }
                let readings = [
                    ReportedQuota(
                        name: window.name,
                        limit: random.next() % 2 == 0 ? nil : max(1, window.limit - 1),
                        remaining: Int.random(in: 0...window.limit, using: &random),
                        resetsAt: random.next() % 2 == 0 ? nil : clock.source.wallTime() + .seconds(20))
                ]
                let refusal: ProviderFailure.Cause? =
                    [
                        nil, nil, .rateLimited(retryAt: nil),
                        .quotaExhausted(retryAt: clock.source.wallTime() + .seconds(7)),
                    ][Int(random.next() % 4)]
                await ledger.record(readings, refusal, in: windows, of: account)
                // It knows the counts of the other process.
                try await limiter.refresh()
                await limiter.record(readings, refusal, in: windows, of: account)
            }
            guard step % 8 == 0 else { continue }
            try await limiter.refresh()
            for known in limiter.status(of: account) {
                let expected = ledger.status(of: account).first { $0.window.name == known.window.name }
                #expect(known.remaining == expected?.remaining, "call \(step): \(known.window)")
            }
        }
        return refusals
    }

    @Test("are not exceeded by a process that was stopped after it took a slot")
    func stopped() async throws {
        try await TestEngine.postgresql.with { test in
            let file = try test.open()
            let clock = try await SharedClock(file)
            let limiter = PostgresQuota(in: file, clock: clock.source, maximumWait: .zero)
            let reservation = try await Self.take(limiter, [Self.perMinute], clock.source).get()
            clock.pause(for: .milliseconds(1_998))
            #expect(limiter.confirm(reservation))
            // The slot's validity is 2 s, less one millisecond for the database's resolution.
            clock.pause(for: .milliseconds(1))
            #expect(!limiter.confirm(reservation))
            #expect(limiter.status(of: Self.account).map(\.remaining) == [4])
            await limiter.release(reservation)
            try await limiter.refresh()
            #expect(limiter.status(of: Self.account).map(\.remaining) == [5])
            // The next slot is valid for twice as long, because the connection may open slowly.
            let patient = try await Self.take(limiter, [Self.perMinute], clock.source).get()
            clock.pause(for: .milliseconds(3_998))
            #expect(limiter.confirm(patient))
        }
    }

    /// A process that wants to send calls all the time, one after the other.
    private struct Sender {
        let limiter: PostgresQuota
        /// The slot of the next call, and when the call is sent.
        var next: (reservation: QuotaReservation, at: Duration)?
    }

    /// Lets processes send calls as soon as they can, and returns the times of the calls.
    private static func send(
        _ count: Int, in window: QuotaWindow, by processes: Int, seed: UInt64
    ) async throws -> [Duration] {
        var sent: [Duration] = []
        try await TestEngine.postgresql.with { test in
            let clock = try await SharedClock(try test.open())
            var senders = try (0..<processes).map { _ in
                Sender(
                    limiter: PostgresQuota(in: try test.open(), clock: clock.source, maximumWait: .zero))
            }
            var random = SplitMix(seed: seed)
            let end = window.period.maximumDuration * (count / window.limit + 2)
            while sent.count < count, clock.time < end {
                // When a call can be sent, or a slot is free.
                var next = end
                for index in senders.indices {
                    let limiter = senders[index].limiter
                    if let call = senders[index].next, call.at <= clock.time {
                        senders[index].next = nil
                        if limiter.confirm(call.reservation) {
                            sent.append(clock.time)
                        } else {
                            await limiter.release(call.reservation)
                        }
                    }
                    if senders[index].next == nil {
                        switch await take(limiter, [window], clock.source) {
                        case .success(let reservation):
                            // One call of 64 is stopped for longer than its slot is valid.
                            let pause = random.next() % 64 == 0 ? 5_000 : Int(random.next() % 400) + 1
                            senders[index].next = (reservation, clock.time + .milliseconds(pause))
                        case .failure(let failure):
                            guard case .quotaExhausted(let retryAt?) = failure.cause else { throw failure }
                            next = min(next, clock.time + retryAt.duration(since: clock.source.wallTime()))
                        }
                    }
                    if let call = senders[index].next { next = min(next, call.at) }
                }
                try await clock.advance(by: max(next - clock.time, .milliseconds(1)))
            }
        }
        try #require(sent.count == count)
        return sent
    }

    @Test(
        "are used by 90 % at least, and not exceeded in any interval of a window's length",
        arguments: [(20, 60, 2), (20, 60, 3), (100, 60, 3), (50, 300, 3)])
    func use(limit: Int, seconds: Int, processes: Int) async throws {
        let window = QuotaWindow("window", limit: limit, per: .rolling(seconds: seconds))
        let windows = 4
        let times = try await Self.send(
            limit * windows + 1, in: window, by: processes, seed: UInt64(limit + processes))
        for (first, next) in zip(times, times.dropFirst(limit)) {
            #expect(next - first >= .seconds(seconds), "more than \(limit) calls from \(first) on")
        }
        let time = try #require(times.last) - times[0]
        #expect(time * 9 <= .seconds(seconds) * windows * 10, "\(time) for the calls of \(windows) windows")
    }

    @Test("are exact for many processes that use all of them, by the database's time")
    func exact() async throws {
        try await TestEngine.postgresql.with { test in
            // 20 calls in 4 s, each slot valid for 250 ms: at most 94 % can be used.
            let window = QuotaWindow("window", limit: 20, per: .rolling(seconds: 4))
            let sent = SentCalls()
            let limiters = try (0..<4).map { _ in PostgresQuota(in: try test.open()) }
            let deadline = ContinuousClock.now + .seconds(60)
            await withDiscardingTaskGroup { group in
                for index in 0..<12 {
                    group.addTask {
                        for _ in 0..<5 {
                            while ContinuousClock.now < deadline {
                                let result = await Self.take(limiters[index % 4], [window], .system)
                                guard case .success(let reservation) = result else {
                                    await Task.yield()
                                    continue
                                }
                                // The slot permits every time from here until the confirmation.
                                let time = ContinuousClock.now
                                guard limiters[index % 4].confirm(reservation) else {
                                    await limiters[index % 4].release(reservation)
                                    continue
                                }
                                sent.times.withLock { $0.append(time) }
                                break
                            }
                        }
                    }
                }
            }
            let times = sent.times.withLock { $0.sorted() }
            try #require(times.count == 60)
            for (first, next) in zip(times, times.dropFirst(window.limit)) {
                #expect(first.duration(to: next) >= .seconds(4))
            }
        }
    }

    /// The calls that are counted for each credential and window, by their names.
    private static func counts(in file: UserDatabase) async throws -> [(String, Int)] {
        try await file.database.read { db in
            try db.map(
                """
                SELECT credential || ' ' || name, CAST((SELECT sum(number) FROM unnest(calls) number) AS BIGINT)
                FROM quota ORDER BY 1
                """
            ) { (try $0.next() as String, try $0.next() as Int) }
        }
    }

    @Test(
        "are counted with few statements for the calls that wait, of all credentials, also by two processes at the same time",
        arguments: [1, 2])
    func groups(processes: Int) async throws {
        try await TestEngine.postgresql.with { test in
            let files = try (0..<processes).map { _ in try test.open() }
            let limiters = files.map { PostgresQuota(in: $0, maximumWait: .zero) }
            let windows = ["a", "b", "c"].map { QuotaWindow($0, limit: 60, per: .rolling(seconds: 60)) }
            let accounts = (0..<5).map { QuotaAccount(.alpaca, credential: "key \($0)") }
            @Sendable func take(
                _ windows: [QuotaWindow], of account: QuotaAccount, by process: Int
            ) async throws {
                _ = try await limiters[process].reserve(
                    windows, of: account, before: .now + .seconds(60), isShared: false)
            }
            for account in accounts { try await take(windows, of: account, by: 0) }
            let start = files[0].database.transactionCount
            // Each process has 20 calls for each of 5 accounts: 5 for each of 3 windows, and 5 for the first two.
            try await withThrowingTaskGroup(of: Void.self) { group in
                for index in 0..<100 {
                    for process in limiters.indices {
                        let place = process == 0 ? index : 99 - index
                        let own = place % 4 == 3 ? Array(windows.prefix(2)) : [windows[place % 4]]
                        group.addTask { try await take(own, of: accounts[place / 4 % 5], by: process) }
                    }
                }
                try await group.waitForAll()
            }
            if processes == 1 {
                #expect(files[0].database.transactionCount - start <= 50, "statements for 100 calls")
            }
            let counts = try await Self.counts(in: files[0])
            let expected = accounts.flatMap { account in
                [("a", 10), ("b", 10), ("c", 5)].map {
                    ("=\(account.credential ?? "") \($0.0)", 1 + processes * $0.1)
                }
            }
            #expect(counts.map(\.0) == expected.map(\.0))
            #expect(counts.map(\.1) == expected.map(\.1))
        }
    }

    @Test("of one credential that another process is changing delay no call of another credential")
    func locked() async throws {
        try await TestEngine.postgresql.with { test in
            let files = try (0..<2).map { _ in try test.open() }
            let limiter = PostgresQuota(in: files[0], maximumWait: .zero)
            let accounts = (0..<4).map { QuotaAccount(.alpaca, credential: "key \($0)") }
            @Sendable func take(_ account: QuotaAccount) async throws {
                _ = try await limiter.reserve(
                    [Self.perMinute], of: account, before: .now + .seconds(60), isShared: false)
            }
            for account in accounts { try await take(account) }
            let (isLocked, end) = (Event<Void>(), DispatchSemaphore(value: 0))
            async let change: Void = files[1].database.write { db in
                try db.execute("UPDATE quota SET changed_at = changed_at WHERE credential = '=key 0'")
                isLocked.happen(())
                end.wait()
            }
            await isLocked.wait()
            async let busy: Void = take(accounts[0])
            try await withThrowingTaskGroup(of: Void.self) { group in
                for account in accounts.dropFirst() { group.addTask { try await take(account) } }
                try await group.waitForAll()
            }
            end.signal()
            try await change
            try await busy
            try await limiter.refresh()
            #expect(try await Self.counts(in: files[0]).map(\.1) == [2, 2, 2, 2])
        }
    }

    @Test("are not used while the database does not respond")
    func outage() async throws {
        let cluster = try PostgresCluster()
        let url = try PostgresURL(cluster.url(), origin: "the test's URL")
        let file = try UserDatabase(at: url, TestDatabase.limits)
        let limiter = PostgresQuota(in: file)
        _ = try await Self.take(limiter, [Self.perMinute], .system).get()
        try cluster.stop()
        guard case .notAllowed(.uncounted)? = Self.cause(await Self.take(limiter, [Self.perMinute], .system))
        else {
            Issue.record("a call was allowed without its count")
            return
        }
    }
}

/// The times at which calls were sent.
private final class SentCalls: Sendable {
    // A lock, because tasks record their calls at the same time.
    let times = Mutex<[ContinuousClock.Instant]>([])
}
