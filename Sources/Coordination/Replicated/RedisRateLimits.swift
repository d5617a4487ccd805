import Redis
import Synchronization

/// The rates of clients over all replicas, through Redis.
package final class RedisRateLimits: RateLimits {
    private let redis: SharedRedis
    private let merge: RedisLimitMerge
    private let mergedClients = Atomic(0)

    package init(_ redis: SharedRedis) {
        self.redis = redis
        merge = RedisLimitMerge(redis.client, redis.keyspace)
    }

    package var processes: Int { 1 + redis.peerCount }

    package func add(_ spent: [String: Duration]) async -> [String: Duration]? {
        guard let debts = try? await merge.add(spent) else { return nil }
        mergedClients.add(spent.count, ordering: .relaxed)
        return redis.client.isUp ? debts : nil
    }

    package var metrics: [PartMetric] {
        [
            .counter(
                "redis_merged_clients_total", "Merges of limits, each of one client.",
                mergedClients.load(ordering: .relaxed))
        ]
    }
}
