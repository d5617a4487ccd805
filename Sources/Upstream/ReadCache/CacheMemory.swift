import Synchronization

/// The memory of users' own values, which several caches share.
///
/// A cache may use all of it while the others need less. If it is full, the values of the cache that exceeds its share most
/// are removed, those of the connections that were not used for longest first.
@usableFromInline
package final class CacheMemory: Sendable {
    /// Enough for 10,000 active users with one account and twelve positions each; see `CacheMemoryTests`.
    package static let standardLimit = 192 << 20

    /// One of the caches.
    struct Member: Sendable {
        /// Its part of the memory if all caches need memory, in relation to the others; at least 1.
        let share: Int
        let weight: @Sendable () -> Int
        /// Removes values of at least one connection, up to a weight; returns the weight that was removed.
        let evict: @Sendable (_ weight: Int) -> Int
        let statistics: @Sendable () -> CacheStatistics?
    }

    package let limit: Int
    private let used = Atomic<Int>(0)
    // A lock, because caches are created on any thread; a cache is added once.
    private let members = Mutex<[Member]>([])

    package init(limit: Int = standardLimit) {
        self.limit = limit
    }

    /// The weight of all values of users.
    package var weight: Int { used.load(ordering: .relaxed) }

    /// The use of each cache, in the order in which they were created.
    package var statistics: [CacheStatistics] { members.withLock(\.self).compactMap { $0.statistics() } }

    func add(_ member: Member) { members.withLock { $0.append(member) } }

    /// Counts a change of the weight of a cache, and removes values if the limit is exceeded.
    ///
    /// The caller holds no lock of a cache.
    @usableFromInline
    func add(_ change: Int) {
        guard change != 0 else { return }
        var weight = used.wrappingAdd(change, ordering: .relaxed).newValue
        guard weight > limit, change > 0 else { return }
        let members = members.withLock(\.self)
        while weight > limit {
            let largest = members.map { ($0, Double($0.weight()) / Double($0.share)) }.max { $0.1 < $1.1 }
            guard let (member, excess) = largest, excess > 0 else { return }
            let removed = member.evict(weight - limit)
            guard removed > 0 else { return }
            weight = used.wrappingSubtract(removed, ordering: .relaxed).newValue
        }
    }
}

/// The use of one cache since the start of the process.
package struct CacheStatistics: Hashable, Sendable {
    package let name: String
    /// The number of values in memory.
    package var entries = 0
    /// Their approximate memory in bytes.
    package var bytes = 0
    /// The number of values that were returned from memory.
    package var hits = 0
    /// The number of values that were read and stored.
    package var stores = 0
    /// The number of values that were removed because the memory was full.
    package var evictions = 0
    /// Those of them that were still fresh: they may have been read again, by another call.
    package var freshEvictions = 0
}
