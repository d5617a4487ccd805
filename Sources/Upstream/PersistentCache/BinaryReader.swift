package import Brokerage

/// Reads values from bytes, in the order in which ``BinaryWriter`` wrote them.
///
/// It does not trap for any bytes, and allocates no more than their length.
package struct BinaryReader: Sendable {
    private let bytes: [UInt8]
    private let end: Int
    private var position = 0

    /// - Throws: `CorruptedBytes` if the checksum after the bytes is wrong.
    init(sealed bytes: [UInt8]) throws(CorruptedBytes) {
        guard bytes.count >= 8 else { throw CorruptedBytes() }
        end = bytes.count - 8
        let mark = bytes[end...].reversed().reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
        guard mark == FNV1aChecksum.of(bytes[..<end]) else { throw CorruptedBytes() }
        self.bytes = bytes
    }

    var isAtEnd: Bool { position == end }

    private mutating func byte() throws(CorruptedBytes) -> UInt8 {
        guard position < end else { throw CorruptedBytes() }
        defer { position += 1 }
        return bytes[position]
    }

    package mutating func wide() throws(CorruptedBytes) -> Int128 {
        var number: UInt128 = 0
        for shift in stride(from: UInt128(0), to: 128, by: 7) {
            let byte = try byte()
            number |= UInt128(byte & 0x7F) << shift
            if byte < 0x80 { return Int128(truncatingIfNeeded: number >> 1) ^ -Int128(number & 1) }
        }
        throw CorruptedBytes()
    }

    package mutating func number() throws(CorruptedBytes) -> Int64 {
        var number: UInt64 = 0
        for shift in stride(from: UInt64(0), to: 64, by: 7) {
            let byte = try byte()
            number |= UInt64(byte & 0x7F) << shift
            if byte < 0x80 { return Int64(bitPattern: number >> 1) ^ -Int64(number & 1) }
        }
        throw CorruptedBytes()
    }

    /// Reads the number of elements that follow, each of at least one byte.
    package mutating func count() throws(CorruptedBytes) -> Int {
        guard let count = Int(exactly: try number()), (0...(end - position)).contains(count) else {
            throw CorruptedBytes()
        }
        return count
    }

    package mutating func flag() throws(CorruptedBytes) -> Bool {
        switch try byte() {
        case 0: false
        case 1: true
        default: throw CorruptedBytes()
        }
    }

    package mutating func text() throws(CorruptedBytes) -> String {
        let count = try count()
        defer { position += count }
        guard let text = String(validating: bytes[position..<(position + count)], as: UTF8.self) else {
            throw CorruptedBytes()
        }
        return text
    }

    /// - Throws: `CorruptedBytes` for a text of no provider.
    package mutating func provider() throws(CorruptedBytes) -> ProviderID {
        guard let provider = ProviderID(stored: try text()) else { throw CorruptedBytes() }
        return provider
    }

    /// One of a closed set, by its name.
    ///
    /// - Throws: `CorruptedBytes` for a name that is none of them.
    package mutating func choice<Choice: RawRepresentable<String>>() throws(CorruptedBytes) -> Choice {
        guard let choice = Choice(rawValue: try text()) else { throw CorruptedBytes() }
        return choice
    }

    package mutating func decimal() throws(CorruptedBytes) -> Decimal {
        guard let scale = Int(exactly: try number()),
            let value = Decimal(coefficient: try wide(), scale: scale)
        else { throw CorruptedBytes() }
        return value
    }

    package mutating func instant() throws(CorruptedBytes) -> Instant {
        let seconds = try number()
        guard let nanoseconds = Int32(exactly: try number()),
            let instant = Instant(secondsSince1970: seconds, nanoseconds: nanoseconds)
        else { throw CorruptedBytes() }
        return instant
    }

    package mutating func symbol() throws(CorruptedBytes) -> Symbol {
        guard let symbol = Symbol(try text()) else { throw CorruptedBytes() }
        return symbol
    }

    package mutating func optional<Value>(
        _ read: (inout BinaryReader) throws(CorruptedBytes) -> Value
    ) throws(CorruptedBytes) -> Value? {
        try flag() ? try read(&self) : nil
    }
}
