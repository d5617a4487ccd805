import Synchronization

/// A bounded cache that forgets what has not been used for longest, about.
///
/// Entries live in two generations. What is used moves to the young one; when that holds half the capacity it
/// becomes the old one, and the old one is forgotten whole. So a look-up costs one or two of a dictionary, and
/// nothing is ever sorted or linked.
final class GenerationalCache<Key: Hashable & Sendable, Value: Sendable>: Sendable {
    private struct Generations {
        var young: [Key: Value] = [:]
        var old: [Key: Value] = [:]
    }

    private let halfCapacity: Int
    private let generations = Mutex(Generations())

    /// - Parameter capacity: the most entries that are ever kept; at least 2.
    init(capacity: Int) {
        halfCapacity = max(1, capacity / 2)
    }

    subscript(key: Key) -> Value? {
        get {
            generations.withLock { generations in
                if let value = generations.young[key] { return value }
                guard let value = generations.old.removeValue(forKey: key) else { return nil }
                keep(value, key, in: &generations)
                return value
            }
        }
        set {
            generations.withLock { generations in
                generations.old[key] = nil
                guard let newValue else {
                    generations.young[key] = nil
                    return
                }
                keep(newValue, key, in: &generations)
            }
        }
    }

    /// How many entries there are.
    var count: Int {
        generations.withLock { $0.young.count + $0.old.count }
    }

    private func keep(_ value: Value, _ key: Key, in generations: inout Generations) {
        if generations.young.count >= halfCapacity, generations.young[key] == nil {
            generations.old = generations.young
            generations.young = [:]
        }
        generations.young[key] = value
    }
}
