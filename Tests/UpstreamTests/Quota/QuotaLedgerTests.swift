import Brokerage
import Synchronization
import Testing
import Upstream

@Suite("The quota ledger")
struct QuotaLedgerTests {
    static let account = QuotaAccount(.alphaVantage)
    static let perSecond = QuotaWindow("second", limit: 1, per: .rolling(seconds: 1))
    static let perMinute = QuotaWindow("minute", limit: 5, per: .rolling(seconds: 60))
    static let perDay = QuotaWindow("day", limit: 25, per: .newYorkDay)

    /// A ledger on a clock that a test turns, where nobody waits for a slot.
    static func impatient(_ clock: ManualClock, store: MemoryStore? = nil) throws -> QuotaLedger {
        var limits = QuotaLedger.Limits()
        limits.maximumWait = .zero
        return try QuotaLedger(clock: clock.clock, store: store, limits: limits)
    }

    /// Takes a slot; nil, or the failure.
    static func take(
        _ windows: [QuotaWindow], _ ledger: QuotaLedger, of account: QuotaAccount = account,
        before deadline: ContinuousClock.Instant? = nil, isShared: Bool = false
    ) async -> ProviderFailure.Cause? {
        do throws(ProviderFailure) {
            _ = try await ledger.reserve(
                windows, of: account, before: deadline ?? ledger.clock.now() + .seconds(60),
                isShared: isShared
            )
            return nil
        } catch {
            return error.cause
        }
    }

    @Test("calls beyond the limit are refused with the time of the next slot")
    func refuses() async throws {
        let clock = ManualClock()
        let ledger = try Self.impatient(clock)
        for _ in 0..<5 {
            #expect(await Self.take([Self.perMinute], ledger) == nil)
            clock.advance(by: .seconds(2))
        }
        // The first call may have been sent 2 s after it took its slot.
        let retryAt = clock.wallTime + .seconds(52)
        #expect(await Self.take([Self.perMinute], ledger) == .quotaExhausted(retryAt: retryAt))
        clock.advance(by: .seconds(52) - .nanoseconds(1))
        #expect(await Self.take([Self.perMinute], ledger) != nil)
        clock.advance(by: .nanoseconds(1))
        #expect(await Self.take([Self.perMinute], ledger) == nil)
        #expect(await Self.take([Self.perMinute], ledger) != nil)
    }

    @Test("a client without a session does not wait for a slot while users have one: users may join its call")
    func sharedCallDoesNotWait() async throws {
        let clock = ManualClock()
        let ledger = QuotaLedger(clock: clock.clock)
        for _ in 0..<3 { #expect(await Self.take([Self.perMinute], ledger, isShared: true) == nil) }
        // The first of these slots is free in 3 s, for which a call may wait.
        clock.advance(by: .seconds(59))
        let retryAt = clock.wallTime + .seconds(3)
        let shared = Task { await Self.take([Self.perMinute], ledger, isShared: true) }
        // A call that waits fails with `cancelled`.
        shared.cancel()
        #expect(await shared.value == .notAllowed(.sharedQuota(retryAt: retryAt)))
        #expect(await Self.take([Self.perMinute], ledger) == nil)
    }

    @Test("a call takes a slot in all windows or in none")
    func allOrNone() async throws {
        let clock = ManualClock()
        let ledger = try Self.impatient(clock)
        let narrow = QuotaWindow("narrow", limit: 1, per: .rolling(seconds: 10))
        #expect(await Self.take([Self.perMinute, narrow], ledger) == nil)
        #expect(await Self.take([Self.perMinute, narrow], ledger) != nil)
        #expect(ledger.status(of: Self.account).map(\.remaining) == [4, 0])
    }

    @Test("accounts do not share a quota")
    func accounts() async throws {
        let clock = ManualClock()
        let ledger = try Self.impatient(clock)
        let window = QuotaWindow("requests", limit: 1, per: .rolling(seconds: 60))
        let others = [
            QuotaAccount(.saxo), QuotaAccount(.saxo, credential: "1"), QuotaAccount(.saxo, credential: "2"),
        ]
        for account in others { #expect(await Self.take([window], ledger, of: account) == nil) }
        for account in others { #expect(await Self.take([window], ledger, of: account) != nil) }
    }

    @Test("of several accounts tells the one that has the fewest calls left, by provider and window")
    func tightest() async throws {
        let clock = ManualClock()
        let ledger = try Self.impatient(clock)
        let minute = QuotaWindow("minute", limit: 5, per: .rolling(seconds: 60))
        let day = QuotaWindow("day", limit: 9, per: .newYorkDay)
        ledger.declare([minute], of: QuotaAccount(.polygon))
        let accounts = [QuotaAccount(.saxo, credential: "1"), QuotaAccount(.saxo, credential: "2")]
        for (account, calls) in zip(accounts, [1, 3]) {
            for _ in 0..<calls { #expect(await Self.take([minute], ledger, of: account) == nil) }
        }
        #expect(await Self.take([day], ledger, of: accounts[0]) == nil)
        let told = ledger.tightest().map {
            "\($0.provider.name.text) \($0.status.window.name) \($0.status.remaining)"
        }
        #expect(told == ["polygon minute 5", "saxo day 8", "saxo minute 2"])
    }

    @Test("a day ends at midnight in New York")
    func day() async throws {
        let clock = ManualClock()
        let ledger = try Self.impatient(clock)
        let one = QuotaWindow("day", limit: 1, per: .newYorkDay)
        #expect(await Self.take([one], ledger) == nil)
        let date = try #require(clock.wallTime.inNewYork.date.adding(days: 1))
        let midnight = Instant(newYork: try #require(LocalTime(date: date, hour: 0)))
        #expect(await Self.take([one], ledger) == .quotaExhausted(retryAt: midnight))
        clock.advance(by: midnight.duration(since: clock.wallTime))
        #expect(await Self.take([one], ledger) == nil)
        #expect(await Self.take([one], ledger) != nil)
    }

    @Test(
        "a limit by the second sets the pace: calls are booked one behind the other, as far as waiting is allowed"
    )
    func paces() async throws {
        let clock = ManualClock()
        var limits = QuotaLedger.Limits()
        limits.maximumWait = .seconds(2)
        let ledger = QuotaLedger(clock: clock.clock, limits: limits)
        #expect(await Self.take([Self.perSecond, Self.perMinute], ledger) == nil)
        let starts = Journal<Duration>()
        let begin = clock.now
        let waiter = Task {
            let cause = await Self.take([Self.perSecond, Self.perMinute], ledger)
            starts.note(begin.duration(to: clock.now))
            return cause
        }
        await clock.somebodySleeps()
        #expect(clock.remaining == .milliseconds(1_250))
        // The next slot is two and a half seconds away, which is too long to wait.
        let retryAt = clock.wallTime + .milliseconds(2_500)
        #expect(
            await Self.take([Self.perSecond, Self.perMinute], ledger) == .quotaExhausted(retryAt: retryAt))
        clock.advance(by: .milliseconds(1_250))
        #expect(await waiter.value == nil)
        #expect(starts.entries == [.milliseconds(1_250)])
    }

    @Test("nobody waits for a slot beyond the deadline")
    func deadline() async throws {
        let clock = ManualClock()
        let ledger = QuotaLedger(clock: clock.clock)
        #expect(await Self.take([Self.perSecond], ledger) == nil)
        let deadline = clock.now + .milliseconds(900)
        let retryAt = clock.wallTime + .milliseconds(1_250)
        #expect(
            await Self.take([Self.perSecond], ledger, before: deadline) == .quotaExhausted(retryAt: retryAt))
    }

    @Test("who is cancelled while waiting gives the slot back")
    func cancelled() async throws {
        let clock = ManualClock()
        let ledger = QuotaLedger(clock: clock.clock)
        #expect(await Self.take([Self.perSecond, Self.perMinute], ledger) == nil)
        let waiter = Task { await Self.take([Self.perSecond, Self.perMinute], ledger) }
        await clock.somebodySleeps()
        #expect(ledger.status(of: Self.account).map(\.remaining) == [3, 0])
        waiter.cancel()
        #expect(await waiter.value == .cancelled)
        #expect(ledger.status(of: Self.account).map(\.remaining) == [4, 0])
    }

    @Test("a refusal of somebody else puts off those that wait")
    func refusedMeanwhile() async throws {
        let clock = ManualClock()
        let ledger = QuotaLedger(clock: clock.clock)
        #expect(await Self.take([Self.perSecond], ledger) == nil)
        let waiter = Task { await Self.take([Self.perSecond], ledger) }
        await clock.somebodySleeps()
        let retryAt = clock.wallTime + .seconds(30)
        await ledger.record([], .rateLimited(retryAt: retryAt), in: [Self.perSecond], of: Self.account)
        clock.advance(by: .milliseconds(1_250))
        #expect(await waiter.value == .quotaExhausted(retryAt: retryAt))
    }

    @Test("1,000 calls at the same time take no more slots than there are")
    func concurrent() async throws {
        let clock = ManualClock()
        let ledger = try Self.impatient(clock)
        let admitted = await withTaskGroup(of: Bool.self) { group in
            for _ in 0..<1_000 {
                group.addTask { await Self.take([Self.perMinute, Self.perDay], ledger) == nil }
            }
            return await group.reduce(0) { $0 + ($1 ? 1 : 0) }
        }
        #expect(admitted == 5)
        #expect(ledger.status(of: Self.account).map(\.remaining) == [20, 0])
    }

    @Test("tells how windows stand, known before the first call")
    func status() async throws {
        let clock = ManualClock()
        let ledger = try Self.impatient(clock)
        ledger.declare([Self.perMinute, Self.perDay], of: Self.account)
        #expect(
            ledger.status(of: Self.account) == [
                QuotaStatus(window: Self.perDay, limit: 25, remaining: 25, resetsAt: nil),
                QuotaStatus(window: Self.perMinute, limit: 5, remaining: 5, resetsAt: nil),
            ])
        #expect(ledger.status(of: QuotaAccount(.saxo)).isEmpty)
        let resetsAt = clock.wallTime + .seconds(62)
        #expect(await Self.take([Self.perMinute], ledger) == nil)
        #expect(
            ledger.status(of: Self.account).last
                == QuotaStatus(window: Self.perMinute, limit: 5, remaining: 4, resetsAt: resetsAt))
    }

    @Test("forgets idle accounts, and refuses more busy ones than its bound")
    func bounded() async throws {
        let clock = ManualClock()
        var limits = QuotaLedger.Limits()
        limits.accounts = 2
        let ledger = QuotaLedger(clock: clock.clock, limits: limits)
        let accounts = (0..<3).map { QuotaAccount(.saxo, credential: "\($0)") }
        #expect(await Self.take([Self.perMinute], ledger, of: accounts[0]) == nil)
        #expect(await Self.take([Self.perMinute], ledger, of: accounts[1]) == nil)
        #expect(await Self.take([Self.perMinute], ledger, of: accounts[2]) == .overloaded)
        clock.advance(by: .seconds(62))
        #expect(await Self.take([Self.perMinute], ledger, of: accounts[2]) == nil)
    }

    @Test("searches idle accounts once a second at most, so that refused calls do not repeat the search")
    func sweeps() async throws {
        let clock = ManualClock()
        var limits = QuotaLedger.Limits()
        limits.accounts = 2
        let ledger = QuotaLedger(clock: clock.clock, limits: limits)
        let accounts = (0..<4).map { QuotaAccount(.saxo, credential: "\($0)") }
        #expect(await Self.take([Self.perMinute], ledger, of: accounts[0]) == nil)
        clock.advance(by: .milliseconds(100))
        #expect(await Self.take([Self.perMinute], ledger, of: accounts[1]) == nil)
        clock.advance(by: .seconds(62) - .milliseconds(101))
        // One millisecond before the first is idle the search finds nothing, and the next one is a second later.
        #expect(await Self.take([Self.perMinute], ledger, of: accounts[2]) == .overloaded)
        clock.advance(by: .milliseconds(500))
        #expect(await Self.take([Self.perMinute], ledger, of: accounts[2]) == .overloaded)
        #expect(ledger.accountCount == 2)
        clock.advance(by: .milliseconds(500))
        #expect(await Self.take([Self.perMinute], ledger, of: accounts[2]) == nil)
        #expect(ledger.accountCount == 1)
    }
}
