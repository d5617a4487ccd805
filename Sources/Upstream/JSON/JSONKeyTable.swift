/// The keys of a large JSON object, to find one that occurs twice: a hash table with open addressing.
///
/// It stores fingerprints, see ``JSONKey/fingerprint``.
struct JSONKeyTable {
    /// 0 for a free slot; as many as a power of two, at most half of them taken.
    private var slots = [UInt64](repeating: 0, count: 256)
    private var count = 0

    /// False where the fingerprint is in the table already.
    mutating func insert(_ fingerprint: UInt64) -> Bool {
        if count &* 2 >= slots.count { grow() }
        // 0 stands for a free slot.
        let fingerprint = max(fingerprint, 1)
        let slot = freeSlot(for: fingerprint)
        guard slots[slot] == 0 else { return false }
        slots[slot] = fingerprint
        count &+= 1
        return true
    }

    /// The slot that has the fingerprint, or the free one where it belongs.
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
