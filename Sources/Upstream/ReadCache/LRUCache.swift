/// A dictionary with bounds: what was not used for the longest time goes first.
///
/// The order is a doubly linked list through an array, so each operation takes constant time. A look-up is inlinable:
/// other modules specialise it with the types of their queries and values.
@usableFromInline
package struct LRUCache<Key: Hashable, Value> {
    /// Kept apart from the values, which are all that a look-up copies.
    private struct Label {
        var key: Key?
        var weight = 0
    }

    /// Neighbours by their places; numbers apart from the items, so that moving one touches no reference counts.
    @usableFromInline
    struct Link {
        /// Towards the most recently used, ``none`` at the end.
        @usableFromInline var newer = none
        @usableFromInline var older = none
    }

    @inlinable static var none: Int { -1 }

    @usableFromInline var values: [Value?] = []
    private var labels: [Label] = []
    @usableFromInline var links: [Link] = []
    private var free: [Int] = []
    @usableFromInline var slots: [Key: Int] = [:]
    @usableFromInline var newest = none
    @usableFromInline var oldest = none
    package private(set) var weight = 0
    private let maximumCount: Int
    private let maximumWeight: Int

    package init(maximumCount: Int, maximumWeight: Int) {
        self.maximumCount = maximumCount
        self.maximumWeight = maximumWeight
    }

    package var count: Int { slots.count }

    /// The value, which counts as used now.
    @inlinable
    package mutating func value(for key: Key) -> Value? {
        guard let place = slots[key] else { return nil }
        if newest != place {
            unlink(place)
            link(place)
        }
        return values[place]
    }

    /// Changes a value where it is; that counts as no use.
    mutating func update(_ key: Key, _ change: (inout Value) -> Void) {
        guard let place = slots[key], var value = values[place] else { return }
        change(&value)
        values[place] = value
    }

    /// Puts a value in, and as many out as the bounds demand.
    ///
    /// One that is heavier than all may be together stays out.
    package mutating func insert(_ value: Value, for key: Key, weight: Int) {
        remove(key)
        guard weight <= maximumWeight, maximumCount > 0 else { return }
        while count >= maximumCount || self.weight > maximumWeight - weight {
            guard oldest != Self.none, let key = labels[oldest].key else { break }
            remove(key)
        }
        let place = vacancy()
        values[place] = value
        labels[place] = Label(key: key, weight: weight)
        slots[key] = place
        self.weight += weight
        link(place)
    }

    /// Removes values that are not needed, beginning with the least recently used one, up to a limit.
    package mutating func removeOldest(atMost limit: Int, while isUseless: (Value) -> Bool) {
        for _ in 0..<limit {
            guard oldest != Self.none, let key = labels[oldest].key, let value = values[oldest],
                isUseless(value)
            else { return }
            remove(key)
        }
    }

    @usableFromInline
    package mutating func remove(_ key: Key) {
        guard let place = slots.removeValue(forKey: key) else { return }
        weight -= labels[place].weight
        unlink(place)
        values[place] = nil
        labels[place] = Label()
        free.append(place)
    }

    package mutating func removeAll(where isUnwanted: (Key) -> Bool) {
        for key in slots.keys.filter(isUnwanted) { remove(key) }
    }

    private mutating func vacancy() -> Int {
        if let place = free.popLast() { return place }
        values.append(nil)
        labels.append(Label())
        links.append(Link())
        return values.count - 1
    }

    @inlinable
    mutating func unlink(_ place: Int) {
        let link = links[place]
        if link.newer == Self.none { newest = link.older } else { links[link.newer].older = link.older }
        if link.older == Self.none { oldest = link.newer } else { links[link.older].newer = link.newer }
    }

    /// Makes an unlinked place the newest.
    @inlinable
    mutating func link(_ place: Int) {
        links[place].newer = Self.none
        links[place].older = newest
        if newest == Self.none { oldest = place } else { links[newest].newer = place }
        newest = place
    }
}
