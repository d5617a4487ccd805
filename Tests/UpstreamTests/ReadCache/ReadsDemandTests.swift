import Brokerage
import PorticoCore
import Testing
import Upstream

@Suite("Reads that must be newer than their request")
struct ReadsDemandTests {
    private typealias Base = ReadsAgeingTests

    @Test("take nothing that was asked for earlier, and the same value for the rest of the request")
    func demands() async throws {
        let clock = ManualClock()
        let (reads, source) = (Base.reads(clock), Base.Source(1))
        #expect(try await Base.read(reads, source, clock) == 1)
        clock.advance(by: .seconds(1))
        source.answers(2)
        let request = clock.now
        let demanding = Base.context(clock, notBefore: request)
        #expect(reads.cached(Base.aapl, in: Base.scope, for: demanding) == nil)
        #expect(reads.cached([Base.aapl], in: Base.scope, for: demanding) == nil)
        #expect(try await Base.read(reads, source, clock, notBefore: request) == 2)
        #expect(try await Base.read(reads, source, clock, notBefore: request) == 2)
        #expect(reads.cached(Base.aapl, in: Base.scope, for: demanding) == 2)
        #expect(source.calls == 2)
        // The new value is for everybody.
        #expect(reads.cached(Base.aapl, in: Base.scope) == 2)
    }

    @Test("do not join a call that began before, and join one that began after")
    func joins() async throws {
        let clock = ManualClock()
        let reads = Base.reads(clock)
        let (old, new) = (Gate(), Gate())
        @Sendable func read(_ gate: Gate, _ number: Int, notBefore: ContinuousClock.Instant?) -> Task<
            Int, any Error
        > {
            Task {
                try await reads.read(
                    Base.aapl, in: Base.scope, for: Base.context(clock, notBefore: notBefore)
                ) {
                    _ throws(ProviderFailure) in
                    await gate.pass()
                    return number
                }
            }
        }
        let first = read(old, 1, notBefore: nil)
        await old.arrived(1)
        clock.advance(by: .milliseconds(1))
        let request = clock.now
        let second = read(new, 2, notBefore: request)
        await new.arrived(1)
        let third = read(new, 3, notBefore: request)
        let fourth = read(new, 4, notBefore: nil)
        new.open()
        #expect(try await second.value == 2)
        #expect(try await third.value == 2)
        #expect(try await fourth.value == 2)
        old.open()
        #expect(try await first.value == 1)
        // The call that was asked for last has the last word.
        #expect(reads.cached(Base.aapl, in: Base.scope) == 2)
        #expect(new.arrivals == 1)
    }

    @Test(
        "of a client accept a value that was younger than the minimum age of its provider at that time",
        arguments: [
            (ProviderID.alpaca, 1), (.saxo, 1), (.yahoo, 15), (.polygon, 15), (.alphaVantage, 60),
        ])
    func minimumAge(_ provider: ProviderID, _ seconds: Int) async throws {
        let clock = ManualClock()
        let reads = Base.reads(clock) { _, _ in CacheLifetime(fresh: .seconds(3_600)) }
        let source = Base.Source(1)
        let scope = CacheScope.shared(provider)
        func read() async throws -> Int {
            let context = CallContext(
                deadline: clock.now + .seconds(60), notBefore: clock.now, acceptsMinimumAge: true)
            if let value = reads.cached(Base.aapl, in: scope, for: context) { return value }
            return try await reads.read(Base.aapl, in: scope, for: context) { _ throws(ProviderFailure) in
                try source.ask()
            }
        }
        #expect(try await read() == 1)
        source.answers(2)
        clock.advance(by: .seconds(seconds))
        #expect(try await read() == 1)
        clock.advance(by: .nanoseconds(1))
        #expect(try await read() == 2)
        #expect(source.calls == 2)
    }

    @Test("without a call that succeeds take what was last known, marked as stale")
    func fails() async throws {
        let clock = ManualClock()
        let (reads, source) = (Base.reads(clock), Base.Source(1))
        #expect(try await Base.read(reads, source, clock) == 1)
        clock.advance(by: .milliseconds(1))
        source.fails(.quotaExhausted(retryAt: nil))
        #expect(try await Base.read(reads, source, clock, notBefore: clock.now) == -1)
        // It is still fresh for whoever does not demand.
        #expect(try await Base.read(reads, source, clock) == 1)
    }

    @Test("do not ask anew for what a client keeps for its own use")
    func fixed() async throws {
        let clock = ManualClock()
        let reads = ReadCache<ExactText, Int>(
            "listing", CacheBounds(), freshness: .fixed(.seconds(9)), time: clock.clock)
        let source = Base.Source(1)
        #expect(try await Base.read(reads, source, clock) == 1)
        clock.advance(by: .seconds(1))
        #expect(try await Base.read(reads, source, clock, notBefore: clock.now) == 1)
        #expect(source.calls == 1)
    }

    @Test("after a write of an owner at a provider nothing of theirs there is served any more")
    func invalidates() async throws {
        let clock = ManualClock()
        let reads = Base.reads(clock)
        let (ann, bob) = (try #require(OwnerID("ann")), try #require(OwnerID("bob")))
        let keys = [
            CacheKey(ExactText("a"), in: .connection("1", of: ann, at: .alpaca)),
            CacheKey(ExactText("b"), in: .connection("2", of: ann, at: .alpaca)),
            CacheKey(ExactText("a"), in: .connection("1", of: ann, at: .saxo)),
            CacheKey(ExactText("a"), in: .connection("1", of: bob, at: .alpaca)),
            CacheKey(ExactText("a"), in: .shared(.alpaca)),
        ]
        for key in keys {
            _ = try await reads.read(key.query, in: key.scope, for: Base.context(clock)) {
                _ throws(ProviderFailure) in 1
            }
        }
        reads.invalidate(privateTo: ann, at: .alpaca)
        #expect(keys.map { reads.cached($0.query, in: $0.scope) } == [nil, nil, 1, 1, 1])
        for key in keys.prefix(2) {
            #expect(reads.stale(key.query, after: [(key.scope, Base.unavailable)]) == nil)
        }
    }
}
