import Brokerage
import PorticoCore
import Synchronization

extension ReadCache {
    /// The fresh values of the queries of a read that an earlier or another process stored.
    ///
    /// Values that are not fresh are put in memory, for use if the call fails.
    @usableFromInline
    func restore(
        _ queries: [Query], of readID: Int, in scope: CacheScope, for call: CallContext
    ) async -> [Query: Value] {
        guard let persistence else { return [:] }
        let queryByName = Dictionary(
            queries.compactMap { query in persistence.key(of: query, in: scope).map { ($0, query) } },
            uniquingKeysWith: { first, _ in first })
        if queryByName.isEmpty { return [:] }
        let stored = await persistence.cache.load(Array(queryByName.keys))
        let (now, wallTime) = (time.now(), time.wallTime())
        var fresh: [Query: Value] = [:]
        var restored: [(Key, Entry, weight: Int)] = []
        for (name, persisted) in stored {
            // The age of a value is unknown if the clock has been set back since it was read.
            guard let query = queryByName[name], persisted.readAt <= wallTime,
                wallTime < persisted.staleUntil,
                let value = persistence.decode(persisted.bytes)
            else { continue }
            if wallTime < persisted.freshUntil { fresh[query] = value }
            let key = Key(query, in: scope)
            let entry = Entry(value, restoredFrom: persisted, at: now, wallTime)
            restored.append((key, entry, weight(value)))
        }
        update { [restored] state in
            for (key, entry, weight) in restored
            where state.inFlightReads.isInFlight(key.query, in: scope, readID) {
                if let known = state.entries.entry(for: key), known.requestedAt >= entry.requestedAt {
                    continue
                }
                state.entries.insert(entry, for: key, weight: weight, at: now)
            }
        }
        if !fresh.isEmpty { record(.cached, in: scope, at: now, for: call) }
        return fresh
    }

    /// Ends the claims of queries whose read has ended, except of those that were persisted.
    @usableFromInline
    func release(_ queries: [Query], in scope: CacheScope) {
        guard let persistence, persistence.cache.isShared else { return }
        persistence.cache.release(queries.compactMap { persistence.key(of: $0, in: scope) })
    }

    /// Persists values that were just read, if they are for everybody and the cache stores those of the provider.
    @usableFromInline
    func persist(_ queries: [Query], in scope: CacheScope, _ values: [Query: Value]) {
        guard let persistence else { return }
        let now = time.wallTime()
        var entries: [PersistentCacheKey: PersistentCacheEntry] = [:]
        for query in queries {
            guard let value = values[query],
                let name = persistence.key(of: query, in: scope)
            else { continue }
            let lifetime = freshness.lifetime(value, now)
            entries[name] = PersistentCacheEntry(
                bytes: persistence.encode(value), readAt: now, freshUntil: now + lifetime.fresh,
                renewableUntil: persistence.cache.isShared
                    ? now + lifetime.fresh + lifetime.whileRevalidating : nil,
                staleUntil: now + lifetime.end)
        }
        if !entries.isEmpty { persistence.cache.save(entries) }
    }
}
