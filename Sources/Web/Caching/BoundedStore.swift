import Synchronization

/// A bounded store that forgets what has not been used for longest, about.
///
/// What is kept has a weight, and all of it together weighs no more than the capacity. Entries live in two
/// generations: what is used moves to the young one, which becomes the old one when it weighs half the capacity; the
/// old one is forgotten whole.
///
/// A lock, because the requests of all event loops share the store.
final class BoundedStore<Key: Hashable & Sendable, Value: Sendable>: Sendable {
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

    init(capacity: Int) {
        halfCapacity = capacity / 2
    }

    subscript(key: Key) -> Value? {
        generations.withLock { generations in
            if let entry = generations.young[key] { return entry.value }
            guard let entry = generations.old.removeValue(forKey: key) else { return nil }
            add(entry, key, to: &generations)
            return entry.value
        }
    }

    /// Keeps a value, in place of another one of its key; not where it weighs more than half the capacity.
    func store(_ value: Value, for key: Key, weight: Int) {
        generations.withLock { generations in
            generations.old[key] = nil
            if let known = generations.young.removeValue(forKey: key) {
                generations.youngWeight -= known.weight
            }
            guard weight <= halfCapacity else { return }
            add(Entry(value: value, weight: max(1, weight)), key, to: &generations)
        }
    }

    func remove(_ key: Key) {
        generations.withLock { generations in
            generations.old[key] = nil
            if let known = generations.young.removeValue(forKey: key) {
                generations.youngWeight -= known.weight
            }
        }
    }

    /// Removes the values that meet a condition; reads all values.
    func removeAll(where isUseless: (Value) -> Bool) {
        generations.withLock { generations in
            generations.old = generations.old.filter { !isUseless($0.value.value) }
            generations.young = generations.young.filter { !isUseless($0.value.value) }
            generations.youngWeight = generations.young.values.reduce(0) { $0 + $1.weight }
        }
    }

    /// The number of values.
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
