import Brokerage
import Synchronization
import Testing
import Upstream

/// Keeps what a test's ledger must not forget.
final class MemoryStore: QuotaStore {
    private let rows: Mutex<[StoredQuotaUsage]>
    private let failure: (any Error)?
    /// The number of the next writes that fail.
    private let failures: Mutex<Int>

    init(_ rows: [StoredQuotaUsage] = [], failure: (any Error)? = nil, failures: Int = .max) {
        self.rows = Mutex(rows)
        self.failure = failure
        self.failures = Mutex(failures)
    }

    func load(now: Instant, uptime: Duration) throws -> [StoredQuotaUsage] { entries }

    var entries: [StoredQuotaUsage] { rows.withLock { $0 } }

    func add(_ entries: [StoredQuotaUsage], now: Instant, uptime: Duration) async throws {
        let fails = failures.withLock { failures in
            defer { failures = max(failures - 1, 0) }
            return failures > 0
        }
        if fails, let failure { throw failure }
        rows.withLock { rows in
            for entry in entries {
                let old = rows.firstIndex {
                    $0.account == entry.account && $0.window == entry.window && $0.kind == entry.kind
                        && $0.until == entry.until
                }
                let count = (old.map { rows[$0].count } ?? 0) + entry.count
                if let old { rows.remove(at: old) }
                rows.append(
                    StoredQuotaUsage(
                        account: entry.account, window: entry.window, kind: entry.kind, until: entry.until,
                        untilUptime: entry.untilUptime, count: count, maximumLifetime: entry.maximumLifetime))
            }
        }
    }
}

@Suite("Keeping the quota ledger")
struct QuotaPersistenceTests {
    static let windows = [QuotaLedgerTests.perSecond, QuotaLedgerTests.perMinute, QuotaLedgerTests.perDay]

    @Test("the next process goes on counting, also in windows of seconds")
    func restart() async throws {
        let clock = ManualClock()
        let store = MemoryStore()
        let first = try QuotaLedgerTests.impatient(clock, store: store)
        for _ in 0..<3 {
            #expect(await QuotaLedgerTests.take(Self.windows, first) == nil)
            clock.advance(by: .seconds(2))
        }
        let second = try QuotaLedgerTests.impatient(clock, store: store)
        // An entry outlasts its slot, which a call can replace: the next process counts it for one more window at most.
        #expect(await QuotaLedgerTests.take(Self.windows, second) != nil)
        clock.advance(by: .milliseconds(1_250))
        #expect(await QuotaLedgerTests.take(Self.windows, second) == nil)
        #expect(second.status(of: QuotaLedgerTests.account).map(\.remaining) == [21, 1, 0])
        clock.advance(by: .seconds(62))
        #expect(second.status(of: QuotaLedgerTests.account).map(\.remaining) == [21, 5, 1])
    }

    @Test(
        "no interval of a window has more calls than the limit, also if the process is replaced in it",
        arguments: [1, 2, 5, 30, 59])
    func restartInWindow(seconds: Int) async throws {
        let clock = ManualClock()
        let store = MemoryStore()
        let window = QuotaWindow("short", limit: 2, per: .rolling(seconds: seconds))
        for _ in 0..<2 {
            let first = try QuotaLedgerTests.impatient(clock, store: store)
            #expect(await QuotaLedgerTests.take([window], first) == nil)
            clock.advance(by: .milliseconds(100))
        }
        let next = try QuotaLedgerTests.impatient(clock, store: store)
        clock.advance(by: .seconds(seconds) - .milliseconds(101))
        #expect(await QuotaLedgerTests.take([window], next) != nil)
        // An entry outlasts its slot by ten seconds, in which a call can replace the slot.
        clock.advance(by: .seconds(13))
        #expect(await QuotaLedgerTests.take([window], next) == nil)
    }

    @Test(
        "a refusal closes a window for the next process, too, for a short time as for a long one",
        arguments: [2, 30, 90])
    func closed(seconds: Int) async throws {
        let clock = ManualClock()
        let store = MemoryStore()
        let window = QuotaWindow("minute", limit: 100, per: .rolling(seconds: 60))
        let account = QuotaLedgerTests.account
        let first = try QuotaLedgerTests.impatient(clock, store: store)
        #expect(await QuotaLedgerTests.take([window], first) == nil)
        let retryAt = clock.wallTime + .seconds(seconds)
        await first.record([], .rateLimited(retryAt: retryAt), in: [window], of: account)
        let second = try QuotaLedgerTests.impatient(clock, store: store)
        #expect(await QuotaLedgerTests.take([window], second) == .quotaExhausted(retryAt: retryAt))
        clock.advance(by: .seconds(seconds))
        #expect(await QuotaLedgerTests.take([window], second) == nil)
    }

    @Test(
        "an entry is known to end within its window or a closure, and an hour",
        arguments: [(60, 26 * 3_600), (86_400, 26 * 3_600), (31 * 86_400, 31 * 86_400 + 3_600)])
    func lifetime(seconds: Int, lifetime: Int) async throws {
        let store = MemoryStore()
        let ledger = try QuotaLedgerTests.impatient(ManualClock(), store: store)
        let window = QuotaWindow("window", limit: 5, per: .rolling(seconds: seconds))
        #expect(await QuotaLedgerTests.take([window], ledger) == nil)
        #expect(store.entries.map(\.maximumLifetime) == [.seconds(lifetime)])
    }

    @Test(
        "a call that could not be stored, and is not sent, takes no count of another call away",
        arguments: [QuotaLedgerTests.perDay, QuotaPersistenceTests.largeWindow])
    func notStored(_ window: QuotaWindow) async throws {
        struct DiskFull: Error {}
        let clock = ManualClock()
        let store = MemoryStore(failure: DiskFull(), failures: 1)
        let account = QuotaLedgerTests.account
        let first = try QuotaLedgerTests.impatient(clock, store: store)
        let unused = try await first.reserve([window], of: account, before: clock.now + .seconds(9))
        #expect(await QuotaLedgerTests.take([window], first) == nil)
        let stored = store.entries
        #expect(stored.map(\.count) == [window.limit == 25 ? 1 : 8])
        await first.release(unused)
        #expect(store.entries == stored)
        // The entry has no more room than the calls that were stored.
        for _ in 1..<(stored.first?.count ?? 0) {
            #expect(await QuotaLedgerTests.take([window], first) == nil)
        }
        #expect(store.entries == stored)
        #expect(await QuotaLedgerTests.take([window], first) == nil)
        #expect(store.entries.reduce(0) { $0 + $1.count } == 2 * (stored.first?.count ?? 0))
        let sent = 1 + (stored.first?.count ?? 0)
        #expect(first.status(of: account).map(\.remaining) == [window.limit - sent])
    }

    @Test(
        "a call whose connection opens only after its slot's validity is sent, and the next process counts it",
        arguments: [(3, true), (10, true), (11, false)])
    func slowConnection(seconds: Int, isSent: Bool) async throws {
        let clock = ManualClock()
        let store = MemoryStore()
        let window = QuotaWindow("minute", limit: 1, per: .rolling(seconds: 60))
        let windows = [QuotaLedgerTests.perSecond, window, QuotaLedgerTests.perDay]
        let account = QuotaLedgerTests.account
        let first = try QuotaLedgerTests.impatient(clock, store: store)
        let reservation = try await first.reserve(windows, of: account, before: clock.now + .seconds(60))
        clock.advance(by: .seconds(seconds))
        #expect(first.confirm(reservation) == isSent)
        guard isSent else {
            await first.release(reservation)
            #expect(store.entries.allSatisfy { $0.count == 0 })
            return
        }
        // The process ends, and no interval of a minute has two calls.
        clock.advance(by: .seconds(59))
        let second = try QuotaLedgerTests.impatient(clock, store: store)
        #expect(await QuotaLedgerTests.take([window], second) != nil)
        clock.advance(by: .seconds(12))
        #expect(await QuotaLedgerTests.take([window], second) == nil)
    }

    /// A limit whose stored entries have room for eight calls.
    static let largeWindow = QuotaWindow("minute", limit: 200, per: .rolling(seconds: 60))

    @Test(
        "several calls are stored with one write; the next process counts all that were sent, and at most seven more",
        arguments: [(1, 8), (7, 8), (8, 8), (9, 16), (17, 24)])
    func severalCalls(sent: Int, counted: Int) async throws {
        let clock = ManualClock()
        let store = MemoryStore()
        let account = QuotaLedgerTests.account
        let first = try QuotaLedgerTests.impatient(clock, store: store)
        for _ in 0..<sent {
            #expect(await QuotaLedgerTests.take([Self.largeWindow], first) == nil)
            clock.advance(by: .milliseconds(100))
        }
        #expect(store.entries.reduce(0) { $0 + $1.count } == counted)
        #expect(first.status(of: account).map(\.remaining) == [200 - sent])
        let second = try QuotaLedgerTests.impatient(clock, store: store)
        second.declare([Self.largeWindow], of: account)
        #expect(second.status(of: account).map(\.remaining) == [200 - counted])
        clock.advance(by: .seconds(63))
        #expect(second.status(of: account).map(\.remaining) == [200])
    }

    @Test("a call that is given back leaves its room to the next one, and nothing is written")
    func givenBack() async throws {
        let clock = ManualClock()
        let store = MemoryStore()
        let ledger = try QuotaLedgerTests.impatient(clock, store: store)
        for _ in 0..<50 {
            let unused = try await ledger.reserve(
                [Self.largeWindow], of: QuotaLedgerTests.account, before: clock.now + .seconds(9))
            await ledger.release(unused)
        }
        #expect(store.entries.map(\.count) == [8])
    }

    @Test("a stored entry has no room for a call that counts for longer than it")
    func outlasted() async throws {
        let clock = ManualClock()
        let store = MemoryStore()
        let first = try QuotaLedgerTests.impatient(clock, store: store)
        #expect(await QuotaLedgerTests.take([Self.largeWindow], first) == nil)
        clock.advance(by: .seconds(61))
        #expect(await QuotaLedgerTests.take([Self.largeWindow], first) == nil)
        #expect(store.entries.reduce(0) { $0 + $1.count } == 16)
    }

    @Test("each call of a window longer than a minute counts once, however far apart they are")
    func longWindow() async throws {
        let clock = ManualClock()
        let store = MemoryStore()
        let window = QuotaWindow("hour", limit: 400, per: .rolling(seconds: 3_600))
        let first = try QuotaLedgerTests.impatient(clock, store: store)
        for _ in 0..<6 {
            #expect(await QuotaLedgerTests.take([window], first) == nil)
            clock.advance(by: .seconds(62))
        }
        let second = try QuotaLedgerTests.impatient(clock, store: store)
        second.declare([window], of: QuotaLedgerTests.account)
        #expect(second.status(of: QuotaLedgerTests.account).map(\.remaining) == [394])
    }

    @Test("what was given back, and what the provider said, is kept too")
    func corrections() async throws {
        let clock = ManualClock()
        let store = MemoryStore()
        let first = try QuotaLedgerTests.impatient(clock, store: store)
        let account = QuotaLedgerTests.account
        let windows = [QuotaLedgerTests.perMinute, QuotaLedgerTests.perDay]
        let used = try await first.reserve(windows, of: account, before: clock.now + .seconds(9))
        let unused = try await first.reserve(windows, of: account, before: clock.now + .seconds(9))
        await first.release(unused)
        let reading = ReportedQuota(name: "day", limit: nil, remaining: 10, resetsAt: nil)
        await first.record([reading], nil, in: windows, of: account)
        let retryAt = clock.wallTime + .seconds(90)
        await first.record([], .rateLimited(retryAt: retryAt), in: windows, of: account)
        let second = try QuotaLedgerTests.impatient(clock, store: store)
        second.declare(windows, of: account)
        #expect(second.status(of: account) == first.status(of: account))
        #expect(second.status(of: account).map(\.remaining) == [10, 0])
        #expect(used.slots.count == 2)
    }

    @Test(
        "a wall clock that was set back between two processes freezes a window for no longer than its length")
    func setBack() async throws {
        let clock = ManualClock()
        let account = QuotaLedgerTests.account
        let far = clock.wallTime + .seconds(40 * 86_400)
        let store = MemoryStore([
            StoredQuotaUsage(
                account: account, window: "minute", kind: .calls, until: far, count: 5,
                maximumLifetime: .seconds(26 * 3_600)),
            StoredQuotaUsage(
                account: account, window: "day", kind: .calls, until: far, count: 25,
                maximumLifetime: .seconds(26 * 3_600)),
            StoredQuotaUsage(
                account: account, window: "other", kind: .closure, until: far, count: 1,
                maximumLifetime: .seconds(26 * 3_600)),
        ])
        let ledger = try QuotaLedgerTests.impatient(clock, store: store)
        let other = QuotaWindow("other", limit: 5, per: .rolling(seconds: 60))
        ledger.declare([QuotaLedgerTests.perMinute, QuotaLedgerTests.perDay, other], of: account)
        #expect(ledger.status(of: account).map(\.remaining) == [0, 0, 0])
        clock.advance(by: .seconds(62))
        #expect(ledger.status(of: account).map(\.remaining) == [0, 5, 0])
        clock.advance(by: .seconds(25 * 3_600))
        #expect(ledger.status(of: account).map(\.remaining) == [25, 5, 5])
    }

    @Test(
        "setting the wall clock changes no count of this process",
        arguments: [-86_400 * 3, -7_200, 7_200] as [Int64])
    func wallClockSet(_ seconds: Int64) async throws {
        let clock = ManualClock()
        let shift = Mutex(Duration.zero)
        let shifted = TimeSource(
            now: { clock.now }, wallTime: { clock.wallTime + shift.withLock { $0 } }, sleep: clock.clock.sleep
        )
        var limits = QuotaLedger.Limits()
        limits.maximumWait = .zero
        let ledger = QuotaLedger(clock: shifted, limits: limits)
        let date = try #require(clock.wallTime.inNewYork.date.adding(days: 1))
        let midnight = Instant(newYork: try #require(LocalTime(date: date, hour: 0)))
        for _ in 0..<5 {
            #expect(
                await QuotaLedgerTests.take([QuotaLedgerTests.perMinute, QuotaLedgerTests.perDay], ledger)
                    == nil)
        }
        let before = clock.wallTime
        shift.withLock { $0 = .seconds(seconds) }
        #expect(ledger.status(of: QuotaLedgerTests.account).map(\.remaining) == [20, 0])
        clock.advance(by: .seconds(62))
        #expect(ledger.status(of: QuotaLedgerTests.account).map(\.remaining) == [20, 5])
        clock.advance(by: midnight.duration(since: before) - .seconds(62))
        #expect(ledger.status(of: QuotaLedgerTests.account).map(\.remaining) == [25, 5])
    }

    @Test(
        "a step of the wall clock between two processes loses no count and makes none last longer",
        arguments: [-3 * 86_400, -7_200, 7_200, 3 * 86_400] as [Int64])
    func stepBetweenProcesses(_ seconds: Int64) async throws {
        let clock = ManualClock()
        let store = MemoryStore()
        let windows = [QuotaLedgerTests.perMinute, QuotaLedgerTests.perDay]
        let first = try QuotaLedgerTests.impatient(clock, store: store)
        for _ in 0..<5 { #expect(await QuotaLedgerTests.take(windows, first) == nil) }
        let stepped = TimeSource(
            now: { clock.now }, wallTime: { clock.wallTime + .seconds(seconds) }, sleep: clock.clock.sleep)
        let second = try QuotaLedger(clock: stepped, store: store)
        second.declare(windows, of: QuotaLedgerTests.account)
        #expect(second.status(of: QuotaLedgerTests.account).map(\.remaining) == [20, 0])
        clock.advance(by: .seconds(62))
        #expect(second.status(of: QuotaLedgerTests.account).map(\.remaining) == [20, 5])
        clock.advance(by: .seconds(25 * 3_600))
        #expect(second.status(of: QuotaLedgerTests.account).map(\.remaining) == [25, 5])
    }

    @Test("the counts of a credential without a connection continue for its calls by any connection")
    func retired() async throws {
        let clock = ManualClock()
        let store = MemoryStore()
        let ledger = try QuotaLedgerTests.impatient(clock, store: store)
        let windows = [QuotaLedgerTests.perMinute]
        let (account, other) = (
            QuotaAccount(.saxo, credential: "1"), QuotaAccount(.saxo, credential: "2")
        )
        for _ in 0..<2 { #expect(await QuotaLedgerTests.take(windows, ledger, of: account) == nil) }
        // Two connections with the credential end at the same time.
        for _ in 0..<2 { ledger.retire(account) }
        #expect(ledger.accountCount == 0)
        #expect(ledger.tightest().isEmpty)
        #expect(await QuotaLedgerTests.take(windows, ledger, of: other) == nil)
        #expect(ledger.status(of: other).map(\.remaining) == [4])
        // A connection tries it while another attempt with it fails.
        #expect(await QuotaLedgerTests.take(windows, ledger, of: account) == nil)
        ledger.retire(account)
        #expect(await QuotaLedgerTests.take(windows, ledger, of: account) == nil)
        #expect(ledger.accountCount == 2)
        #expect(ledger.status(of: account).map(\.remaining) == [1])
        ledger.retire(account)
        // The next process has these counts, too.
        let next = try QuotaLedgerTests.impatient(clock, store: store)
        next.declare(windows, of: account)
        #expect(next.status(of: account).map(\.remaining) == [1])
        // Counts without effect are removed.
        clock.advance(by: .seconds(62))
        ledger.retire(other)
        #expect(ledger.accountCount == 0)
        #expect(ledger.status(of: account).isEmpty)
    }

    @Test(
        """
        with too many unused credentials, no other is tried and no count is lost; the server's own key is \
        always used
        """)
    func retiredBound() async throws {
        var limits = QuotaLedger.Limits()
        limits.accounts = 2
        let clock = ManualClock()
        let ledger = QuotaLedger(clock: clock.clock, limits: limits)
        let windows = [QuotaLedgerTests.perMinute]
        let accounts = (0..<3).map { QuotaAccount(.saxo, credential: "\($0)") }
        let other = QuotaAccount(.saxo, credential: "other")
        #expect(ledger.hasCapacity(toTry: other))
        // A connection that ends can exceed the number.
        for account in accounts {
            #expect(await QuotaLedgerTests.take(windows, ledger, of: account) == nil)
            ledger.retire(account)
        }
        #expect(accounts.map { ledger.status(of: $0).map(\.remaining) } == [[4], [4], [4]])
        #expect(!ledger.hasCapacity(toTry: other))
        // One whose calls count already adds nothing.
        #expect(accounts.allSatisfy(ledger.hasCapacity(toTry:)))
        #expect(await QuotaLedgerTests.take(windows, ledger) == nil)
        ledger.retire(QuotaLedgerTests.account)
        #expect(ledger.accountCount == 1)
        clock.advance(by: .seconds(62))
        #expect(ledger.hasCapacity(toTry: other))
        #expect(ledger.accountCount == 1)
    }

    @Test("an end by the uptime counts for a window of a day, also while the wall clock is behind")
    func wallClockBehind() async throws {
        let clock = ManualClock()
        let account = QuotaLedgerTests.account
        // An hour before midnight in New York by this clock; the day of the entry ends later.
        let date = try #require(clock.wallTime.inNewYork.date.adding(days: 1))
        let midnight = Instant(newYork: try #require(LocalTime(date: date, hour: 0)))
        clock.advance(by: midnight.duration(since: clock.wallTime) - .seconds(3_600))
        let uptime = ClockReading(clock.clock).uptime
        let store = MemoryStore([
            StoredQuotaUsage(
                account: account, window: "day", kind: .calls, until: clock.wallTime,
                untilUptime: uptime + .seconds(20 * 3_600), count: 25,
                maximumLifetime: .seconds(26 * 3_600))
        ])
        let ledger = try QuotaLedgerTests.impatient(clock, store: store)
        ledger.declare([QuotaLedgerTests.perDay], of: account)
        clock.advance(by: .seconds(19 * 3_600))
        #expect(ledger.status(of: account).map(\.remaining) == [0])
        clock.advance(by: .seconds(3_600))
        #expect(ledger.status(of: account).map(\.remaining) == [25])
    }

    @Test("a call goes out, counted in memory, when the count cannot be kept, and that is reported")
    func cannotKeep() async throws {
        struct DiskFull: Error {}
        let clock = ManualClock()
        let reports = Journal<String>()
        let ledger = try QuotaLedger(clock: clock.clock, store: MemoryStore(failure: DiskFull())) {
            reports.note("\($0)")
        }
        #expect(await QuotaLedgerTests.take([QuotaLedgerTests.perMinute], ledger) == nil)
        #expect(ledger.status(of: QuotaLedgerTests.account).map(\.remaining) == [4])
        #expect(reports.entries == ["DiskFull()"])
    }
}
