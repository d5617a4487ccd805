/// A hash table with open addressing of the keys of a large JSON object, to find a duplicate key.
///
/// It stores fingerprints, see ``JSONKey/fingerprint``.
struct JSONKeyTable {
    /// The slots, 0 for a free one.
    ///
    /// Their number is a power of two, and at most half of them are used.
    private var slots = [UInt64](repeating: 0, count: 256)
    private var count = 0

    /// Inserts a fingerprint; returns false if the table contains it.
    mutating func insert(_ fingerprint: UInt64) -> Bool {
        if count &* 2 >= slots.count { grow() }
        // 0 is the value of a free slot.
        let fingerprint = max(fingerprint, 1)
        let slot = freeSlot(for: fingerprint)
        guard slots[slot] == 0 else { return false }
        slots[slot] = fingerprint
        count &+= 1
        return true
    }

    /// The slot that has the fingerprint, or the free one in which to store it.
    private func freeSlot(for fingerprint: UInt64) -> Int {
        let mask = slots.count &- 1
        var slot = Int(truncatingIfNeeded: fingerprint &>> 32) & mask
        while slots[slot] != 0, slots[slot] != fingerprint { slot = (slot &+ 1) & mask }
        return slot
    }

    private mutating func grow() {
        let old = slots
        slots = [UInt64](repeating: 0, count: old.count &* 2)
        for fingerprint in old where fingerprint != 0 { slots[freeSlot(for: fingerprint)] = fingerprint }
    }
}
