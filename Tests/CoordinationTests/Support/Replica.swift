import Brokerage
import Coordination
import EngineTestSupport
import Redis
import Synchronization
import TestSupport
import Upstream

/// The reads of one replica, over a cache that it shares with others.
struct Replica {
    let client: RunningClient
    let cache: RedisCache
    let reads: ReadCache<Symbol, Quote>
    let calls: Calls

    /// The provider that all replicas call, with the number of its calls.
    final class Calls: Sendable {
        private let state = Mutex(0)

        var count: Int { state.withLock { $0 } }

        func add() -> Int {
            state.withLock { count in
                count += 1
                return count
            }
        }
    }

    static let lifetime = CacheLifetime(
        fresh: .seconds(60), whileRevalidating: .seconds(60), ifError: .seconds(600))

    init(
        _ client: RunningClient, _ keyspace: RedisKeyspace, _ calls: Calls,
        limits: RedisCache.Limits = Replica.limits, lifetime: CacheLifetime = Replica.lifetime,
        clock: TimeSource = .system
    ) {
        self.client = client
        self.calls = calls
        cache = RedisCache(client.client, keyspace, limits, clock: clock)
        reads = ReadCache(
            "quotes", CacheBounds(bytes: 1 << 20),
            freshness: FreshnessPolicy(\.provenance) { _, _ in lifetime },
            persistence: PersistentCacheTable(cache), time: clock)
    }

    /// Long enough for a machine with many tests.
    static var limits: RedisCache.Limits {
        var limits = RedisCache.Limits()
        limits.claim = .seconds(60)
        limits.wait = .seconds(60)
        limits.pollInterval = .milliseconds(5)
        return limits
    }

    /// Reads a quote whose price is the number of the call that read it.
    ///
    /// - Parameters:
    ///   - symbol: The symbol.
    ///   - scope: The scope.
    ///   - failure: The failure of the provider; nil for a response.
    ///   - whileCalling: Executed before the provider responds.
    /// - Returns: The quote.
    /// - Throws: The failure of the provider.
    func read(
        _ symbol: Symbol, in scope: CacheScope = .shared(.alpaca),
        failing failure: ProviderFailure.Cause? = nil,
        whileCalling: @escaping @Sendable () async -> Void = {}
    ) async throws -> Quote {
        let call = CallContext(deadline: .now + .seconds(60))
        return try await reads.read(symbol, in: scope, for: call) {
            [calls] _ throws(ProviderFailure) in
            let number = calls.add()
            await whileCalling()
            if let failure { throw ProviderFailure(scope.provider, failure) }
            var quote = Quote(
                symbol: symbol, provenance: Provenance(source: scope.provider, fetchedAt: .now))
            quote.price = Decimal(number)
            return quote
        }
    }

    /// Waits until values have been stored.
    func waitForWrites(_ count: Int) async throws {
        try await waitUntil { cache.counts.writes >= count }
    }
}
