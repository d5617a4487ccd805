import Brokerage
import PorticoCore
import Testing
import Upstream

@Suite("The memory of users' values")
struct CacheMemoryTests {
    private static let users = (0..<8).compactMap { OwnerID("user \($0)") }

    private static func scope(_ user: Int) -> CacheScope {
        .connection("connection \(user)", of: users[user], at: .alpaca)
    }

    private static func cache(
        _ name: String, share: Int = 1 << 20, in memory: CacheMemory, _ clock: ManualClock
    ) -> ReadCache<ExactText, Int> {
        ReadCache(
            name, CacheBounds(bytes: share), freshness: .fixed(.seconds(2)), weight: { $0 }, memory: memory,
            time: clock.clock)
    }

    private static func store(
        _ weight: Int, as text: String = "value", of scope: CacheScope, in cache: ReadCache<ExactText, Int>,
        _ clock: ManualClock
    ) async throws {
        _ = try await cache.read(
            ExactText(text), in: scope, for: ReadCacheTests.context(from: clock.now)
        ) { _ throws(ProviderFailure) in weight }
    }

    @Test(
        "has the values of all caches; the least recently used connection of the largest cache is removed first"
    )
    func shared() async throws {
        let clock = ManualClock()
        let memory = CacheMemory(limit: 50_000)
        let (small, large) = (Self.cache("small", in: memory, clock), Self.cache("large", in: memory, clock))
        try await Self.store(10_000, of: Self.scope(0), in: small, clock)
        for user in 0..<3 { try await Self.store(10_000, of: Self.scope(user), in: large, clock) }
        #expect(memory.statistics.map(\.freshEvictions) == [0, 0])
        // The value of the first user is used last.
        #expect(large.cached(ExactText("value"), in: Self.scope(0)) == 10_000)
        try await Self.store(10_000, of: Self.scope(3), in: large, clock)
        #expect(memory.weight <= memory.limit)
        let kept = (0..<4).map { large.cached(ExactText("value"), in: Self.scope($0)) != nil }
        #expect(kept == [true, false, true, true])
        #expect(small.cached(ExactText("value"), in: Self.scope(0)) == 10_000)
        let statistics = try #require(memory.statistics.last)
        #expect(statistics.name == "large")
        #expect(statistics.entries == 3)
        #expect(statistics.stores == 4)
        #expect(statistics.freshEvictions == 1)
    }

    @Test("a cache with a larger share keeps more")
    func shares() async throws {
        let clock = ManualClock()
        let memory = CacheMemory(limit: 60_000)
        let one = Self.cache("one", share: 100_000, in: memory, clock)
        let three = Self.cache("three", share: 300_000, in: memory, clock)
        for user in 0..<8 {
            try await Self.store(10_000, of: Self.scope(user), in: one, clock)
            try await Self.store(10_000, of: Self.scope(user), in: three, clock)
        }
        #expect(memory.weight <= memory.limit)
        #expect(memory.statistics.map(\.entries) == [1, 4])
    }

    @Test("expired values that are removed do not count as evictions of fresh ones")
    func expired() async throws {
        let clock = ManualClock()
        let memory = CacheMemory(limit: 25_000)
        let cache = Self.cache("quotes", in: memory, clock)
        try await Self.store(10_000, of: Self.scope(0), in: cache, clock)
        clock.advance(by: .seconds(3))
        for user in 1..<3 { try await Self.store(10_000, of: Self.scope(user), in: cache, clock) }
        #expect(cache.statistics.entries == 2)
        #expect(cache.statistics.freshEvictions == 0)
    }

    @Test("a connection that goes on storing values does not keep its expired ones")
    func swept() async throws {
        let clock = ManualClock()
        let memory = CacheMemory(limit: 25_000)
        let cache = Self.cache("quotes", in: memory, clock)
        for name in ["a", "b"] { try await Self.store(1_000, as: name, of: Self.scope(0), in: cache, clock) }
        clock.advance(by: .seconds(61))
        try await Self.store(1_000, as: "c", of: Self.scope(0), in: cache, clock)
        #expect(cache.statistics.entries == 1)
        #expect((1_000..<2_000).contains(memory.weight))
        #expect(cache.cached(ExactText("c"), in: Self.scope(0)) == 1_000)
    }

    @Test("public values do not count, and have the bound of their cache")
    func publicValues() async throws {
        let clock = ManualClock()
        let memory = CacheMemory(limit: 25_000)
        let cache = Self.cache("quotes", share: 25_000, in: memory, clock)
        try await Self.store(20_000, of: Self.scope(0), in: cache, clock)
        for number in 0..<3 {
            try await Self.store(10_000, as: "value \(number)", of: .shared(.alpaca), in: cache, clock)
        }
        #expect(cache.cached(ExactText("value"), in: Self.scope(0)) == 20_000)
        #expect(cache.statistics.entries == 3)
        #expect(cache.statistics.freshEvictions == 1)
        #expect(memory.weight < 21_000)
    }

    @Test("the values of one connection have a bound; those that expire first are removed")
    func oneConnection() async throws {
        let clock = ManualClock()
        let memory = CacheMemory(limit: 1 << 20)
        let cache = Self.cache("charts", share: 50_000, in: memory, clock)
        for number in 0..<8 {
            try await Self.store(10_000, as: "chart \(number)", of: Self.scope(0), in: cache, clock)
            clock.advance(by: .milliseconds(1))
        }
        #expect(memory.weight <= 50_000)
        #expect(cache.cached(ExactText("chart 7"), in: Self.scope(0)) == 10_000)
        #expect(cache.cached(ExactText("chart 0"), in: Self.scope(0)) == nil)
    }

    @Test("a value that is renewed in a full connection removes no other value, and has its weight once")
    func renewed() async throws {
        let clock = ManualClock()
        let memory = CacheMemory(limit: 1 << 20)
        let cache = Self.cache("charts", share: 50_000, in: memory, clock)
        let names = (0..<4).map { "chart \($0)" }
        let queries = names.map(ExactText.init)
        try await Self.store(10_000, as: names[0], of: Self.scope(0), in: cache, clock)
        clock.advance(by: .milliseconds(1_500))
        for name in names.dropFirst() {
            try await Self.store(10_000, as: name, of: Self.scope(0), in: cache, clock)
        }
        let weight = memory.weight
        clock.advance(by: .seconds(1))
        #expect(cache.cached(queries, in: Self.scope(0)) == nil)
        try await Self.store(10_000, as: names[0], of: Self.scope(0), in: cache, clock)
        #expect(cache.cached(queries, in: Self.scope(0)) == [10_000, 10_000, 10_000, 10_000])
        #expect(memory.weight == weight)
        #expect(cache.statistics.entries == 4)
        #expect(cache.statistics.evictions == 0)
    }

    @Test("the values of a connection are returned together to its owner, if all are fresh")
    func together() async throws {
        let clock = ManualClock()
        let cache = Self.cache("quotes", in: CacheMemory(limit: 1 << 20), clock)
        let queries = ["a", "b"].map(ExactText.init)
        for (index, query) in queries.enumerated() {
            try await Self.store(index + 1, as: query.text, of: Self.scope(0), in: cache, clock)
        }
        let sameID = CacheScope.connection("connection 0", of: Self.users[1], at: .alpaca)
        let sameAtOther = CacheScope.connection("connection 0", of: Self.users[0], at: .saxo)
        #expect(cache.cached(queries, in: Self.scope(0)) == [1, 2])
        #expect(cache.cached([queries[1], queries[0], queries[1]], in: Self.scope(0)) == [2, 1, 2])
        #expect(cache.cached(queries + [ExactText("c")], in: Self.scope(0)) == nil)
        for scope in [Self.scope(1), sameID, sameAtOther] { #expect(cache.cached(queries, in: scope) == nil) }
        #expect(cache.statistics.hits == 5)
        clock.advance(by: .seconds(2))
        #expect(cache.cached(queries, in: Self.scope(0)) == nil)
    }

    @Test("no weight is left behind by values that expire, are replaced, or are invalidated")
    func weight() async throws {
        let clock = ManualClock()
        let memory = CacheMemory(limit: 1 << 20)
        let cache = Self.cache("quotes", in: memory, clock)
        for round in 0..<3 {
            for user in 0..<4 {
                try await Self.store(1_000 * (round + 1), of: Self.scope(user), in: cache, clock)
            }
            clock.advance(by: .seconds(3))
            _ = cache.cached(ExactText("value"), in: Self.scope(0))
        }
        for user in 0..<4 { cache.invalidate(privateTo: Self.users[user], at: .alpaca) }
        #expect(memory.weight == 0)
        #expect(cache.statistics.entries == 0)
    }
}
