/// A list of instruments at a broker.
package struct BrokerWatchlist: Hashable, Sendable {
    /// The broker's own id.
    package var id: String
    package var name: String
    package var items: [Item]
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
