import Brokerage
import PorticoCore
import Synchronization
import TestSupport
import Testing
import Upstream

/// Values are numbers; one that is marked as stale is negative.
@Suite("Reads that grow old")
struct ReadsAgeingTests {
    /// Fresh for 2 seconds, served while renewed for 4 more, last known until 12.
    static let lifetime = CacheLifetime(
        fresh: .seconds(2), whileRevalidating: .seconds(4), ifError: .seconds(10))
    static let scope = CacheScope.shared(.alpaca)
    static let aapl = ExactText("AAPL")
    static let msft = ExactText("MSFT")
    static let unavailable = ProviderFailure(.alpaca, .unavailable)

    /// What the provider answers from now on, and how often it was asked.
    final class Source: Sendable {
        private let state: Mutex<(answer: Result<Int, ProviderFailure>, calls: Int)>

        init(_ number: Int) { state = Mutex((.success(number), 0)) }

        var calls: Int { state.withLock { $0.calls } }

        func answers(_ number: Int) { state.withLock { $0.answer = .success(number) } }
        func fails(_ cause: ProviderFailure.Cause = .unavailable) {
            state.withLock { $0.answer = .failure(ProviderFailure(.alpaca, cause)) }
        }

        func ask() throws(ProviderFailure) -> Int {
            let answer = state.withLock { state in
                state.calls += 1
                return state.answer
            }
            return try answer.get()
        }
    }

    static func reads(
        _ clock: ManualClock,
        _ lifetime: @escaping @Sendable (Int, Instant) -> CacheLifetime = { _, _ in ReadsAgeingTests.lifetime
        }
    ) -> ReadCache<ExactText, Int> {
        ReadCache(
            "quotes", CacheBounds(bytes: 1 << 20),
            freshness: FreshnessPolicy(negativeTTL: .seconds(5), markStale: { -$0 }, lifetime: lifetime),
            time: clock.clock)
    }

    static func context(_ clock: ManualClock, notBefore: ContinuousClock.Instant? = nil) -> CallContext {
        CallContext(deadline: clock.now + .seconds(60), notBefore: notBefore)
    }

    static func read(
        _ reads: ReadCache<ExactText, Int>, _ source: Source, _ clock: ManualClock,
        notBefore: ContinuousClock.Instant? = nil
    ) async throws -> Int {
        try await reads.read(aapl, in: scope, for: context(clock, notBefore: notBefore)) {
            _ throws(ProviderFailure) in try source.ask()
        }
    }

    @Test("a value past its freshness is served at once, and renewed by one call for 1,000 readers")
    func renews() async throws {
        let clock = ManualClock()
        let reads = Self.reads(clock)
        #expect(try await Self.read(reads, Source(1), clock) == 1)
        clock.advance(by: .seconds(2))
        #expect(reads.cached(Self.aapl, in: Self.scope) == nil)
        let gate = Gate()
        try await withThrowingTaskGroup { group in
            for _ in 0..<1_000 {
                group.addTask {
                    try await reads.read(Self.aapl, in: Self.scope, for: Self.context(clock)) {
                        _ throws(ProviderFailure) in
                        await gate.pass()
                        return 2
                    }
                }
            }
            // All are answered while the call is held.
            for try await value in group { #expect(value == 1) }
        }
        await gate.arrived(1)
        gate.open()
        try await waitUntil { reads.cached(Self.aapl, in: Self.scope) != nil }
        #expect(reads.cached(Self.aapl, in: Self.scope) == 2)
        #expect(gate.arrivals == 1)
    }

    @Test("a renewal goes on when its reader is cancelled")
    func renewalStays() async throws {
        let clock = ManualClock()
        let reads = Self.reads(clock)
        #expect(try await Self.read(reads, Source(1), clock) == 1)
        clock.advance(by: .seconds(3))
        let gate = Gate()
        let reader = Task {
            try await reads.read(Self.aapl, in: Self.scope, for: Self.context(clock)) {
                _ throws(ProviderFailure) in
                await gate.pass()
                return Task.isCancelled ? 0 : 2
            }
        }
        reader.cancel()
        _ = await reader.result
        await gate.arrived(1)
        // Whoever waits for it and leaves does not end it either.
        clock.advance(by: .seconds(3))
        let second = Task { try await Self.read(reads, Source(9), clock) }
        second.cancel()
        _ = await second.result
        gate.open()
        try await waitUntil { reads.cached(Self.aapl, in: Self.scope) != nil }
        #expect(reads.cached(Self.aapl, in: Self.scope) == 2)
    }

    @Test("a value whose renewal failed is marked as stale, and tried again after a second")
    func renewalFails() async throws {
        let clock = ManualClock()
        let (reads, source) = (Self.reads(clock), Source(1))
        #expect(try await Self.read(reads, source, clock) == 1)
        source.fails()
        clock.advance(by: .seconds(3))
        #expect(try await Self.read(reads, source, clock) == 1)
        try await waitUntil { try await Self.read(reads, source, clock) != 1 }
        for _ in 0..<20 { #expect(try await Self.read(reads, source, clock) == -1) }
        #expect(source.calls == 2)
        source.answers(7)
        clock.advance(by: .seconds(1))
        #expect(try await Self.read(reads, source, clock) == -1)
        try await waitUntil { reads.cached(Self.aapl, in: Self.scope) != nil }
        #expect(try await Self.read(reads, source, clock) == 7)
        #expect(source.calls == 3)
    }

    @Test("what no call can renew is served marked as stale until its end, and not beyond")
    func staleIfError() async throws {
        let clock = ManualClock()
        let (reads, source) = (Self.reads(clock), Source(1))
        #expect(try await Self.read(reads, source, clock) == 1)
        source.fails()
        clock.advance(by: .seconds(7))
        #expect(try await Self.read(reads, source, clock) == -1)
        // Of several sources the next may answer, so a failure is one there.
        let results = await reads.read([Self.aapl], in: Self.scope, for: Self.context(clock)) {
            _, _ throws(ProviderFailure) in throw Self.unavailable
        }
        #expect(results == [.failure(Self.unavailable)])
        #expect(reads.stale(Self.aapl, after: [(Self.scope, Self.unavailable)]) == -1)
        clock.advance(by: .milliseconds(4_999))
        #expect(try await Self.read(reads, source, clock) == -1)
        clock.advance(by: .milliseconds(1))
        #expect(reads.stale(Self.aapl, after: [(Self.scope, Self.unavailable)]) == nil)
        await #expect(throws: Self.unavailable) { try await Self.read(reads, source, clock) }
        // A failure is never kept.
        source.answers(3)
        #expect(try await Self.read(reads, source, clock) == 3)
    }

    static let causes: [(ProviderFailure.Cause, Bool)] = [
        (.unavailable, true), (.circuitOpen(retryAt: .latest), true), (.timedOut, true),
        (.invalidResponse(nil), true), (.rateLimited(retryAt: nil), true), (.overloaded, true),
        (.tooMany(.watchlists, limit: 100), true),
        (.quotaExhausted(retryAt: nil), true), (.unauthorized, false), (.notEntitled, false),
        (.notFound, false), (.unsupported, false), (.cancelled, false),
    ]

    @Test(
        "a provider's word that it is not there, or not for this credential, is never overruled",
        arguments: causes)
    func overruled(_ cause: ProviderFailure.Cause, _ isServed: Bool) async throws {
        let clock = ManualClock()
        let (reads, source) = (Self.reads(clock), Source(1))
        #expect(try await Self.read(reads, source, clock) == 1)
        clock.advance(by: .seconds(7))
        source.fails(cause)
        if isServed {
            #expect(try await Self.read(reads, source, clock) == -1)
        } else {
            await #expect(throws: ProviderFailure(.alpaca, cause)) {
                try await Self.read(reads, source, clock)
            }
        }
    }

    @Test(
        "what a credential may no longer see is forgotten",
        arguments: [
            ProviderFailure.Cause.unauthorized, .notEntitled, .notFound,
        ])
    func forgets(_ cause: ProviderFailure.Cause) async throws {
        let clock = ManualClock()
        let (reads, source) = (Self.reads(clock), Source(1))
        #expect(try await Self.read(reads, source, clock) == 1)
        clock.advance(by: .seconds(7))
        source.fails(cause)
        _ = try? await Self.read(reads, source, clock)
        source.fails()
        #expect(reads.stale(Self.aapl, after: [(Self.scope, Self.unavailable)]) == nil)
    }

    @Test("the last known of several sources is the one that was asked for last")
    func latest() async throws {
        let clock = ManualClock()
        let reads = Self.reads(clock)
        let scopes = [CacheScope.shared(.alpaca), .shared(.saxo), .shared(.polygon)]
        for (number, scope) in [(1, scopes[0]), (2, scopes[1])] {
            _ = try await reads.read(Self.aapl, in: scope, for: Self.context(clock)) {
                _ throws(ProviderFailure) in number
            }
            clock.advance(by: .seconds(3))
        }
        let failures = scopes.map { ($0, ProviderFailure($0.provider, .unavailable)) }
        #expect(reads.stale(Self.aapl, after: failures) == -2)
        let refused = ProviderFailure(.saxo, .notEntitled)
        #expect(reads.stale(Self.aapl, after: [failures[0], (scopes[1], refused), failures[2]]) == -1)
        #expect(reads.stale(Self.aapl, after: []) == nil)
    }

    @Test("that a provider knows no such thing is remembered briefly, of one key or of some of a batch")
    func unknown() async throws {
        let clock = ManualClock()
        let reads = Self.reads(clock)
        let asked = Journal<[String]>()
        let missing = ProviderFailure(.alpaca, .notFound)
        func ask(_ keys: [ExactText]) async -> [Result<Int, ProviderFailure>] {
            await reads.read(keys, in: Self.scope, for: Self.context(clock)) {
                keys, _ throws(ProviderFailure) in
                asked.note(keys.map(\.text))
                if keys == [Self.msft] { throw missing }
                return keys.contains(Self.aapl) ? [Self.aapl: 1] : [:]
            }
        }
        let other = ExactText("NONE")
        for _ in 0..<3 {
            #expect(
                await ask([Self.aapl, other]) == [.success(1), .failure(missing)])
        }
        #expect(await ask([Self.msft]) == [.failure(missing)])
        #expect(await ask([Self.msft]) == [.failure(missing)])
        #expect(asked.entries == [["AAPL", "NONE"], ["MSFT"]])
        #expect(reads.cached(other, in: Self.scope) == nil)
        #expect(reads.stale(other, after: [(Self.scope, Self.unavailable)]) == nil)
        clock.advance(by: .seconds(5))
        _ = await ask([other])
        #expect(asked.entries.count == 3)
    }

    @Test(
        "a response that a provider does not know an object is stored for the provider's default time",
        arguments: [
            (ProviderID.alpaca, 300), (.saxo, 300), (.yahoo, 3_600), (.polygon, 3_600),
            (.alphaVantage, 3_600),
        ])
    func unknownAtProvider(_ provider: ProviderID, _ seconds: Int) async throws {
        let clock = ManualClock()
        let reads = ReadCache<ExactText, Int>(
            "quotes", CacheBounds(bytes: 1 << 20),
            freshness: FreshnessPolicy(markStale: { -$0 }) { _, _ in Self.lifetime }, time: clock.clock)
        let source = Source(1)
        source.fails(.notFound)
        func ask() async {
            _ = try? await reads.read(Self.aapl, in: .shared(provider), for: Self.context(clock)) {
                _ throws(ProviderFailure) in
                try source.ask()
            }
        }
        for _ in 0..<3 { await ask() }
        clock.advance(by: .seconds(seconds) - .nanoseconds(1))
        await ask()
        #expect(source.calls == 1)
        clock.advance(by: .nanoseconds(1))
        await ask()
        #expect(source.calls == 2)
    }

    @Test("that one of several is unknown, without which, is remembered of none")
    func unknownOfSeveral() async throws {
        let clock = ManualClock()
        let (reads, source) = (Self.reads(clock), Source(1))
        source.fails(.notFound)
        for _ in 0..<2 {
            _ = await reads.read([Self.aapl, Self.msft], in: Self.scope, for: Self.context(clock)) {
                _, _ throws(ProviderFailure) in [Self.aapl: try source.ask()]
            }
        }
        #expect(source.calls == 2)
    }

    @Test("how long a value is good depends on the value, and on when it was read")
    func byValue() async throws {
        let clock = ManualClock()
        let start = clock.wallTime
        let reads = Self.reads(clock) { value, readAt in
            CacheLifetime(fresh: .seconds(readAt == start ? value : 0))
        }
        let source = Source(30)
        #expect(try await Self.read(reads, source, clock) == 30)
        clock.advance(by: .milliseconds(29_999))
        #expect(reads.cached(Self.aapl, in: Self.scope) == 30)
        clock.advance(by: .milliseconds(1))
        #expect(reads.cached(Self.aapl, in: Self.scope) == nil)
        // Good for no time at all: it is passed on, and not kept.
        #expect(try await Self.read(reads, source, clock) == 30)
        #expect(try await Self.read(reads, source, clock) == 30)
        #expect(source.calls == 3)
    }

    @Test("what is due comes along with what is missing, in one call where there is room")
    func together() async throws {
        let clock = ManualClock()
        let reads = Self.reads(clock)
        let asked = Journal<[String]>()
        func ask(_ names: String, perCall: Int) async -> [Int?] {
            let keys = names.map { ExactText(String($0)) }
            let results = await reads.read(keys, in: Self.scope, batchSize: perCall, for: Self.context(clock))
            {
                keys, _ throws(ProviderFailure) in
                asked.note(keys.map(\.text))
                return KeyedResults(Dictionary(uniqueKeysWithValues: keys.map { ($0, 1) }))
            }
            return results.map { try? $0.get() }
        }
        #expect(await ask("AB", perCall: 9) == [1, 1])
        clock.advance(by: .seconds(3))
        #expect(await ask("ACBD", perCall: 9) == [1, 1, 1, 1])
        #expect(asked.entries == [["A", "B"], ["C", "D", "A", "B"]])
        clock.advance(by: .seconds(3))
        #expect(await ask("ABCDE", perCall: 2) == [1, 1, 1, 1, 1])
        try await waitUntil { asked.entries.count >= 5 }
        #expect(Set(asked.entries.dropFirst(2)) == [["E", "A"], ["B", "C"], ["D"]])
    }
}
