package import Brokerage
import Synchronization
package import Upstream

/// The cache of public values in Redis.
package final class RedisSharedCache: SharedCache {
    private let redis: SharedRedis
    private let clock: TimeSource
    // Set once.
    private let cache = Mutex<RedisCache?>(nil)

    /// - Parameters:
    ///   - redis: The server.
    ///   - clock: The clock of the values.
    package init(_ redis: SharedRedis, clock: TimeSource) { (self.redis, self.clock) = (redis, clock) }

    package func cache(of environments: [String]) -> (any PersistentCache)? {
        let new = RedisCache(redis.client, redis.keyspace(of: environments), clock: clock)
        cache.withLock { $0 = new }
        return new
    }

    package var metrics: [PartMetric] {
        let counts = cache.withLock { $0?.counts } ?? RedisCache.Counts()
        return [
            .counter("redis_hits_total", "Values that were found in Redis.", counts.hits),
            .counter("redis_misses_total", "Values that were not found in Redis.", counts.misses),
            .counter(
                "redis_waits_total", "Found values that another replica was requesting.", counts.waits),
            .counter("redis_writes_total", "Values that were stored in Redis.", counts.writes),
            .counter("redis_drops_total", "Values that could not be stored.", counts.drops),
        ]
    }
}
