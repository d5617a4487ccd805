import Synchronization

/// A bounded store that discards approximately the least recently used entries.
///
/// Every entry has a weight, and the total weight never exceeds the capacity. Entries are in two
/// generations: an entry that is used moves to the young one. When the young generation reaches half the
/// capacity, it becomes the old one, and the previous old one is discarded.
///
/// A mutex protects it, because the requests of all event loops share the store.
package final class BoundedStore<Key: Hashable & Sendable, Value: Sendable>: Sendable {
    private struct Entry {
        let value: Value
        let weight: Int
    }

    private struct Generations {
        var young: [Key: Entry] = [:]
        var youngWeight = 0
        var old: [Key: Entry] = [:]
    }

    private let halfCapacity: Int
    private let generations = Mutex(Generations())

    package init(capacity: Int) {
        halfCapacity = capacity / 2
    }

    package subscript(key: Key) -> Value? {
        generations.withLock { generations in
            if let entry = generations.young[key] { return entry.value }
            guard let entry = generations.old.removeValue(forKey: key) else { return nil }
            add(entry, key, to: &generations)
            return entry.value
        }
    }

    /// Stores a value and replaces the previous one of the key; a value heavier than half the capacity is
    /// not stored.
    package func store(_ value: Value, for key: Key, weight: Int) {
        generations.withLock { generations in
            generations.old[key] = nil
            if let previous = generations.young.removeValue(forKey: key) {
                generations.youngWeight -= previous.weight
            }
            guard weight <= halfCapacity else { return }
            add(Entry(value: value, weight: max(1, weight)), key, to: &generations)
        }
    }

    func remove(_ key: Key) {
        generations.withLock { generations in
            generations.old[key] = nil
            if let previous = generations.young.removeValue(forKey: key) {
                generations.youngWeight -= previous.weight
            }
        }
    }

    /// Removes the values that meet a condition; reads all values.
    func removeAll(where isRemoved: (Value) -> Bool) {
        generations.withLock { generations in
            generations.old = generations.old.filter { !isRemoved($0.value.value) }
            generations.young = generations.young.filter { !isRemoved($0.value.value) }
            generations.youngWeight = generations.young.values.reduce(0) { $0 + $1.weight }
        }
    }

    var count: Int { generations.withLock { $0.young.count + $0.old.count } }

    private func add(_ entry: Entry, _ key: Key, to generations: inout Generations) {
        if generations.youngWeight + entry.weight > halfCapacity {
            generations.old = generations.young
            generations.young = [:]
            generations.youngWeight = 0
        }
        generations.young[key] = entry
        generations.youngWeight += entry.weight
    }
}
