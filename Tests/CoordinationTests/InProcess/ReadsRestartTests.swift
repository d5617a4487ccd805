import Brokerage
import Coordination
import EngineTestSupport
import Storage
import Synchronization
import TestSupport
import Testing
import Upstream

@Suite("Persistent reads")
struct ReadsRestartTests {
    /// Time that stands still until it is moved; nobody sleeps by it.
    final class SetClock: Sendable {
        private let elapsed = Mutex(Duration.zero)
        private let start = ContinuousClock.now
        private let wallStart = Instant(secondsSince1970: 1_795_185_000) ?? .earliest

        var clock: TimeSource {
            TimeSource(
                now: { [self] in start + elapsed.withLock { $0 } },
                wallTime: { [self] in wallStart + elapsed.withLock { $0 } },
                sleep: { try await ContinuousClock().sleep(until: $0) })
        }
        func advance(by duration: Duration) { elapsed.withLock { $0 += duration } }
    }

    static let lifetime = CacheLifetime(
        fresh: .seconds(60), whileRevalidating: .seconds(60), ifError: .seconds(600))
    static let query = Symbol.example
    static let scope = CacheScope.shared(.alphaVantage)

    /// A process: reads over the file of a folder.
    struct Life {
        let values: SQLitePersistentCache
        let reads: ReadCache<Symbol, Quote>
        let clock: TimeSource

        init(_ folder: Folder, _ clock: TimeSource) throws {
            self.clock = clock
            values = SQLitePersistentCache(in: try CacheDatabase(in: try folder.opened()))
            reads = ReadCache(
                "quotes", CacheBounds(bytes: 1 << 20),
                freshness: FreshnessPolicy(\.provenance) { _, _ in ReadsRestartTests.lifetime },
                persistence: PersistentCacheTable(values), time: clock)
        }

        /// Asks a provider that knows a price, or fails.
        func read(
            _ scope: CacheScope = ReadsRestartTests.scope, price: Int?, calls: Counter,
            notBefore: ContinuousClock.Instant? = nil
        ) async throws -> Quote {
            let context = CallContext(deadline: clock.now() + .seconds(60), notBefore: notBefore)
            let now = clock.wallTime()
            return try await reads.read(ReadsRestartTests.query, in: scope, for: context) {
                _ throws(ProviderFailure) in
                calls.increment()
                guard let price else { throw ProviderFailure(scope.provider, .unavailable) }
                var quote = Quote(
                    symbol: .example, provenance: Provenance(source: scope.provider, fetchedAt: now))
                quote.price = Decimal(price)
                return quote
            }
        }
    }

    @Test("a fresh value of a provider with a low quota costs no call after a restart")
    func fresh() async throws {
        try await Folder.with { folder in
            let (clock, calls) = (SetClock(), Counter())
            let first = try Life(folder, clock.clock)
            let quote = try await first.read(price: 5, calls: calls)
            await first.values.flush()
            clock.advance(by: .seconds(59))
            let second = try Life(folder, clock.clock)
            #expect(try await second.read(price: 6, calls: calls) == quote)
            #expect(calls.count == 1)
            // From then on it is in memory, and ends when it would have.
            #expect(second.reads.cached(Self.query, in: Self.scope) == quote)
            clock.advance(by: .seconds(1))
            #expect(second.reads.cached(Self.query, in: Self.scope) == nil)
            #expect(try await second.read(price: 6, calls: calls).price == 6)
            #expect(calls.count == 2)
        }
    }

    @Test("an older value is returned while the provider fails, marked as stale, until it expires")
    func stale() async throws {
        try await Folder.with { folder in
            let (clock, calls) = (SetClock(), Counter())
            let first = try Life(folder, clock.clock)
            var expected = try await first.read(price: 5, calls: calls)
            expected.provenance = expected.provenance.markedStale
            await first.values.flush()
            clock.advance(by: .seconds(659))
            let second = try Life(folder, clock.clock)
            #expect(try await second.read(price: nil, calls: calls) == expected)
            clock.advance(by: .seconds(1))
            let third = try Life(folder, clock.clock)
            await #expect(throws: ProviderFailure(.alphaVantage, .unavailable)) {
                try await third.read(price: nil, calls: calls)
            }
            #expect(calls.count == 3)
        }
    }

    @Test("a request that demands a new value gets no persistent one, and joins no call that reads one")
    func demands() async throws {
        try await Folder.with { folder in
            let (clock, calls) = (SetClock(), Counter())
            let first = try Life(folder, clock.clock)
            _ = try await first.read(price: 5, calls: calls)
            await first.values.flush()
            clock.advance(by: .seconds(1))
            let second = try Life(folder, clock.clock)
            let request = clock.clock.now()
            async let undemanding = second.read(price: 6, calls: calls)
            let demanding = try await second.read(price: 6, calls: calls, notBefore: request)
            #expect(demanding.price == 6)
            _ = try await undemanding
            #expect(try await second.read(price: 7, calls: calls).price == 6)
        }
    }

    @Test("a damaged value, and one with a time in the future, are requested again")
    func damaged() async throws {
        try await Folder.with { folder in
            let (clock, calls) = (SetClock(), Counter())
            let first = try Life(folder, clock.clock)
            _ = try await first.read(price: 5, calls: calls)
            await first.values.flush()
            let name = try #require(
                PersistentCacheKey(kind: "quote.1", in: .shared(.alphaVantage), subject: "AAPL"))
            let kept = try #require(await first.values.load([name])[name])
            for (bytes, readAt) in [
                (kept.bytes.dropLast(), kept.readAt), (kept.bytes[...], kept.readAt + .seconds(1)),
            ] {
                first.values.save([
                    name: PersistentCacheEntry(
                        bytes: Array(bytes), readAt: readAt, freshUntil: kept.freshUntil,
                        staleUntil: kept.staleUntil)
                ])
                await first.values.flush()
                let before = calls.count
                let second = try Life(folder, clock.clock)
                #expect(try await second.read(price: 6, calls: calls).price == 6)
                #expect(calls.count == before + 1)
                await second.values.flush()
            }
        }
    }

    @Test("private values, and values of providers with a high quota, are never in the file")
    func apart() async throws {
        try await Folder.with { folder in
            let (clock, calls) = (SetClock(), Counter())
            let life = try Life(folder, clock.clock)
            let owner = try #require(OwnerID("ann"))
            let scopes = [
                CacheScope.connection("1", of: owner, at: .alphaVantage),
                .connection("1", of: owner, at: .polygon),
                .shared(.alpaca), .shared(.saxo), .shared(.yahoo),
            ]
            for scope in scopes { _ = try await life.read(scope, price: 5, calls: calls) }
            await life.values.flush()
            let names = ProviderID.allCases.compactMap {
                PersistentCacheKey(kind: "quote.1", in: .shared($0), subject: "AAPL")
            }
            #expect(names.count == ProviderID.allCases.count)
            #expect(await life.values.load(names).isEmpty)
            // A public value in the file is never given for a private scope.
            _ = try await life.read(price: 9, calls: calls)
            await life.values.flush()
            let second = try Life(folder, clock.clock)
            #expect(try await second.read(scopes[0], price: 6, calls: calls).price == 6)
        }
    }
}
