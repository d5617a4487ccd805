/// A digest of bytes, for tables: eight bytes at a time, each folded in by a wide multiplication.
///
/// Seeded a process anew, so that nobody can prepare texts that meet; a table that outsiders fill is bounded besides.
enum SeededHash {
    static func digest(of bytes: Span<UInt8>) -> UInt64 {
        unsafe bytes.withUnsafeBytes { bytes in
            let key = key
            var digest = key.seed ^ UInt64(bytes.count)
            var offset = 0
            while offset &+ 8 <= bytes.count {
                let word = unsafe bytes.loadUnaligned(fromByteOffset: offset, as: UInt64.self)
                digest = key.fold(digest ^ word)
                offset &+= 8
            }
            var rest: UInt64 = 0
            while offset < bytes.count {
                let byte = unsafe bytes[offset]
                rest = rest << 8 | UInt64(byte)
                offset &+= 1
            }
            return key.fold(digest ^ rest)
        }
    }

    /// What nobody outside the process knows.
    private struct Key {
        let seed = UInt64.random(in: .min ... .max)
        /// Odd, so that no two words have the same product.
        let multiplier = UInt64.random(in: .min ... .max) | 1

        @inline(__always)
        func fold(_ word: UInt64) -> UInt64 {
            let product = word.multipliedFullWidth(by: multiplier)
            return product.high ^ product.low
        }
    }

    private static let key = Key()
}
