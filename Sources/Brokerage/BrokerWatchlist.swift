/// A list of instruments at a broker.
package struct BrokerWatchlist: Hashable, Sendable {
    /// The broker's own id.
    package var id: String
    package var name: String
    package var items: [Item]
    /// The error of each item that could not be read, with its place in the broker's response and without a value.
    package var unreadable: [String] = []
    package var createdAt: Instant?
    package var updatedAt: Instant?

    package init(id: String, name: String, items: [Item]) {
        self.id = id
        self.name = name
        self.items = items
    }

    package struct Item: Hashable, Sendable {
        package var symbol: Symbol
        package var name: String?

        package init(symbol: Symbol, name: String? = nil) {
            self.symbol = symbol
            self.name = name
        }
    }
}

/// The lists of a user at a broker.
package struct BrokerWatchlists: Hashable, Sendable {
    package var lists: [BrokerWatchlist]
    /// The error of each list that could not be read, with its place in the broker's response and without a value.
    package var unreadable: [String]

    package init(_ lists: [BrokerWatchlist], unreadable: [String] = []) {
        self.lists = lists
        self.unreadable = unreadable
    }
}

extension BrokerWatchlists: RandomAccessCollection, ExpressibleByArrayLiteral {
    package init(arrayLiteral lists: BrokerWatchlist...) { self.init(lists) }

    package var startIndex: Int { lists.startIndex }
    package var endIndex: Int { lists.endIndex }
    package subscript(index: Int) -> BrokerWatchlist { lists[index] }
}
