package import Brokerage

/// Takes orders, and tells of them.
///
/// What is written is sent once. A failure of a write whose cause is not a plain refusal leaves open whether the broker
/// took it: ask by ``order(clientID:of:in:)``, never again.
package protocol TradingAPI: Sendable {
    /// Which types, durations and so on it takes.
    var orderCapabilities: OrderCapabilities { get }

    /// Orders of the credential's accounts, newest first.
    ///
    /// - Parameters:
    ///   - query: Which ones.
    ///   - call: how long the operation waits, and who is told of the call.
    /// - Returns: the orders, and whether there are older ones.
    /// - Throws: `ProviderFailure` where they could not be read.
    func orders(
        _ query: OrderQuery, in call: CallContext
    ) async throws(ProviderFailure) -> OrderPage

    /// An order by the broker's own id.
    ///
    /// - Throws: `ProviderFailure`, with the cause `notFound` for one that the broker does not know (any more).
    func order(_ id: String, of account: String?, in call: CallContext) async throws(ProviderFailure) -> Order

    /// What the broker knows of an order by the id that the one who placed it gave it.
    ///
    /// - Throws: `ProviderFailure` where it could not be asked, which says nothing of the order.
    func order(
        clientID: String, of account: String?, in call: CallContext
    ) async throws(ProviderFailure) -> OrderLookup

    func place(_ ticket: OrderTicket, in call: CallContext) async throws(ProviderFailure) -> OrderResult

    /// Changes an order; the answer's order has a new id where the broker gives it one.
    func replace(
        _ order: Order, by change: OrderReplacement, clientOrderID: String, in call: CallContext
    ) async throws(ProviderFailure) -> OrderResult

    /// Asks for an order to be cancelled; it may still be filled.
    func cancel(_ order: Order, in call: CallContext) async throws(ProviderFailure) -> OrderResult
}

/// What a broker knows of an order that is looked for.
package enum OrderLookup: Hashable, Sendable {
    case found(Order)
    /// The broker had no such order when it was asked, open or ended: none was taken before.
    ///
    /// A write that is still under way may arrive later; ask again when it can be no more.
    case absent
    /// Nobody can tell: the broker names open orders only, and this one is not among them. It may have been filled or
    /// cancelled, or never have come.
    case unknown
}

/// A broker's word on a write.
package enum OrderResult: Hashable, Sendable {
    /// The order as it stands, as far as the broker tells in its answer.
    case accepted(Order)
    /// The broker refused; nothing has changed.
    case rejected(OrderRejection)
}

/// Which orders.
package struct OrderQuery: Hashable, Sendable {
    /// Open ones, ended ones, or all.
    package var isOpen: Bool?
    package var symbols: [Symbol]?
    /// How many at most, 1 to 500.
    package var limit: Int
    /// Orders submitted before; nil for the newest.
    package var before: Instant?

    package init(isOpen: Bool? = nil, symbols: [Symbol]? = nil, limit: Int = 50, before: Instant? = nil) {
        self.isOpen = isOpen
        self.symbols = symbols
        self.limit = limit
        self.before = before
    }
}

/// Some orders, newest first.
package struct OrderPage: Hashable, Sendable {
    package var orders: [Order]
    /// Whether the broker may have older ones of the kind.
    package var hasMore: Bool

    package init(orders: [Order], hasMore: Bool) {
        self.orders = orders
        self.hasMore = hasMore
    }
}

/// The orders that a broker accepts.
package struct OrderCapabilities: Hashable, Sendable {
    package var types: Set<OrderType>
    package var timesInForce: Set<TimeInForce>
    package var acceptsFractions: Bool
    package var acceptsNotional: Bool
    package var acceptsExtendedHours: Bool
    package var replaces: Bool
    /// Whether orders that have ended can be read.
    package var hasEndedOrders: Bool

    package init(
        types: Set<OrderType>, timesInForce: Set<TimeInForce>, acceptsFractions: Bool, acceptsNotional: Bool,
        acceptsExtendedHours: Bool, replaces: Bool, hasEndedOrders: Bool
    ) {
        self.types = types
        self.timesInForce = timesInForce
        self.acceptsFractions = acceptsFractions
        self.acceptsNotional = acceptsNotional
        self.acceptsExtendedHours = acceptsExtendedHours
        self.replaces = replaces
        self.hasEndedOrders = hasEndedOrders
    }
}
