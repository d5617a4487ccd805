package import Brokerage
package import Storage
package import Upstream

/// What the processes of an installation share, and how one process does the same alone.
///
/// Each part is a protocol with its contract, which also says what still works without PostgreSQL or Redis. The folder
/// `InProcess` has the implementation of a process alone, `Replicated` that of several. PostgreSQL is the system of record;
/// Redis only adds speed, and may fail.
package struct Coordination: Sendable {
    package let quotas: any Quotas
    package let attempts: any Attempts
    package let leases: any Leases
    package let membership: any Membership
    package let sharedCache: any SharedCache
    package let priceStreams: any PriceStreams
    package let rateLimits: any RateLimits
    /// Nil without Redis.
    package let redis: SharedRedis?

    /// One process.
    ///
    /// - Parameters:
    ///   - quotas: The counts of calls.
    ///   - cache: The stored public values; nil if they are only in memory.
    ///   - redis: Redis, for values and rates; nil for none.
    ///   - clock: The clock of values in Redis.
    /// - Returns: The parts of the process.
    package static func singleProcess(
        quotas: QuotaLedger = QuotaLedger(), cache: SQLitePersistentCache? = nil, redis: SharedRedis? = nil,
        clock: TimeSource = .system
    ) -> Coordination {
        let alone = SoleProcess()
        return Coordination(
            quotas: quotas, attempts: LocalAttempts(), leases: alone, membership: alone,
            sharedCache: redis.map { RedisSharedCache($0, clock: clock) } ?? LocalCache(cache),
            priceStreams: alone, rateLimits: redis.map(RedisRateLimits.init) ?? alone, redis: redis)
    }

    /// One of several processes with a PostgreSQL database; reports it to the others, and blocks the thread.
    ///
    /// - Parameters:
    ///   - postgres: The database.
    ///   - redis: Redis; nil for none.
    ///   - version: The version of this binary, for operators.
    ///   - clock: The clocks of calls and values.
    ///   - report: Called if the count of a call cannot be corrected.
    /// - Returns: The parts that the processes share.
    /// - Throws: The error of the database.
    package static func replicated(
        _ postgres: UserDatabase, redis: SharedRedis? = nil, version: String, clock: TimeSource = .system,
        report: @escaping @Sendable (StorageError) -> Void = { _ in }
    ) throws(StorageError) -> Coordination {
        let membership = ReplicaMembership(in: postgres, version: version)
        try membership.join()
        let leases = LeaseStore(in: postgres, of: membership.processID)
        return Coordination(
            quotas: PostgresQuota(in: postgres, clock: clock, report: report),
            attempts: AttemptStore(in: postgres), leases: leases,
            membership: membership,
            sharedCache: redis.map { RedisSharedCache($0, clock: clock) } ?? LocalCache(nil),
            priceStreams: redis.map { RedisPriceStreams(redis: $0, leases: leases, clock: clock) }
                ?? SoleProcess(),
            rateLimits: redis.map(RedisRateLimits.init) ?? SoleProcess(), redis: redis)
    }

    /// In the order in which they report: the others need this process's report first.
    private var parts: [any CoordinationPart] {
        let parts: [any CoordinationPart] = [
            membership, leases, quotas, attempts, priceStreams,
        ]
        return parts + (redis.map { [$0] } ?? []) + [sharedCache, rateLimits]
    }

    package var states: [PartState] { parts.flatMap(\.states) }
    package var metrics: [PartMetric] { parts.flatMap(\.metrics) }

    /// Reports this process to the others, and reads the state that they have changed.
    package func refresh() async throws(StorageError) {
        for part in parts { try await part.refresh() }
    }

    /// Deletes what ended long ago.
    package func deleteOld() async throws(StorageError) {
        for part in parts { try await part.deleteOld() }
    }
}
