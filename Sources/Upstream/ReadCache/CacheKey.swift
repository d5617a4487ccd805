package import Brokerage

/// Whose private data something is: a user, or one of a user's connections.
package struct OwnerID: Hashable, Sendable {
    /// The id itself, for what is kept in a database: never part of a message.
    package let text: String

    /// Nil for the empty text, which is nobody.
    package init?(_ id: String) {
        guard !id.isEmpty else { return nil }
        text = id
    }
}

/// What a value is cached and shared under.
///
/// Private data cannot be named without its owner, and a key with an owner equals none without or of another owner: so
/// no value of one user is ever served to another.
package struct CacheKey: Hashable, Sendable {
    package let provider: ProviderID
    /// What was asked for with its parameters, like `AAPL` or `history 1D`.
    ///
    /// Never a credential.
    package let subject: String
    private let owner: OwnerID?

    private init(_ provider: ProviderID, _ subject: String, owner: OwnerID?) {
        self.provider = provider
        self.subject = subject
        self.owner = owner
    }

    // Subjects contain texts that clients search for. Swift's strings are equal if they are canonically
    // equivalent, but providers may respond differently to two such texts: so the bytes are compared.

    package static func == (one: CacheKey, other: CacheKey) -> Bool {
        one.provider == other.provider && one.owner == other.owner
            && one.subject.hasSameBytes(as: other.subject)
    }

    package func hash(into hasher: inout Hasher) {
        hasher.combine(provider)
        hasher.combine(owner)
        subject.hashBytes(into: &hasher)
    }

    /// The key of what everybody may see.
    package static func `public`(_ provider: ProviderID, _ subject: String) -> CacheKey {
        CacheKey(provider, subject, owner: nil)
    }

    /// The key of what only `owner` may see.
    package static func `private`(of owner: OwnerID, _ provider: ProviderID, _ subject: String) -> CacheKey {
        CacheKey(provider, subject, owner: owner)
    }

    /// Whether the value under it is private to an owner and came from a provider.
    package func isPrivate(to owner: OwnerID, at provider: ProviderID) -> Bool {
        self.owner == owner && self.provider == provider
    }

    /// The approximate memory in bytes of the key and of its entry: a second copy of the key, and the places
    /// of both.
    package var weight: Int { 512 + subject.utf8.count + (owner?.text.utf8.count ?? 0) }

    /// Whether the value under it belongs to somebody.
    package var isPrivate: Bool { owner != nil }
}

extension String {
    /// Whether both have the same bytes in UTF-8.
    func hasSameBytes(as other: String) -> Bool {
        utf8.count == other.utf8.count && utf8.elementsEqual(other.utf8)
    }

    /// Hashes the bytes in UTF-8.
    func hashBytes(into hasher: inout Hasher) {
        unsafe utf8Span.span.withUnsafeBytes { unsafe hasher.combine(bytes: $0) }
        // No text contains this byte, so that two consecutive texts cannot hash like two other texts.
        hasher.combine(0xFF as UInt8)
    }
}
