import Brokerage
import Synchronization

extension ReadStore {
    /// The values of a flight's keys that outlived an earlier process and are fresh.
    ///
    /// Those that are of some use only are put in memory, for when the call fails.
    func restore(_ departure: ReadPlan.Departure, in context: CallContext) async -> [CacheKey: any Sendable] {
        guard let shelf = kind.persistentTable else { return [:] }
        let names = Dictionary(
            departure.keys.compactMap { key in shelf.name(of: key).map { ($0, key) } },
            uniquingKeysWith: { first, _ in first })
        if names.isEmpty { return [:] }
        let found = await shelf.cache.load(Array(names.keys))
        let (now, wallTime) = (clock.now(), clock.wallTime())
        var fresh: [CacheKey: any Sendable] = [:]
        var restored: [(CacheKey, CacheEntry, weight: Int)] = []
        for (name, lasting) in found {
            // What was read later than now was read by a clock that has been set back since: nobody knows its age.
            guard let key = names[name], lasting.readAt <= wallTime, wallTime < lasting.staleUntil,
                let value = shelf.decode(lasting.bytes)
            else { continue }
            if wallTime < lasting.freshUntil { fresh[key] = value }
            let kept = CacheEntry(value, restoredFrom: lasting, at: now, wallTime)
            restored.append((key, kept, kind.weight(value) + key.weight))
        }
        state.withLock { state in
            for (key, kept, weight) in restored where state.inFlightReads.isInFlight(key, departure.readID) {
                if let known = state.cache.value(for: key), known.requestedAt >= kept.requestedAt { continue }
                state.cache.insert(kept, for: key, weight: weight)
            }
        }
        if !fresh.isEmpty { record(.cached, Array(fresh.keys), at: now, in: context) }
        return fresh
    }

    /// Has values that were just read outlive the process, if they are of a scarce provider.
    func persist(_ keys: [CacheKey], _ landing: InFlightReads.Landing) {
        guard let shelf = kind.persistentTable else { return }
        let now = clock.wallTime()
        var lasting: [PersistentCacheKey: PersistentCacheEntry] = [:]
        for key in keys {
            guard let value = landing.values[key], let name = shelf.name(of: key),
                let bytes = shelf.encode(value)
            else { continue }
            let lifetime = kind.lifetime(value, now)
            lasting[name] = PersistentCacheEntry(
                bytes: bytes, readAt: now, freshUntil: now + lifetime.fresh, staleUntil: now + lifetime.end)
        }
        if !lasting.isEmpty { shelf.cache.save(lasting) }
    }
}
