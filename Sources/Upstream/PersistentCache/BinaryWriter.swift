package import Brokerage

/// Writes values as bytes.
///
/// Integers are written in groups of seven bits, the lowest first, with zigzag encoding for negative ones:
/// small numbers take a byte, whatever their type.
package struct BinaryWriter: Sendable {
    private(set) var bytes: [UInt8] = []

    package mutating func write(_ number: Int128) {
        var rest = UInt128(truncatingIfNeeded: (number << 1) ^ (number >> 127))
        while rest > 0x7F {
            bytes.append(UInt8(truncatingIfNeeded: rest) | 0x80)
            rest >>= 7
        }
        bytes.append(UInt8(truncatingIfNeeded: rest))
    }

    /// The same as the wider number's bytes, in a narrower number's time.
    package mutating func write(_ number: Int64) {
        var rest = UInt64(bitPattern: (number << 1) ^ (number >> 63))
        while rest > 0x7F {
            bytes.append(UInt8(truncatingIfNeeded: rest) | 0x80)
            rest >>= 7
        }
        bytes.append(UInt8(truncatingIfNeeded: rest))
    }

    package mutating func write(_ flag: Bool) {
        bytes.append(flag ? 1 : 0)
    }

    package mutating func write(_ text: String) {
        write(Int64(text.utf8.count))
        bytes += text.utf8
    }

    package mutating func write(_ provider: ProviderID) {
        write(provider.storedText)
    }

    /// One of a closed set, by its name.
    package mutating func write(_ choice: some RawRepresentable<String>) {
        write(choice.rawValue)
    }

    package mutating func write(_ decimal: Decimal) {
        write(Int64(decimal.scale))
        write(decimal.coefficient)
    }

    package mutating func write(_ instant: Instant) {
        write(instant.secondsSince1970)
        write(Int64(instant.nanoseconds))
    }

    package mutating func write(_ symbol: Symbol) {
        write(symbol.text)
    }

    /// Writes whether there is a value, and the value.
    package mutating func write<Value>(_ value: Value?, _ write: (inout BinaryWriter, Value) -> Void) {
        self.write(value != nil)
        if let value { write(&self, value) }
    }

    /// The bytes with their mark behind them.
    package func checksummed() -> [UInt8] {
        let mark = FNV1aChecksum.of(bytes[...])
        return bytes + (0..<8).map { UInt8(truncatingIfNeeded: mark >> (8 * UInt64($0))) }
    }
}

/// A number that follows from bytes, and is another if any one of them is: 64-bit FNV-1a (RFC 9923).
///
/// It shows damage, not forgery.
package enum FNV1aChecksum {
    package static func of(_ bytes: ArraySlice<UInt8>) -> UInt64 {
        bytes.reduce(0xCBF2_9CE4_8422_2325) { ($0 ^ UInt64($1)) &* 0x100_0000_01B3 }
    }
}
