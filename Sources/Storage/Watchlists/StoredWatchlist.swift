package import Brokerage

/// A named list of instruments that Portico stores.
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

/// The reason why a watchlist is not changed.
package enum WatchlistError: Error, Hashable, Sendable {
    /// The user has no such list.
    case notFound
    /// The user has as many lists as one may have.
    case tooManyLists(limit: Int)
    /// It would have more symbols than a list may have.
    case tooManySymbols(count: Int, limit: Int)
    /// The symbol to move is not in the list.
    case notInList
    /// The position does not exist: positions count from 0 to the number of items.
    case positionOutOfRange(itemCount: Int)
}

/// A change of the items of a list.
package enum WatchlistEdit: Hashable, Sendable {
    /// Adds symbols at the end, in this order; a symbol that the list has keeps its position.
    case add([Symbol])
    /// Takes symbols out; one that is not there is no failure.
    case remove([Symbol])
    /// Moves a symbol to a place, counted from 0 in the list as it is afterwards.
    case move(Symbol, to: Int)

    /// The symbols of a list as they are afterwards, each once.
    package func applied(to symbols: [Symbol]) -> Result<[Symbol], WatchlistError> {
        switch self {
        case .add(let new):
            var known: Set<Symbol> = []
            let all = (symbols + new).filter { known.insert($0).inserted }
            let limit = WatchlistStore.maximumSymbols
            // A broker's list may be longer already: then nothing can be added, and the rest can be done.
            guard all.count <= limit || all.count == symbols.count else {
                return .failure(.tooManySymbols(count: all.count, limit: limit))
            }
            return .success(all)
        case .remove(let old):
            let gone = Set(old)
            return .success(symbols.filter { !gone.contains($0) })
        case .move(let symbol, let place):
            guard let from = symbols.firstIndex(of: symbol) else { return .failure(.notInList) }
            guard symbols.indices.contains(place) else {
                return .failure(.positionOutOfRange(itemCount: symbols.count))
            }
            var moved = symbols
            moved.insert(moved.remove(at: from), at: place)
            return .success(moved)
        }
    }
}
