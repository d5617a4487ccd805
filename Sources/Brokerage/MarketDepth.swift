/// The best prices of an order book, or the reason for which there are none.
package struct MarketDepth: Hashable, Sendable {
    package var symbol: Symbol
    /// Highest price first.
    package var bids: [Level]
    /// Lowest price first.
    package var asks: [Level]
    /// Nil if the source returned levels.
    package var unavailability: Unavailability?
    /// ISO 4217; nil if it is unknown.
    package var currency: String?
    package var provenance: Provenance

    /// The orders at one price.
    package struct Level: Hashable, Sendable {
        package var price: Decimal
        package var quantity: Decimal?
        /// The number of orders; nil if the exchange does not report it.
        package var orderCount: Int?

        package init(price: Decimal, quantity: Decimal?, orderCount: Int?) {
            self.price = price
            self.quantity = quantity
            self.orderCount = orderCount
        }
    }

    /// The reason for which a source has no levels.
    package enum Unavailability: String, Sendable, CaseIterable {
        /// The instrument has no order book: its dealer quotes one price.
        case noOrderBook = "NO_ORDER_BOOK"
        /// The user has no access to the prices of the exchange.
        case noMarketAccess = "NO_MARKET_ACCESS"
        /// The user's subscription to the prices does not include the order book.
        case notSubscribed = "NOT_SUBSCRIBED"
    }

    package init(symbol: Symbol, bids: [Level] = [], asks: [Level] = [], provenance: Provenance) {
        self.symbol = symbol
        self.bids = bids
        self.asks = asks
        self.provenance = provenance
    }
}
