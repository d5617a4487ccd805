package import Brokerage
import PorticoCore

/// Stores public values of providers outside of the process.
///
/// Nothing depends on it: values that it loses or cannot read are requested again.
package protocol PersistentCache: Sendable {
    /// Whether other processes use it at the same time.
    ///
    /// If it is shared, values of all providers are stored, and a renewal searches for the value of another process.
    /// Otherwise only values of providers with a low quota are stored, for the time after a restart.
    var isShared: Bool { get }

    /// Returns the stored values of some keys; values that cannot be read are omitted.
    ///
    /// A shared cache claims each key without a fresh value for this process, so that other processes wait for its value
    /// instead of calling the provider; if another process has the claim, it waits for a short time. ``save(_:)`` or
    /// ``release(_:)`` ends a claim.
    func load(_ keys: [PersistentCacheKey]) async -> [PersistentCacheKey: PersistentCacheEntry]

    /// Stores values together with others, a short time later; it does not wait.
    func save(_ values: [PersistentCacheKey: PersistentCacheEntry])

    /// Ends the claims of keys for which this process has no value; it does not wait.
    func release(_ keys: [PersistentCacheKey])
}

/// The name of a stored value.
///
/// Private data has none: a key is made for a scope, and for the scope of a connection there is no key.
package struct PersistentCacheKey: Hashable, Sendable {
    /// The kind of data and the format of its bytes, such as `chart.1`: a new format has a new name.
    package let kind: String
    package let provider: ProviderID
    package let subject: String

    // Synthesized comparison would compare canonically equivalent subjects as equal.

    package static func == (one: PersistentCacheKey, other: PersistentCacheKey) -> Bool {
        one.provider == other.provider && one.kind == other.kind
            && ExactText(one.subject) == ExactText(other.subject)
    }

    package func hash(into hasher: inout Hasher) {
        hasher.combine(kind)
        hasher.combine(provider)
        hasher.combine(ExactText(subject))
    }

    /// The memory of the key in bytes, including its entry in a table.
    package var weight: Int { 128 + kind.utf8.count + subject.utf8.count }

    /// Nil for a scope whose values belong to one owner.
    ///
    /// - Parameters:
    ///   - kind: The kind of data and the format of its bytes.
    ///   - scope: The scope of the value.
    ///   - subject: The name of the query.
    package init?(kind: String, in scope: CacheScope, subject: String) {
        guard !scope.isPrivate else { return nil }
        self.kind = kind
        provider = scope.provider
        self.subject = subject
    }
}

/// The bytes of a value, and until when they are good, by the wall clock.
package struct PersistentCacheEntry: Hashable, Sendable {
    package let bytes: [UInt8]
    /// When it was read from its provider.
    package let readAt: Instant
    /// Served without another thought before.
    package let freshUntil: Instant
    /// Served before while one call renews it; ``freshUntil`` if the value is not renewed in the background.
    package let renewableUntil: Instant
    /// Of no use from then on.
    package let staleUntil: Instant

    /// - Parameters:
    ///   - bytes: The bytes of the value.
    ///   - readAt: When it was read.
    ///   - freshUntil: The end of its freshness.
    ///   - renewableUntil: The end of its renewal in the background; nil if there is none.
    ///   - staleUntil: The end of its use.
    package init(
        bytes: [UInt8], readAt: Instant, freshUntil: Instant, renewableUntil: Instant? = nil,
        staleUntil: Instant
    ) {
        self.bytes = bytes
        self.readAt = readAt
        self.freshUntil = freshUntil
        self.renewableUntil = renewableUntil ?? freshUntil
        self.staleUntil = staleUntil
    }
}

extension PersistentCacheEntry {
    /// Four times, each as 8 bytes of seconds and 4 bytes of nanoseconds, and the checksum of these bytes.
    private static let headerSize = 4 * 12 + 8

    /// The entry as bytes, the lowest first, for a cache that stores bytes only.
    package var encoded: [UInt8] {
        var header: [UInt8] = []
        for time in [readAt, freshUntil, renewableUntil, staleUntil] {
            header += Self.littleEndian(UInt64(bitPattern: time.secondsSince1970), count: 8)
            header += Self.littleEndian(UInt64(truncatingIfNeeded: time.nanoseconds), count: 4)
        }
        return header + Self.littleEndian(FNV1aChecksum.of(header[...]), count: 8) + bytes
    }

    /// Nil for bytes that ``encoded`` did not return.
    package init?(encoded: [UInt8]) {
        guard encoded.count >= Self.headerSize else { return nil }
        let header = encoded.prefix(Self.headerSize - 8)
        let mark = Self.number(encoded[header.endIndex..<Self.headerSize])
        guard mark == FNV1aChecksum.of(header) else { return nil }
        let times = (0..<4).compactMap { index -> Instant? in
            let start = 12 * index
            guard
                let nanoseconds = Int32(exactly: Self.number(header[(start + 8)..<(start + 12)]))
            else { return nil }
            return Instant(
                secondsSince1970: Int64(bitPattern: Self.number(header[start..<(start + 8)])),
                nanoseconds: nanoseconds)
        }
        guard times.count == 4 else { return nil }
        self.init(
            bytes: Array(encoded.dropFirst(Self.headerSize)), readAt: times[0], freshUntil: times[1],
            renewableUntil: times[2], staleUntil: times[3])
    }

    /// The same entry with all times moved.
    package func moved(by duration: Duration) -> PersistentCacheEntry {
        PersistentCacheEntry(
            bytes: bytes, readAt: readAt + duration, freshUntil: freshUntil + duration,
            renewableUntil: renewableUntil + duration, staleUntil: staleUntil + duration)
    }

    private static func littleEndian(_ number: UInt64, count: Int) -> [UInt8] {
        (0..<count).map { UInt8(truncatingIfNeeded: number >> (8 * UInt64($0))) }
    }

    private static func number(_ bytes: ArraySlice<UInt8>) -> UInt64 {
        bytes.reversed().reduce(0) { $0 << 8 | UInt64($1) }
    }
}

/// The persistent cache for values of one kind, with their format.
@usableFromInline
package struct PersistentCacheTable<Query: CacheQuery, Value: Sendable>: Sendable {
    let cache: any PersistentCache
    private let format: String
    private let isOfAllProviders: Bool
    let encode: @Sendable (Value) -> [UInt8]
    /// Nil for bytes that were damaged.
    let decode: @Sendable ([UInt8]) -> Value?

    /// - Parameters:
    ///   - cache: The cache.
    ///   - isOfAllProviders: Whether it stores values of providers with a high quota too.
    package init(
        _ cache: any PersistentCache, ofAllProviders isOfAllProviders: Bool = false
    ) where Value: PersistentCacheValue {
        self.cache = cache
        self.isOfAllProviders = isOfAllProviders
        format = Value.persistentFormat
        encode = \.persistentBytes
        decode = { try? Value(persistentBytes: $0) }
    }

    /// The name of a value in the cache; nil for private data, and for a value that the cache does not store: one of a
    /// provider without a low quota, unless the cache is shared or stores values of all providers.
    func key(of query: Query, in scope: CacheScope) -> PersistentCacheKey? {
        guard cache.isShared || isOfAllProviders || scope.provider.traits.hasLowQuota else { return nil }
        return PersistentCacheKey(kind: format, in: scope, subject: query.cacheName)
    }
}

/// A value that can be put into bytes, and comes out of them equal.
package protocol PersistentCacheValue: Sendable {
    /// The kind of data and the version of its bytes, such as `chart.1`; other bytes have another name.
    static var persistentFormat: String { get }

    func write(to writer: inout BinaryWriter)

    /// - Throws: `CorruptedBytes` if the bytes are not of such a value.
    init(from reader: inout BinaryReader) throws(CorruptedBytes)
}

/// Bytes that differ from the written ones.
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

    /// Decodes the bytes of a value.
    ///
    /// - Throws: `CorruptedBytes` if a single byte was changed or is missing.
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
