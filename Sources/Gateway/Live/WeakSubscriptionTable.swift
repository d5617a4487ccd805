import Upstream

/// Watches that go away with those who watch.
struct WeakSubscriptionTable<Watched: AnyObject & Sendable> {
    private struct Entry {
        weak var watch: Watched?
    }

    private var entries: [OwnerID: [SubscriptionKey.Target: Entry]] = [:]
    private var count = 0
    /// With so many, those are dropped whose watch is gone, rather than each time.
    private var bound = leastBound

    private static var leastBound: Int { 64 }

    subscript(key: SubscriptionKey) -> Watched? { entries[key.owner]?[key.subject]?.watch }

    func all(of owner: OwnerID) -> [Watched] {
        entries[owner]?.values.compactMap(\.watch) ?? []
    }

    mutating func add(_ watch: Watched, under key: SubscriptionKey) {
        if count >= bound {
            entries = entries.compactMapValues { own in
                let own = own.filter { $0.value.watch != nil }
                return own.isEmpty ? nil : own
            }
            count = entries.values.reduce(0) { $0 + $1.count }
            bound = max(Self.leastBound, count * 2)
        }
        if entries[key.owner, default: [:]].updateValue(Entry(watch: watch), forKey: key.subject) == nil {
            count += 1
        }
    }

    mutating func remove(_ key: SubscriptionKey) -> Watched? {
        guard let entry = entries[key.owner]?.removeValue(forKey: key.subject) else { return nil }
        count -= 1
        return entry.watch
    }
}
