/// The key of a member of a JSON object, to be switched over without making a `String`:
///
/// ```swift
/// switch key {
/// case "equity": equity = try reader.decimal()
/// default: try reader.skip()
/// }
/// ```
///
/// It holds its own copy of the bytes, so it may outlive the reader.
package struct JSONKey: Sendable {
    /// The first 32 bytes; what stands behind the end of a shorter key is undefined.
    @usableFromInline let head: SIMD4<UInt64>
    @usableFromInline let count: Int
    /// All bytes, of a key longer than 32 bytes.
    @usableFromInline let long: [UInt8]?

    static let inlineCount = MemoryLayout<SIMD4<UInt64>>.size

    /// `available` are the bytes from `start` that may be read, at least `count`.
    ///
    /// Loading 32 bytes whatever the length, where the text has so many, is one fixed move instead of a loop.
    @unsafe
    init(start: UnsafeRawPointer, count: Int, available: Int) {
        self.count = count
        if available >= Self.inlineCount {
            self.head = unsafe start.loadUnaligned(as: SIMD4<UInt64>.self)
        } else {
            var head = SIMD4<UInt64>()
            unsafe withUnsafeMutableBytes(of: &head) { target in
                unsafe target.copyMemory(from: UnsafeRawBufferPointer(start: start, count: min(count, available)))
            }
            self.head = head
        }
        self.long = count > Self.inlineCount ? unsafe Array(UnsafeRawBufferPointer(start: start, count: count)) : nil
    }

    /// Whether the key is `name`, byte by byte.
    ///
    /// Inlined with a literal, the loop is unrolled into a comparison of one or two registers with constants.
    @inlinable
    @inline(__always)
    package static func ~= (name: StaticString, key: JSONKey) -> Bool {
        let count = name.utf8CodeUnitCount
        guard count == key.count else { return false }
        // A static string lives as long as the process. `count` bytes of the key are defined, in `head` or `long`.
        let pattern = unsafe UnsafeRawPointer(name.utf8Start)
        if let long = key.long {
            return unsafe long.withUnsafeBytes { unsafe areEqual($0.baseAddress, pattern, count) }
        }
        return unsafe withUnsafeBytes(of: key.head) { unsafe areEqual($0.baseAddress, pattern, count) }
    }

    /// Eight bytes a step, then the rest one by one; both must have `count` bytes.
    @unsafe
    @inlinable
    @inline(__always)
    static func areEqual(_ left: UnsafeRawPointer?, _ right: UnsafeRawPointer, _ count: Int) -> Bool {
        guard let left = unsafe left else { return count == 0 }
        var index = 0
        while index &+ 8 <= count {
            let leftWord = unsafe left.loadUnaligned(fromByteOffset: index, as: UInt64.self)
            let rightWord = unsafe right.loadUnaligned(fromByteOffset: index, as: UInt64.self)
            guard leftWord == rightWord else { return false }
            index &+= 8
        }
        while index < count {
            let leftByte = unsafe left.load(fromByteOffset: index, as: UInt8.self)
            let rightByte = unsafe right.load(fromByteOffset: index, as: UInt8.self)
            guard leftByte == rightByte else { return false }
            index &+= 1
        }
        return true
    }

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
