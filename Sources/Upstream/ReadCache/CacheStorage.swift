public import PorticoCore

/// The stored entries of a ``ReadCache``: shared ones by their keys, those of users by connection.
///
/// All values of a connection are one element of an LRU cache: the look-up of the connection is done once for all values of a
/// read, and a key below it needs no owner. They are also removed together.
@usableFromInline
package struct CacheStorage<Query: CacheQuery, Value: Sendable>: Sendable {
    @usableFromInline package typealias Key = CacheKey<Query>
    @usableFromInline package typealias Entry = CacheEntry<Value>

    /// The values of one connection.
    ///
    /// A class, so that a change copies no table.
    // Sendable, although it changes: only the storage that contains it refers to it, which is behind the lock of the cache.
    @usableFromInline
    package final class OwnedEntries: @unchecked Sendable {
        @usableFromInline var entries: [Query: Weighted]
        @usableFromInline var weight: Int
        /// No entry expires later.
        @usableFromInline var latestEnd: ContinuousClock.Instant
        /// When expired entries were removed.
        @usableFromInline var sweptAt: ContinuousClock.Instant

        @inlinable
        init(weight: Int, at now: ContinuousClock.Instant) {
            (entries, self.weight, latestEnd, sweptAt) = ([:], weight, now, now)
        }
    }

    /// An entry with its weight.
    @usableFromInline
    package struct Weighted: Sendable {
        @usableFromInline let entry: Entry
        @usableFromInline let weight: Int

        @inlinable
        init(entry: Entry, weight: Int) { (self.entry, self.weight) = (entry, weight) }
    }

    @usableFromInline var shared: LRUCache<Key, Entry>
    @usableFromInline var owned: LRUCache<CacheScope, OwnedEntries>
    /// The most weight of one connection.
    @usableFromInline let ownedLimit: Int
    @usableFromInline var ownedWeight = 0
    @usableFromInline var ownedCount = 0
    @usableFromInline var hits = 0
    @usableFromInline var stores = 0
    @usableFromInline var evictions = 0
    @usableFromInline var freshEvictions = 0

    init(_ bounds: CacheBounds) {
        shared = LRUCache(maximumCount: bounds.entries, maximumWeight: bounds.bytes)
        owned = LRUCache(maximumCount: .max, maximumWeight: .max)
        ownedLimit = bounds.bytes
    }

    package var count: Int { shared.count + ownedCount }

    /// The weight of the values of users.
    @inlinable
    package var weightOfUsers: Int { ownedWeight }

    @inlinable
    mutating func entry(for key: Key) -> Entry? {
        key.scope.isPrivate
            ? connectionEntries(of: key.scope)?.entries[key.query]?.entry : shared.value(for: key)
    }

    /// The values of a connection; usually it was used just before, because the values of a read have one scope.
    @inlinable
    mutating func connectionEntries(of scope: CacheScope) -> OwnedEntries? {
        owned.newestValue(for: scope) ?? owned.value(for: scope)
    }

    /// The values of some queries in the scope of a connection, in their order, if all are fresh.
    ///
    /// The connection is looked up once.
    @inlinable
    mutating func freshValues(
        _ queries: [Query], ofConnection scope: CacheScope, at now: ContinuousClock.Instant,
        notBefore: ContinuousClock.Instant?
    ) -> [Value]? {
        guard let table = owned.value(for: scope) else { return nil }
        var values: [Value] = []
        values.reserveCapacity(queries.count)
        for query in queries {
            guard let entry = table.entries[query]?.entry,
                entry.freshness(at: now, notBefore: notBefore) == .fresh, let value = entry.value
            else { return nil }
            values.append(value)
        }
        hits &+= values.count
        return values
    }

    @inlinable
    mutating func update(_ key: Key, _ change: (Entry) -> Entry) {
        guard key.scope.isPrivate else { return shared.update(key) { $0 = change($0) } }
        guard let table = connectionEntries(of: key.scope), let known = table.entries[key.query] else {
            return
        }
        table.entries[key.query] = Weighted(entry: change(known.entry), weight: known.weight)
    }

    /// Stores an entry.
    ///
    /// - Parameters:
    ///   - entry: The entry.
    ///   - key: Its key.
    ///   - weight: The memory of its value in bytes, without that of the key.
    ///   - now: The present time, at which an entry that is removed instead may be fresh.
    @inlinable
    mutating func insert(_ entry: Entry, for key: Key, weight: Int, at now: ContinuousClock.Instant) {
        stores += 1
        guard key.scope.isPrivate else {
            var (removed, fresh) = (0, 0)
            shared.insert(entry, for: key, weight: weight + key.weight) { entry in
                removed += 1
                if entry.isFresh(at: now) { fresh += 1 }
            }
            evictions += removed
            freshEvictions += fresh
            return
        }
        let weight = weight + key.ownedWeight
        guard weight + key.scope.tableWeight <= ownedLimit else { return remove(key) }
        var known = connectionEntries(of: key.scope)
        if let table = known, table.weight + weight > ownedLimit {
            // The entry that is renewed needs no room.
            remove(key)
            if table.weight + weight > ownedLimit { makeRoom(for: weight, in: table, key.scope, at: now) }
            // Without its last entry the table is removed.
            known = connectionEntries(of: key.scope)
        }
        let table = known ?? OwnedEntries(weight: key.scope.tableWeight, at: now)
        if known == nil {
            owned.insert(table, for: key.scope, weight: 0)
            ownedWeight += table.weight
        } else if now - table.sweptAt >= Self.sweepInterval {
            removeExpired(in: table, at: now)
        }
        table.latestEnd = max(table.latestEnd, entry.end)
        // An entry that is renewed keeps its place.
        let old = table.entries.updateValue(Weighted(entry: entry, weight: weight), forKey: key.query)
        let added = weight - (old?.weight ?? 0)
        table.weight += added
        ownedWeight += added
        if old == nil { ownedCount += 1 }
    }

    @inlinable
    mutating func remove(_ key: Key) {
        guard key.scope.isPrivate else { return shared.remove(key) }
        guard let table = connectionEntries(of: key.scope),
            let removed = table.entries.removeValue(forKey: key.query)
        else { return }
        table.weight -= removed.weight
        ownedWeight -= removed.weight
        ownedCount -= 1
        if table.entries.isEmpty { remove(key.scope) }
    }

    @inlinable
    mutating func remove(_ scope: CacheScope) {
        guard let table = connectionEntries(of: scope) else { return }
        ownedWeight -= table.weight
        ownedCount -= table.entries.count
        owned.remove(scope)
    }

    /// Removes the entries of a connection that expire first, until half of its limit is free.
    @usableFromInline
    mutating func makeRoom(
        for weight: Int, in table: OwnedEntries, _ scope: CacheScope, at now: ContinuousClock.Instant
    ) {
        let limit = min(ownedLimit - weight, ownedLimit / 2)
        for (query, known) in table.entries.sorted(by: { $0.value.entry.end < $1.value.entry.end }) {
            if table.weight <= limit { return }
            evictions += 1
            if known.entry.isFresh(at: now) { freshEvictions += 1 }
            remove(Key(query, in: scope))
        }
    }

    /// The time after which a connection that stores a value is searched for expired ones.
    @usableFromInline static var sweepInterval: Duration { .seconds(60) }

    /// Removes the expired entries of a connection that gets another one.
    @usableFromInline
    mutating func removeExpired(in table: OwnedEntries, at now: ContinuousClock.Instant) {
        table.sweptAt = now
        for (query, known) in table.entries where known.entry.end <= now {
            table.entries.removeValue(forKey: query)
            table.weight -= known.weight
            ownedWeight -= known.weight
            ownedCount -= 1
        }
    }

    /// Removes expired shared entries, beginning with the least recently used one, up to a limit; and connections of which
    /// all entries have expired.
    @inlinable
    mutating func removeExpired(atMost limit: Int, at now: ContinuousClock.Instant) {
        shared.removeOldest(atMost: limit) { $0.end <= now }
        for _ in 0..<limit {
            guard let (scope, table) = owned.oldestElement, table.latestEnd <= now else { return }
            remove(scope)
        }
    }

    /// Removes the values of the connections that were not used for longest, up to a weight.
    ///
    /// - Returns: The weight that was removed; 0 if there is no value of a user.
    mutating func evict(_ weight: Int, at now: ContinuousClock.Instant) -> Int {
        let before = ownedWeight
        repeat {
            guard let (scope, table) = owned.oldestElement else { break }
            evictions += table.entries.count
            freshEvictions += table.entries.count { $0.value.entry.isFresh(at: now) }
            remove(scope)
        } while before - ownedWeight < weight
        return before - ownedWeight
    }

    /// Removes all values of connections.
    mutating func removeAll(where isRemoved: (CacheScope) -> Bool) {
        var scopes: [CacheScope] = []
        owned.removeAll { scope, _ in
            if isRemoved(scope) { scopes.append(scope) }
            return false
        }
        for scope in scopes { remove(scope) }
    }

    func statistics(named name: String) -> CacheStatistics {
        var statistics = CacheStatistics(name: name)
        (statistics.entries, statistics.bytes) = (count, shared.weight + ownedWeight)
        (statistics.hits, statistics.stores) = (hits, stores)
        (statistics.evictions, statistics.freshEvictions) = (evictions, freshEvictions)
        return statistics
    }
}

extension CacheKey {
    /// The approximate memory in bytes of the query and of its entry in the table of a connection.
    @usableFromInline var ownedWeight: Int { 160 + query.cacheName.utf8.count }
}

extension CacheScope {
    /// The approximate memory in bytes of a connection's table without its entries.
    @usableFromInline var tableWeight: Int { 256 + weight }
}
