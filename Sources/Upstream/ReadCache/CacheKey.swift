package import Brokerage
package import PorticoCore

/// The parameters of a read: they identify a value within a ``CacheScope``.
///
/// A query that contains text of clients compares it as ``ExactText``. It never contains a credential.
public protocol CacheQuery: Hashable, Sendable {
    /// The query as text: the name of a persisted value, and the measure of the query's memory.
    ///
    /// It is not used for look-ups. Queries with different values must have different names.
    var cacheName: String { get }
}

extension ExactText: CacheQuery {
    package var cacheName: String { text }
}

extension Symbol: CacheQuery {
    package var cacheName: String { text }
}

/// The query of a cache with one value for each scope.
package struct SingleValueQuery: CacheQuery {
    package init() {}

    package var cacheName: String { "" }
}

/// The set of values that one credential may read: those of a provider that everybody may see, or those of one
/// connection.
///
/// A scope is part of each key of a ``ReadCache``. The scope of a connection includes its owner and equals no scope
/// of another owner, so no private value of a user is returned to another user.
///
/// It is made once for each connection and copied into many keys, so its content is one object, and its hash is computed once.
public struct CacheScope: Hashable, Sendable {
    private final class Content: Sendable {
        let provider: ProviderID
        let owner: OwnerID?
        let connection: ExactText
        let hash: Int

        init(provider: ProviderID, owner: OwnerID?, connection: ExactText) {
            (self.provider, self.owner, self.connection) = (provider, owner, connection)
            var hasher = Hasher()
            hasher.combine(provider)
            hasher.combine(owner)
            hasher.combine(connection)
            hash = hasher.finalize()
        }
    }

    private let content: Content
    /// Whether its values belong to one owner.
    @usableFromInline package let isPrivate: Bool

    private init(_ content: Content) {
        self.content = content
        isPrivate = content.owner != nil
    }

    /// The scope of values that everybody may see.
    package static func shared(_ provider: ProviderID) -> CacheScope {
        CacheScope(Content(provider: provider, owner: nil, connection: ExactText("")))
    }

    /// The scope of values that only the owner of a connection may see.
    package static func connection(
        _ connection: String, of owner: OwnerID, at provider: ProviderID
    ) -> CacheScope {
        CacheScope(Content(provider: provider, owner: owner, connection: ExactText(connection)))
    }

    package var provider: ProviderID { content.provider }

    /// Whether it is the scope of one of the owner's connections to a provider.
    package func isPrivate(to owner: OwnerID, at provider: ProviderID) -> Bool {
        content.owner == owner && content.provider == provider
    }

    /// The failure of a read of an object that the provider does not know.
    @usableFromInline var notFound: ProviderFailure { ProviderFailure(provider, .notFound) }
    /// The failure of a read whose task was cancelled.
    @usableFromInline var cancelled: ProviderFailure { ProviderFailure(provider, .cancelled) }

    /// The failure of a read that needs a call that its operation may not make; nil if it may.
    @usableFromInline
    func refusal(of call: CallContext) -> ProviderFailure? {
        call.callBudget?.limitError().map { ProviderFailure(provider, .notAllowed($0)) }
    }

    /// The memory of its texts in bytes.
    var weight: Int { (content.owner?.text.utf8.count ?? 0) + content.connection.text.utf8.count }

    /// Whether both are the same connection of the same owner.
    public static func == (one: CacheScope, other: CacheScope) -> Bool {
        let (one, other) = (one.content, other.content)
        if one === other { return true }
        return one.hash == other.hash && one.connection == other.connection && one.owner == other.owner
            && one.provider == other.provider
    }

    /// Adds the hash, which was calculated once.
    public func hash(into hasher: inout Hasher) { hasher.combine(content.hash) }
}

/// The key of a value in a ``ReadCache``.
public struct CacheKey<Query: CacheQuery>: Hashable, Sendable {
    @usableFromInline package let scope: CacheScope
    @usableFromInline package let query: Query

    /// The key of a query in a scope.
    @inlinable
    public init(_ query: Query, in scope: CacheScope) {
        self.query = query
        self.scope = scope
    }

    // Not synthesized, so that other modules specialise them.

    /// Compares query and scope.
    @inlinable
    public static func == (one: CacheKey, other: CacheKey) -> Bool {
        one.query == other.query && one.scope == other.scope
    }

    /// Hashes query and scope.
    @inlinable
    public func hash(into hasher: inout Hasher) {
        hasher.combine(query)
        hasher.combine(scope)
    }

    /// The approximate memory in bytes of the key and of its entry: two copies of the key, and the places of
    /// both.
    @usableFromInline package var weight: Int { 512 + query.cacheName.utf8.count + scope.weight }
}
