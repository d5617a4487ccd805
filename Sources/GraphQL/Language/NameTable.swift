/// Gives each distinct name of a document a number, in the order in which they are first met.
///
/// A hash table with open addressing over the bytes of the text: a name costs no allocation of its own.
struct NameTable: ~Copyable {
    /// Where each name first stands; the index is the name's number.
    private var names: [SourceSpan] = []
    /// A power of two many slots.
    ///
    /// A slot's upper half is a name's hash, its lower half the number plus 1; 0 is a free slot.
    private var slots: [UInt64] = []
    private let seed = NameTable.processSeed

    /// The number of the name at a span.
    mutating func number(of span: SourceSpan, in bytes: [UInt8]) -> UInt32 {
        if names.count * 2 >= slots.count { grow() }
        let bytes = bytes.span
        let hash = hash(of: span, in: bytes)
        let mask = slots.count - 1
        var index = Int(hash) & mask
        while slots[index] != 0 {
            let number = UInt32(truncatingIfNeeded: slots[index]) &- 1
            if slots[index] >> 32 == hash && NameTable.areEqual(names[Int(number)], span, in: bytes) {
                return number
            }
            index = (index &+ 1) & mask
        }
        let number = UInt32(truncatingIfNeeded: names.count)
        names.append(span)
        slots[index] = hash << 32 | UInt64(number &+ 1)
        return number
    }

    /// All names, by their numbers.
    func texts(in bytes: [UInt8]) -> [String] {
        names.map { String(decoding: bytes[Int($0.start)..<Int($0.end)], as: UTF8.self) }
    }

    private mutating func grow() {
        let old = slots
        slots = Array(repeating: 0, count: max(64, old.count * 2))
        names.reserveCapacity(slots.count / 2)
        let mask = slots.count - 1
        for slot in old where slot != 0 {
            var index = Int(slot >> 32) & mask
            while slots[index] != 0 { index = (index &+ 1) & mask }
            slots[index] = slot
        }
    }

    private static func areEqual(_ one: SourceSpan, _ other: SourceSpan, in bytes: Span<UInt8>) -> Bool {
        guard one.end &- one.start == other.end &- other.start else { return false }
        var left = Int(one.start)
        var right = Int(other.start)
        while left < Int(one.end) {
            guard bytes[left] == bytes[right] else { return false }
            left &+= 1
            right &+= 1
        }
        return true
    }

    /// 32 bits over all bytes of a name, eight at a time, each folded in by a wide multiplication.
    ///
    /// Seeded a process anew, so that nobody can write a document whose names all meet in one slot.
    @inline(__always)
    private func hash(of span: SourceSpan, in bytes: Span<UInt8>) -> UInt64 {
        var hash = seed ^ UInt64(span.end &- span.start)
        var word: UInt64 = 0
        for index in Int(span.start)..<Int(span.end) {
            word = word << 8 | UInt64(bytes[index])
            if word >> 56 != 0 {
                hash = NameTable.fold(hash ^ word)
                word = 0
            }
        }
        hash = NameTable.fold(hash ^ word)
        return (hash ^ hash >> 32) & 0xFFFF_FFFF
    }

    @inline(__always)
    private static func fold(_ word: UInt64) -> UInt64 {
        // The fractional digits of the golden ratio: odd, and its bits spread evenly.
        let product = word.multipliedFullWidth(by: 0x9E37_79B9_7F4A_7C15)
        return product.high ^ product.low
    }

    private static let processSeed = UInt64.random(in: .min ... .max)
}
