/// The key of a member of a JSON object, to be switched over without making a `String`.
///
/// ```swift
/// switch key {
/// case "equity": equity = try reader.decimal()
/// default: try reader.skip()
/// }
/// ```
///
/// It holds its own copy of the bytes, so it may outlive the reader.
@usableFromInline
package struct JSONKey: Sendable {
    /// The first 32 bytes; what stands behind the end of a shorter key is undefined.
    fileprivate let head: SIMD4<UInt64>
    fileprivate let count: Int
    /// All bytes, of a key longer than 32 bytes.
    private let long: [UInt8]?

    static let inlineCount = MemoryLayout<SIMD4<UInt64>>.size

    /// `available` is the number of bytes from `start` that may be read, at least `count`.
    ///
    /// Loading 32 bytes, whatever the length is, needs one move instead of a loop.
    @unsafe
    init(start: UnsafeRawPointer, count: Int, available: Int) {
        self.count = count
        if available >= Self.inlineCount {
            self.head = unsafe start.loadUnaligned(as: SIMD4<UInt64>.self)
        } else {
            var head = SIMD4<UInt64>()
            unsafe withUnsafeMutableBytes(of: &head) { target in
                unsafe target.copyMemory(
                    from: UnsafeRawBufferPointer(start: start, count: min(count, available)))
            }
            self.head = head
        }
        self.long =
            count > Self.inlineCount ? unsafe Array(UnsafeRawBufferPointer(start: start, count: count)) : nil
    }

    /// Whether the key is `name`, byte by byte.
    package static func ~= (name: StaticString, key: JSONKey) -> Bool {
        // Most cases of a switch do not match, and most of those differ in length or in the first byte: they are
        // done with before the key has left its registers.
        let count = name.utf8CodeUnitCount
        guard count == key.count else { return false }
        if count == 0 { return true }
        // A static string lives as long as the process; this one has a byte at least.
        let first = unsafe name.utf8Start.pointee
        guard UInt8(truncatingIfNeeded: key.head[0].littleEndian) == first else { return false }
        return count == 1 || key.hasBytes(of: name)
    }

    /// Compares all bytes with a name of the same length.
    @inline(never)
    private func hasBytes(of name: StaticString) -> Bool {
        let pattern = unsafe UnsafeRawBufferPointer(start: name.utf8Start, count: count)
        // `count` bytes of the key are defined, in `head` or in `long`.
        if let long { return unsafe long.withUnsafeBytes { unsafe Self.areEqual($0, pattern) } }
        return unsafe withUnsafeBytes(of: head) { unsafe Self.areEqual($0, pattern) }
    }

    /// Whether the key begins with the pattern: eight bytes a step, then one by one.
    @unsafe
    @inline(__always)
    private static func areEqual(_ key: UnsafeRawBufferPointer, _ pattern: UnsafeRawBufferPointer) -> Bool {
        var index = 0
        while index &+ 8 <= pattern.count {
            let left = unsafe key.loadUnaligned(fromByteOffset: index, as: UInt64.self)
            let right = unsafe pattern.loadUnaligned(fromByteOffset: index, as: UInt64.self)
            guard left == right else { return false }
            index &+= 8
        }
        while index < pattern.count {
            let left = unsafe key[index]
            let right = unsafe pattern[index]
            guard left == right else { return false }
            index &+= 1
        }
        return true
    }

    /// A number that distinguishes keys: two keys of one object have the same one by chance in one of 10^13
    /// objects of a thousand keys.
    ///
    /// Its high bits depend on all bytes.
    @inline(__always)
    var fingerprint: UInt64 {
        // The bytes behind the key in its last word are shifted out.
        let shift = UInt64(truncatingIfNeeded: 0 &- (count &<< 3))
        let length = UInt64(truncatingIfNeeded: count)
        if length &- 1 < 8 { return ((head[0].littleEndian &<< shift) ^ length) &* Self.multiplier }
        if length &- 9 < 8 {
            let product = (head[0].littleEndian ^ length) &* Self.multiplier
            return (product ^ (product &>> 32) ^ (head[1].littleEndian &<< shift)) &* Self.multiplier
        }
        return longFingerprint
    }

    /// The fingerprint of a key that is empty or longer than 16 bytes.
    @inline(never)
    private var longFingerprint: UInt64 {
        var result = UInt64(truncatingIfNeeded: count)
        func mix(_ word: UInt64) {
            let product = (result ^ word) &* Self.multiplier
            result = product ^ (product &>> 32)
        }
        if let long {
            for byte in long { mix(UInt64(byte)) }
        } else if count > 0 {
            for index in 0..<((count &- 1) / 8) { mix(head[index].littleEndian) }
            let shift = UInt64(truncatingIfNeeded: 0 &- (count &<< 3))
            mix(head[(count &- 1) / 8].littleEndian &<< shift)
        }
        return result &* Self.multiplier
    }

    /// A bit for the key: keys with different bits differ.
    var filterBit: UInt64 { 1 &<< (fingerprint &>> 58) }

    /// Whether its text has this length.
    ///
    /// A text with escapes has another one.
    func hasText(of length: Int) -> Bool { count == length }

    /// A hash of the length and of the first eight bytes.
    @inline(__always)
    var prefixHash: Int {
        let shift = UInt64(truncatingIfNeeded: 64 &- (min(count, 8) &<< 3))
        let word = count == 0 ? 0 : head[0].littleEndian &<< shift
        let product = (word ^ UInt64(truncatingIfNeeded: count)) &* Self.multiplier
        return Int(truncatingIfNeeded: product &>> 32)
    }

    /// 2^64 divided by the golden ratio.
    private static let multiplier: UInt64 = 0x9E37_79B9_7F4A_7C15

    /// The key's text, for objects whose keys are data: `{"AAPL": …}`.
    package var string: String {
        if let long { return String(decoding: long, as: UTF8.self) }
        return unsafe withUnsafeBytes(of: head) { bytes in
            unsafe String(decoding: bytes.prefix(count), as: UTF8.self)
        }
    }

    /// The key for an error message: at most 40 characters, none of them unprintable.
    var printable: String {
        let shown = string.unicodeScalars.prefix(40).map { scalar in
            scalar.properties.isPatternWhitespace || scalar.value < 0x20 || scalar.value == 0x7F
                ? " " : Character(scalar)
        }
        return String(shown) + (count > 40 && shown.count == 40 ? "…" : "")
    }
}

/// A key that is known before a text is read, for a comparison without a loop.
struct JSONKeyPattern: Equatable, Sendable {
    private let key: JSONKey
    /// All bits of the bytes of the key.
    private let mask: SIMD4<UInt64>

    /// Creates a pattern of 1 to 32 bytes.
    init(_ name: StaticString) {
        let count = name.utf8CodeUnitCount
        precondition((1...JSONKey.inlineCount).contains(count), "\(name): the length is not 1 to 32 bytes")
        // A static string lives as long as the process.
        key = unsafe JSONKey(start: name.utf8Start, count: count, available: count)
        mask = Self.mask(count)
    }

    /// Creates a pattern of 1 to 32 bytes, whose length the caller has checked.
    init(_ name: String) {
        var bytes = Array(name.utf8)
        let count = bytes.count
        precondition((1...JSONKey.inlineCount).contains(count), "\(name): the length is not 1 to 32 bytes")
        bytes += [UInt8](repeating: 0, count: JSONKey.inlineCount - count)
        key = unsafe bytes.withUnsafeBytes { buffer in
            // The array has 32 bytes, so that it has an address.
            guard let base = buffer.baseAddress else { preconditionFailure("an array without bytes") }
            return unsafe JSONKey(start: base, count: count, available: buffer.count)
        }
        mask = Self.mask(count)
    }

    private static func mask(_ count: Int) -> SIMD4<UInt64> {
        var mask = SIMD4<UInt64>()
        for index in 0..<count { mask[index / 8] |= (UInt64(0xFF) << UInt64(index % 8 * 8)).littleEndian }
        return mask
    }

    @inline(__always)
    func matches(_ key: JSONKey) -> Bool {
        key.count == self.key.count && key.head & mask == self.key.head & mask
    }

    var prefixHash: Int { key.prefixHash }
    var string: String { key.string }

    static func == (one: JSONKeyPattern, other: JSONKeyPattern) -> Bool { one.matches(other.key) }
}

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
