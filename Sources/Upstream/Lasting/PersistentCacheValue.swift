/// A value that can be put into bytes, and comes out of them equal.
package protocol PersistentCacheValue: Sendable {
    /// The kind of data and the version of its bytes, such as `chart.1`: what writes other bytes has another name.
    static var persistentFormat: String { get }

    func write(to writer: inout BinaryWriter)

    /// - Throws: `CorruptedBytes` where the bytes are not such a value's.
    init(from reader: inout BinaryReader) throws(CorruptedBytes)
}

/// Bytes that are not what was written.
package struct CorruptedBytes: Error, Hashable, Sendable {
    package init() {}
}

extension PersistentCacheValue {
    /// The value as bytes, with a mark that shows when they were changed.
    package var persistentBytes: [UInt8] {
        var writer = BinaryWriter()
        write(to: &writer)
        return writer.checksummed()
    }

    /// The value of such bytes.
    ///
    /// - Throws: `CorruptedBytes` where a single byte is another, or is missing.
    package init(persistentBytes bytes: [UInt8]) throws(CorruptedBytes) {
        var reader = try BinaryReader(sealed: bytes)
        try self.init(from: &reader)
        guard reader.isAtEnd else { throw CorruptedBytes() }
    }
}

extension Array: PersistentCacheValue where Element: PersistentCacheValue {
    package static var persistentFormat: String { "list of " + Element.persistentFormat }

    package func write(to writer: inout BinaryWriter) {
        writer.write(Int64(count))
        for element in self { element.write(to: &writer) }
    }

    package init(from reader: inout BinaryReader) throws(CorruptedBytes) {
        self = []
        for _ in 0..<(try reader.count()) { append(try Element(from: &reader)) }
    }
}
