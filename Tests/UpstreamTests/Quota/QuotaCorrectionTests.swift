import Brokerage
import Testing
import Upstream

@Suite("Correcting the quota ledger")
struct QuotaCorrectionTests {
    static let account = QuotaAccount(.saxo, credential: "7")
    static let window = QuotaWindow("port", limit: 10, per: .rolling(seconds: 60))

    static func remaining(_ ledger: QuotaLedger) -> Int? {
        ledger.status(of: account).first { $0.window.name == "port" }?.remaining
    }

    static func reading(_ remaining: Int, limit: Int? = nil, resetsAt: Instant? = nil) -> ReportedQuota {
        ReportedQuota(name: "port", limit: limit, remaining: remaining, resetsAt: resetsAt)
    }

    @Test(
        "the stricter of the count and the provider's word holds", arguments: [0, 3, 8, 9, 10, 99, -5, .max])
    func stricter(_ told: Int) async throws {
        let clock = ManualClock()
        let ledger = try QuotaLedgerTests.impatient(clock)
        #expect(await QuotaLedgerTests.take([Self.window], ledger, of: Self.account) == nil)
        let resetsAt = clock.wallTime + .seconds(20)
        await ledger.record(
            [Self.reading(told, resetsAt: resetsAt)], nil, in: [Self.window], of: Self.account)
        #expect(Self.remaining(ledger) == min(max(told, 0), 9))
        clock.advance(by: .seconds(20))
        #expect(Self.remaining(ledger) == 9)
        clock.advance(by: .seconds(42))
        #expect(Self.remaining(ledger) == 10)
    }

    @Test("a reading repeated changes nothing")
    func repeated() async throws {
        let clock = ManualClock()
        let ledger = try QuotaLedgerTests.impatient(clock)
        ledger.declare([Self.window], of: Self.account)
        for _ in 0..<3 {
            await ledger.record([Self.reading(4)], nil, in: [Self.window], of: Self.account)
            #expect(Self.remaining(ledger) == 4)
        }
    }

    @Test("a lower limit than the configured one is taken on; a higher one is not")
    func limits() async throws {
        let clock = ManualClock()
        let ledger = try QuotaLedgerTests.impatient(clock)
        ledger.declare([Self.window], of: Self.account)
        await ledger.record([Self.reading(3, limit: 3)], nil, in: [Self.window], of: Self.account)
        #expect(ledger.status(of: Self.account).first?.limit == 3)
        #expect(Self.remaining(ledger) == 3)
        await ledger.record([Self.reading(500, limit: 500)], nil, in: [Self.window], of: Self.account)
        #expect(ledger.status(of: Self.account).first?.limit == 10)
        #expect(Self.remaining(ledger) == 10)
        await ledger.record([Self.reading(5, limit: 0)], nil, in: [Self.window], of: Self.account)
        #expect(await QuotaLedgerTests.take([Self.window], ledger, of: Self.account) == nil)
    }

    @Test("a reading whose window is over already says nothing of this one")
    func past() async throws {
        let clock = ManualClock()
        let ledger = try QuotaLedgerTests.impatient(clock)
        ledger.declare([Self.window], of: Self.account)
        let resetsAt = clock.wallTime - .seconds(1)
        await ledger.record([Self.reading(0, resetsAt: resetsAt)], nil, in: [Self.window], of: Self.account)
        #expect(Self.remaining(ledger) == 10)
    }

    @Test("a reset that is years away frees the window after its own length")
    func absurdReset() async throws {
        let clock = ManualClock()
        let ledger = try QuotaLedgerTests.impatient(clock)
        ledger.declare([Self.window], of: Self.account)
        await ledger.record([Self.reading(0, resetsAt: .latest)], nil, in: [Self.window], of: Self.account)
        #expect(Self.remaining(ledger) == 0)
        clock.advance(by: .seconds(60))
        #expect(Self.remaining(ledger) == 10)
    }

    @Test("a refusal closes the window that it speaks of")
    func closes() async throws {
        let clock = ManualClock()
        let orders = QuotaWindow("orders", limit: 1, per: .rolling(seconds: 1))
        let retryAt = clock.wallTime + .seconds(30)
        let cases: [(ProviderFailure.Cause, [ReportedQuota], String)] = [
            (.rateLimited(retryAt: retryAt), [], "orders"),
            (.quotaExhausted(retryAt: retryAt), [], "port"),
            (.rateLimited(retryAt: retryAt), [Self.reading(0)], "port"),
            (.rateLimited(retryAt: retryAt), [Self.reading(3)], "orders"),
        ]
        for (cause, readings, name) in cases {
            let ledger = try QuotaLedgerTests.impatient(clock)
            ledger.declare([orders, Self.window], of: Self.account)
            await ledger.record(readings, cause, in: [Self.window, orders], of: Self.account)
            let closed = ledger.status(of: Self.account).filter { $0.remaining == 0 }.map(\.window.name)
            #expect(closed == [name])
            let refused = await QuotaLedgerTests.take([Self.window, orders], ledger, of: Self.account)
            #expect(refused?.retryAt.map { $0 >= retryAt } == true)
        }
    }

    @Test("refusals that do not say until when close for longer each time, until a call is let through")
    func bareRefusals() async throws {
        let clock = ManualClock()
        let ledger = try QuotaLedgerTests.impatient(clock)
        ledger.declare([Self.window], of: Self.account)
        var pauses: [Duration] = []
        func refuse() async throws {
            await ledger.record([], .rateLimited(retryAt: nil), in: [Self.window], of: Self.account)
            let cause = await QuotaLedgerTests.take([Self.window], ledger, of: Self.account)
            let pause = try #require(cause?.retryAt).duration(since: clock.wallTime)
            pauses.append(pause)
            clock.advance(by: pause)
        }
        for _ in 0..<8 { try await refuse() }
        #expect(pauses == [1, 2, 4, 8, 16, 32, 60, 60].map { .seconds($0) })
        await ledger.record([], nil, in: [Self.window], of: Self.account)
        try await refuse()
        #expect(pauses.last == .seconds(1))
    }

    @Test("a closure for years ends after a day")
    func absurdClosure() async throws {
        let clock = ManualClock()
        let ledger = try QuotaLedgerTests.impatient(clock)
        ledger.declare([Self.window], of: Self.account)
        await ledger.record([], .rateLimited(retryAt: .latest), in: [Self.window], of: Self.account)
        clock.advance(by: .seconds(25 * 3_600 - 1))
        #expect(await QuotaLedgerTests.take([Self.window], ledger, of: Self.account) != nil)
        clock.advance(by: .seconds(1))
        #expect(await QuotaLedgerTests.take([Self.window], ledger, of: Self.account) == nil)
    }
}
