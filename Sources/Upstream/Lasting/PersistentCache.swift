package import Brokerage

/// Keeps public values of scarce providers beyond the process.
///
/// Nothing depends on it: what it loses or cannot read is asked for again.
package protocol PersistentCache: Sendable {
    /// What is kept of some keys; one that fails to be read is not among them.
    func load(_ keys: [PersistentCacheKey]) async -> [PersistentCacheKey: PersistentCacheEntry]

    /// Keeps values, soon and together with others; it does not wait for that.
    func save(_ values: [PersistentCacheKey: PersistentCacheEntry])
}

/// The name of a kept value.
///
/// There is none for private data.
package struct PersistentCacheKey: Hashable, Sendable {
    /// The kind of data and the form of its bytes, such as `chart.1`: a new form has a new name.
    package let kind: String
    package let provider: ProviderID
    package let subject: String

    // The bytes are compared: see `CacheKey`.

    package static func == (one: PersistentCacheKey, other: PersistentCacheKey) -> Bool {
        one.provider == other.provider && one.kind == other.kind
            && one.subject.hasSameBytes(as: other.subject)
    }

    package func hash(into hasher: inout Hasher) {
        hasher.combine(kind)
        hasher.combine(provider)
        subject.hashBytes(into: &hasher)
    }

    /// The memory of the key in bytes, including its entry in a table.
    package var weight: Int { 128 + kind.utf8.count + subject.utf8.count }

    /// Nil for the key of private data.
    init?(kind: String, _ key: CacheKey) {
        guard !key.isPrivate else { return nil }
        self.init(kind: kind, provider: key.provider, subject: key.subject)
    }

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
