/// A table of bounded size that several owners share.
///
/// A new entry of an owner that has its share removes the owner's own oldest entry. In a full table it removes the oldest
/// entry of the owner with the most entries, which is the owner itself if no other one has more. So an owner removes
/// entries of owners with more entries only.
///
/// The entries of an owner are a linked list, so each operation on one entry takes constant time.
package struct SharedTable<Owner: Hashable, Key: Hashable, Value> {
    private struct Entry {
        let owner: Owner
        let value: Value
        /// The neighbours among the entries of the owner.
        var older: Key?
        var newer: Key?
    }

    /// The entries of one owner.
    private struct Entries {
        var count = 0
        var oldest: Key?
        var newest: Key?
    }

    private let maximum: Int
    private let share: Int
    private var entries: [Key: Entry] = [:]
    private var byOwner: [Owner: Entries] = [:]
    /// The owners by the number of their entries.
    private var ownersByCount: [Int: Set<Owner>] = [:]
    /// The highest number of entries of an owner.
    private var largest = 0

    /// - Parameters:
    ///   - maximum: The number of entries.
    ///   - share: The number of entries of one owner.
    package init(maximum: Int = .max, share: Int = .max) {
        (self.maximum, self.share) = (max(1, maximum), max(1, share))
    }

    package var count: Int { entries.count }

    package var values: [Value] { entries.values.map(\.value) }

    /// The owners with entries.
    package var owners: [Owner] { Array(byOwner.keys) }

    package func count(of owner: Owner) -> Int { byOwner[owner]?.count ?? 0 }

    package func value(for key: Key) -> Value? { entries[key]?.value }

    /// The oldest entry of the owner with the most entries; nil if no owner has more than a count.
    package func oldestKey(ofOwnersWithMoreThan count: Int) -> Key? {
        guard largest > count, let owner = ownersByCount[largest]?.first else { return nil }
        return byOwner[owner]?.oldest
    }

    /// Adds the newest entry of an owner.
    ///
    /// - Returns: The values that were removed: the one that made room, and the earlier value of the key.
    @discardableResult
    package mutating func insert(_ value: Value, for key: Key, of owner: Owner) -> [Value] {
        var removed = [remove(key)]
        let own = count(of: owner)
        if own >= share || entries.count >= maximum {
            let other = own >= share ? nil : oldestKey(ofOwnersWithMoreThan: own)
            removed.append((other ?? byOwner[owner]?.oldest).flatMap { remove($0) })
        }
        var list = byOwner[owner] ?? Entries()
        if let newest = list.newest { entries[newest]?.newer = key }
        entries[key] = Entry(owner: owner, value: value, older: list.newest)
        list.oldest = list.oldest ?? key
        list.newest = key
        list.count += 1
        store(list, of: owner)
        return removed.compactMap(\.self)
    }

    @discardableResult
    package mutating func remove(_ key: Key) -> Value? {
        guard let entry = entries.removeValue(forKey: key), var list = byOwner[entry.owner] else {
            return nil
        }
        if let older = entry.older { entries[older]?.newer = entry.newer } else { list.oldest = entry.newer }
        if let newer = entry.newer { entries[newer]?.older = entry.older } else { list.newest = entry.older }
        list.count -= 1
        store(list, of: entry.owner)
        return entry.value
    }

    /// Removes the entries of an owner, the oldest first.
    @discardableResult
    package mutating func removeAll(of owner: Owner) -> [Value] {
        var removed: [Value] = []
        while let key = byOwner[owner]?.oldest, let value = remove(key) { removed.append(value) }
        return removed
    }

    /// Removes the entries that meet a condition; reads all entries.
    @discardableResult
    package mutating func removeAll(where isUnneeded: (Value) -> Bool) -> [Value] {
        entries.filter { isUnneeded($0.value.value) }.compactMap { remove($0.key) }
    }

    /// Stores the list of an owner, one entry longer or shorter than before.
    private mutating func store(_ list: Entries, of owner: Owner) {
        let old = count(of: owner)
        ownersByCount[old]?.remove(owner)
        if ownersByCount[old]?.isEmpty == true { ownersByCount[old] = nil }
        byOwner[owner] = list.count > 0 ? list : nil
        if list.count > 0 { ownersByCount[list.count, default: []].insert(owner) }
        largest = max(largest, list.count)
        if ownersByCount[largest] == nil { largest -= 1 }
    }
}
