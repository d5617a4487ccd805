package import Brokerage
import GraphQL
import Storage

/// The orders that are requested.
package struct OrderFilter: Sendable {
    /// Open orders, ended orders, or all.
    let requestsOpen: Bool?
    let states: Set<OrderState>?
    let symbols: [Symbol]?
    let side: OrderSide?
    /// Orders that were submitted at this time or later.
    let from: Instant?
    /// Orders that were submitted before this time.
    let to: Instant?
    /// Of this account of the connection only, by the broker's own id.
    var account: String?
    let first: Int

    package static let maximumOrders = 100
    /// Orders of one moment that a page may have to pass over.
    static let slack = 50
    /// The maximum number of orders in one request to a broker.
    static let maximumBrokerPage = 500
    /// The maximum number of requests to a broker for one page, if few of its orders match the filter.
    static let maximumBrokerPages = 5

    /// - Parameters:
    ///   - requestsOpen: Open orders, ended orders, or all.
    ///   - symbols: The instruments; nil for all.
    ///   - first: The maximum number of orders.
    ///   - states: The states; nil for all.
    package init(requestsOpen: Bool?, symbols: [Symbol]?, first: Int, states: Set<OrderState>? = nil) {
        (self.requestsOpen, self.symbols, self.first) = (requestsOpen, symbols, first)
        (self.states, side, from, to) = (states, nil, nil, nil)
    }

    init(_ arguments: ArgumentReader) throws {
        states = try (arguments["states"] as BoundedList<OrderState>?).map { Set($0.elements) }
        requestsOpen = try arguments["open"]
        symbols = try (arguments["symbols"] as BoundedList<Symbol>?)?.elements
        side = try arguments["side"]
        from = try arguments["from"]
        to = try arguments["to"]
        first = try arguments["first"]
    }
}

extension OrderFilter {
    /// Open orders, ended orders, or all, by `requestsOpen` and by the states.
    var isOpen: Bool? {
        if let requestsOpen { return requestsOpen }
        guard let states else { return nil }
        let haveEnded = Set(states.map(\.hasEnded))
        return haveEnded.count == 1 ? haveEnded.first.map { !$0 } : nil
    }

    /// False if no order can match.
    package var canMatch: Bool {
        states?.contains { matches(hasEnded: $0.hasEnded) } ?? true
    }

    /// The position after which matching orders can be.
    func start(after place: OrderCursor.Position?) -> OrderCursor.Position? {
        // A sequence behind all numbers and the empty name precede all others; an order of this very time is excluded by
        // `matches`.
        let newest = to.map { OrderCursor.Position(time: $0, sequence: "~", name: "") }
        guard let newest, let place else { return newest ?? place }
        return max(newest, place)
    }

    /// Whether all orders after one are older than the filter allows.
    func ends(before last: ConnectedOrder?) -> Bool {
        guard let from, let last else { return false }
        return last.time < from
    }

    func matches(_ connected: ConnectedOrder) -> Bool {
        matches(connected.order.state)
            && symbols?.contains(connected.order.symbol) ?? true
            && account.map { $0 == connected.order.accountID ?? $0 } ?? true
            && side.map { $0 == connected.order.side } ?? true
            && from.map { $0 <= connected.time } ?? true
            && to.map { connected.time < $0 } ?? true
    }

    /// Whether orders in a state are requested, by `open` and by `states`.
    package func matches(_ state: OrderState) -> Bool {
        states?.contains(state) ?? true && requestsOpen.map { $0 != state.hasEnded } ?? true
    }

    /// Whether ended orders, or orders that have not ended, are requested.
    func matches(hasEnded: Bool) -> Bool {
        isOpen.map { $0 != hasEnded } ?? true
    }
}
