import Brokerage
import Storage

/// The orders of a connection as those who follow them know them: the open ones, and the last that have ended.
///
/// A value without time or tasks: ``OrderSubscriptions`` says what comes in.
struct OrderSnapshot {
    private var orders: [String: SubscribedOrder] = [:]
    /// The ids of those that have ended, the last one last.
    private var ended: [String] = []

    /// So many that have ended are kept for those who have not been told yet.
    static let maximumEnded = 100

    /// All of them, by their ids.
    var all: [SubscribedOrder] { orders.values.sorted { $0.globalID < $1.globalID } }

    /// Takes in what is said of an order, unless something later is known.
    mutating func merge(_ linked: ConnectedOrder) {
        if let known = orders[linked.globalID], known.linked.order.isLater(than: linked.order) { return }
        put(SubscribedOrder(linked: linked, hasEnded: linked.order.state.isFinal))
    }

    /// Takes in all orders that are open.
    ///
    /// - Returns: those that were open, and are not among them: what became of them must be asked for.
    mutating func merge(open: [ConnectedOrder]) -> [ConnectedOrder] {
        let ids = Set(open.map(\.globalID))
        let missing = orders.values.filter { !$0.hasEnded && !ids.contains($0.globalID) }.map(\.linked)
        for linked in open { merge(linked) }
        return missing.sorted { $0.globalID < $1.globalID }
    }

    /// Takes in that an order has ended, as far as anybody can tell how.
    mutating func end(_ linked: ConnectedOrder) {
        put(SubscribedOrder(linked: linked, hasEnded: true))
    }

    private mutating func put(_ order: SubscribedOrder) {
        let id = order.globalID
        if orders.updateValue(order, forKey: id)?.hasEnded == true { ended.removeAll { $0 == id } }
        guard order.hasEnded else { return }
        ended.append(id)
        if ended.count > Self.maximumEnded { orders[ended.removeFirst()] = nil }
    }
}

/// An order that is followed.
struct SubscribedOrder: Sendable {
    let linked: ConnectedOrder
    /// Whether it is open no more; where its broker does not tell how orders end, its state does not say so.
    let hasEnded: Bool
}

extension SubscribedOrder: LiveEntity {
    var globalID: String { linked.globalID }
    /// How an order ended is told when it does.
    var closed: SubscribedOrder? { nil }
    var isCurrent: Bool { !hasEnded }

    func isEquivalent(to other: SubscribedOrder) -> Bool {
        linked.clientOrderID == other.linked.clientOrderID && hasEnded == other.hasEnded
            && linked.reconciliation == other.linked.reconciliation
            && linked.order.provenance.isStale == other.linked.order.provenance.isStale
            && linked.order.figures == other.linked.order.figures
    }
}

extension Order {
    /// The order without what the journal and its broker say differently of the same: names of its own, and when what its state
    /// says came about.
    fileprivate var figures: Order {
        var order = self
        order.provenance = Provenance(source: provenance.source, fetchedAt: .earliest)
        (order.accountID, order.clientOrderID) = (nil, nil)
        (order.submittedAt, order.updatedAt, order.filledAt, order.canceledAt) = (nil, nil, nil, nil)
        return order
    }

    /// Whether another reading of the order is older than this one, however the two came here.
    fileprivate func isLater(than other: Order) -> Bool {
        // Another order took its place, and is not to be taken for it again.
        if id != other.id { return replaces.map { $0 == other.id } ?? false }
        if state.isFinal != other.state.isFinal { return state.isFinal }
        guard let updatedAt, let otherUpdate = other.updatedAt else { return false }
        return updatedAt > otherUpdate
    }
}
