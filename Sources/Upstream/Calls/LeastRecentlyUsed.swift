/// A dictionary with bounds: what was not used for the longest time goes first.
///
/// The order is a doubly linked list through an array, so each operation takes constant time.
struct LeastRecentlyUsed<Key: Hashable, Value> {
    private struct Node {
        var key: Key
        var value: Value
        var weight: Int
        /// Towards the most recently used.
        var newer: Int?
        var older: Int?
    }

    private var nodes: [Node?] = []
    private var free: [Int] = []
    private var places: [Key: Int] = [:]
    private var newest: Int?
    private var oldest: Int?
    private(set) var weight = 0
    private let maximumCount: Int
    private let maximumWeight: Int

    init(maximumCount: Int, maximumWeight: Int) {
        self.maximumCount = maximumCount
        self.maximumWeight = maximumWeight
    }

    var count: Int { places.count }

    /// The value, which counts as used now.
    mutating func value(for key: Key) -> Value? {
        guard let place = places[key], let node = nodes[place] else { return nil }
        if newest != place {
            unlink(place)
            link(place)
        }
        return node.value
    }

    /// Puts a value in, and as many out as the bounds demand.
    ///
    /// One that is heavier than all may be together stays out.
    mutating func insert(_ value: Value, for key: Key, weight: Int) {
        remove(key)
        guard weight <= maximumWeight, maximumCount > 0 else { return }
        while count >= maximumCount || self.weight > maximumWeight - weight {
            guard let oldest, let key = nodes[oldest]?.key else { break }
            remove(key)
        }
        let node = Node(key: key, value: value, weight: weight)
        let place: Int
        if let reused = free.popLast() {
            place = reused
            nodes[place] = node
        } else {
            place = nodes.count
            nodes.append(node)
        }
        places[key] = place
        self.weight += weight
        link(place)
    }

    mutating func remove(_ key: Key) {
        guard let place = places.removeValue(forKey: key) else { return }
        weight -= nodes[place]?.weight ?? 0
        unlink(place)
        nodes[place] = nil
        free.append(place)
    }

    mutating func removeAll(where isUnwanted: (Key) -> Bool) {
        for key in places.keys.filter(isUnwanted) { remove(key) }
    }

    private mutating func unlink(_ place: Int) {
        guard let node = nodes[place] else { return }
        if let newer = node.newer { nodes[newer]?.older = node.older } else { newest = node.older }
        if let older = node.older { nodes[older]?.newer = node.newer } else { oldest = node.newer }
    }

    /// Makes an unlinked node the newest.
    private mutating func link(_ place: Int) {
        nodes[place]?.newer = nil
        nodes[place]?.older = newest
        if let newest { nodes[newest]?.newer = place } else { oldest = place }
        newest = place
    }
}
