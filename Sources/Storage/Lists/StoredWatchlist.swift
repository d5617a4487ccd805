package import Brokerage

/// A named list of instruments that a user keeps with Portico.
package struct StoredWatchlist: Hashable, Sendable {
    package let id: String
    package let name: String
    /// In the user's order, each symbol once.
    package let items: [Item]
    package let createdAt: Instant
    /// When its name or its items were last changed.
    package let updatedAt: Instant

    package struct Item: Hashable, Sendable {
        package let symbol: Symbol
        package let addedAt: Instant
    }
}

/// Why a watchlist is not changed.
package enum WatchlistError: Error, Hashable, Sendable {
    /// The user has no such list.
    case notFound
    /// The user has as many lists as one may have.
    case tooManyLists(limit: Int)
    /// It would have more symbols than a list may have.
    case tooManySymbols(count: Int, limit: Int)
    /// What is to be moved is not in the list.
    case notInList
    /// There is no such place: places count from 0, and the list has so many items.
    case noSuchPlace(itemCount: Int)
}
