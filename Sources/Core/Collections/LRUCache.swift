/// A cache with bounds of the number of its values and of their weight, which removes the least recently used
/// values first.
///
/// The order is a doubly linked list in an array, so each operation takes constant time. The type and its functions
/// are public, because the compiler specializes only public functions of another module.
public struct LRUCache<Key: Hashable, Value> {
    /// Not stored with the values: a look-up by hash copies only these.
    @usableFromInline
    struct Label {
        @usableFromInline var key: Key?
        @usableFromInline var weight = 0

        @inlinable
        init(key: Key? = nil, weight: Int = 0) { (self.key, self.weight) = (key, weight) }
    }

    /// The slots of the neighbours in the order of use.
    ///
    /// They are not stored with the values, so that a change of the order changes no reference counts.
    @usableFromInline
    struct Link: Sendable {
        /// ``none`` for the most recently used value.
        @usableFromInline var newer = none
        @usableFromInline var older = none

        @inlinable
        init() {}
    }

    @inlinable static var none: Int { -1 }

    @usableFromInline var values: [Value?] = []
    @usableFromInline var labels: [Label] = []
    @usableFromInline var links: [Link] = []
    @usableFromInline var free: [Int] = []
    @usableFromInline var slots: [Key: Int] = [:]
    @usableFromInline var newest = none
    @usableFromInline var oldest = none
    @usableFromInline package private(set) var weight = 0
    @usableFromInline let maximumCount: Int
    @usableFromInline let maximumWeight: Int

    package init(maximumCount: Int, maximumWeight: Int) {
        self.maximumCount = maximumCount
        self.maximumWeight = maximumWeight
    }

    @inlinable package var count: Int { slots.count }

    /// The most recently used value, if it has this key, which is compared and not hashed.
    @inlinable
    public func newestValue(for key: Key) -> Value? {
        guard newest != Self.none, labels[newest].key == key else { return nil }
        return values[newest]
    }

    /// Returns a value and makes it the most recently used one.
    @inlinable
    public mutating func value(for key: Key) -> Value? {
        guard let slot = slots[key] else { return nil }
        if newest != slot {
            unlink(slot)
            link(slot)
        }
        return values[slot]
    }

    /// Changes a value; the order of use does not change.
    @inlinable
    public mutating func update(_ key: Key, _ change: (inout Value) -> Void) {
        guard let slot = slots[key], var value = values[slot] else { return }
        change(&value)
        values[slot] = value
    }

    /// Stores a value, and removes others if a bound demands it; a value that is heavier than the bound is not
    /// stored.
    ///
    /// `willEvict` is called with each value that a bound removes.
    @inlinable
    public mutating func insert(
        _ value: Value, for key: Key, weight: Int, willEvict: (Value) -> Void = { _ in }
    ) {
        remove(key)
        guard weight <= maximumWeight, maximumCount > 0 else { return }
        while count >= maximumCount || self.weight > maximumWeight - weight {
            guard oldest != Self.none, let key = labels[oldest].key else { break }
            if let value = values[oldest] { willEvict(value) }
            remove(key)
        }
        let slot = freeSlot()
        values[slot] = value
        labels[slot] = Label(key: key, weight: weight)
        slots[key] = slot
        self.weight += weight
        link(slot)
    }

    /// Removes values that are not needed, beginning with the least recently used one, up to a limit.
    @inlinable
    public mutating func removeOldest(atMost limit: Int, while isUnneeded: (Value) -> Bool) {
        for _ in 0..<limit {
            guard oldest != Self.none, let key = labels[oldest].key, let value = values[oldest],
                isUnneeded(value)
            else { return }
            remove(key)
        }
    }

    /// The least recently used value with its key; nil if there is none.
    @inlinable public var oldestElement: (key: Key, value: Value)? {
        guard oldest != Self.none, let key = labels[oldest].key, let value = values[oldest] else {
            return nil
        }
        return (key, value)
    }

    /// Removes a value; does nothing without one.
    @inlinable
    public mutating func remove(_ key: Key) {
        guard let slot = slots.removeValue(forKey: key) else { return }
        weight -= labels[slot].weight
        unlink(slot)
        values[slot] = nil
        labels[slot] = Label()
        free.append(slot)
    }

    /// Removes the values that meet a condition; reads all values.
    package mutating func removeAll(where isUnneeded: (Key, Value) -> Bool) {
        let unneeded = slots.filter { key, slot in values[slot].map { isUnneeded(key, $0) } ?? false }
        for key in unneeded.keys { remove(key) }
    }

    @inlinable
    mutating func freeSlot() -> Int {
        if let slot = free.popLast() { return slot }
        values.append(nil)
        labels.append(Label())
        links.append(Link())
        return values.count - 1
    }

    @inlinable
    mutating func unlink(_ slot: Int) {
        let link = links[slot]
        if link.newer == Self.none { newest = link.older } else { links[link.newer].older = link.older }
        if link.older == Self.none { oldest = link.newer } else { links[link.older].newer = link.newer }
    }

    /// Makes an unlinked slot the newest.
    @inlinable
    mutating func link(_ slot: Int) {
        links[slot].newer = Self.none
        links[slot].older = newest
        if newest == Self.none { oldest = slot } else { links[newest].newer = slot }
        newest = slot
    }
}

extension LRUCache: Sendable where Key: Sendable, Value: Sendable {}
extension LRUCache.Label: Sendable where Key: Sendable {}
