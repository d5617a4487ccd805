package import Brokerage

/// Stores public values of providers with a low quota across restarts.
///
/// Nothing depends on it: values that it loses or cannot read are requested again.
package protocol PersistentCache: Sendable {
    /// Returns the stored values of some keys; values that cannot be read are omitted.
    func load(_ keys: [PersistentCacheKey]) async -> [PersistentCacheKey: PersistentCacheEntry]

    /// Stores values together with others, a short time later; it does not wait.
    func save(_ values: [PersistentCacheKey: PersistentCacheEntry])
}

/// The name of a stored value.
///
/// Private data has none.
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

    package init(kind: String, provider: ProviderID, subject: String) {
        self.kind = kind
        self.provider = provider
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
    /// Of no use from then on.
    package let staleUntil: Instant

    package init(bytes: [UInt8], readAt: Instant, freshUntil: Instant, staleUntil: Instant) {
        self.bytes = bytes
        self.readAt = readAt
        self.freshUntil = freshUntil
        self.staleUntil = staleUntil
    }
}

/// The persistent cache for values of one kind, with their format.
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

    /// The name of a value in the cache; nil for private data, and for providers without a low quota unless it stores
    /// values of all providers.
    func key(of query: Query, in scope: CacheScope) -> PersistentCacheKey? {
        guard !scope.isPrivate, isOfAllProviders || scope.provider.traits.hasLowQuota else { return nil }
        return PersistentCacheKey(kind: format, provider: scope.provider, subject: query.cacheName)
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
