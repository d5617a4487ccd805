package import Brokerage

/// The open orders of an account, from two lists that Alpaca has of them.
///
/// As users report it, an order that is `held` is not among the open ones, and a nested list has the exits of a
/// filled entry nowhere, because it has a leg below its parent only. So the open orders are read without
/// nesting, which finds at least one order of each group (bracket, OCO, OTO), and the groups in a nested list
/// of orders in any state. If `held` is open, the result is the same.
package struct AlpacaOpenOrders {
    /// Not nested.
    private let listed: [AlpacaOrder]
    /// The orders to which legs belong, with their legs.
    private var groups: [AlpacaOrder] = []

    package init(_ listed: [AlpacaOrder]) {
        self.listed = listed
    }

    /// The open orders of a group that no list of groups has had.
    package var ungrouped: [AlpacaOrder] {
        let known = groupedIDs
        return listed.filter { $0.isInGroup && !known.contains($0.id) }
    }

    /// Adds the groups of a nested list that have an open order.
    ///
    /// An entry that was replaced is none of them: the order that replaced it has the same legs.
    package mutating func add(_ nested: [AlpacaOrder]) {
        let missing = Set(ungrouped.map(\.id))
        groups += nested.filter { $0.replacedBy == nil && !missing.isDisjoint(with: $0.groupIDs) }
    }

    /// The orders, newest first, as ``Order/listItems``.
    ///
    /// The state of an order of a group is that of the later list.
    package func orders(fetchedAt: Instant) -> [Order] {
        let known = groupedIDs
        let others = listed.filter { !known.contains($0.id) }.map { $0.order(fetchedAt: fetchedAt) }
        let grouped = groups.flatMap { parent in
            parent.order(fetchedAt: fetchedAt).listItems.filter { !$0.state.hasEnded }
        }
        return (others + grouped).sorted { $0.listTime ?? .latest > $1.listTime ?? .latest }
    }

    private var groupedIDs: Set<String> { Set(groups.flatMap(\.groupIDs)) }
}

extension AlpacaOrder {
    private static let classesWithLegs: Set = ["bracket", "oco", "oto"]

    /// Whether it has legs, or is one.
    var isInGroup: Bool { orderClass.map(Self.classesWithLegs.contains) ?? false }

    /// The ids of the order and of its legs.
    fileprivate var groupIDs: [String] { [id] + legs.map(\.id) }
}
