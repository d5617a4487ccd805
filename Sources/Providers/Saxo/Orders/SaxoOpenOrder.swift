package import Brokerage
import Upstream

/// An item of `GET /port/v1/orders/me`; the trade service itself has none.
package struct SaxoOpenOrder: JSONObjectDecodable, Hashable {
    package var id = ""
    var key = SaxoInstrumentKey()
    package var side = OrderSide.buy
    package var amount = Decimal.zero
    /// `OpenOrderType`: Saxo has several of one type of Portico, which are triggered by different prices.
    package var type = ""
    var status = ""
    package var terms = Terms()

    /// The terms of an order, which may be missing.
    package struct Terms: Hashable {
        var accountKey: String?
        var externalReference: String?
        /// The amount is money to spend, not pieces.
        var isCashAmount = false
        var filledAmount: Decimal?
        package var price: Decimal?
        var stopLimitPrice: Decimal?
        var trailingDistance: Decimal?
        /// The steps by which a trailing stop follows the market, in the unit of the price.
        var trailingStep: Decimal?
        /// Ids of orders that begin or end with this one: take-profit, stop-loss, one that cancels the other.
        var relatedIDs: [String] = []
        var relation: Relation?
        package var duration = SaxoDuration()
        /// Whether the order is executed in all sessions, or in the regular one only; nil if Saxo does not state it.
        ///
        /// `ExecuteAtTradingSession`: developer.saxo, "Extended trading hours in OpenAPI".
        var isForAllSessions: Bool?
        var time: Instant?
        var format = SaxoDisplayFormat()
    }

    /// The relation of an order to its related ones, under the old and the new names of `OrderRelation`.
    enum Relation {
        /// The entry, whose related orders wait for its fill.
        case entry
        /// An exit that waits for the fill of its entry.
        case exit
        /// One of a pair of which one cancels the other.
        case oneCancelsOther
        case standAlone

        init?(saxo name: String) {
            switch name {
            case "IfDoneMaster", "IfDoneMain": self = .entry
            case "IfDoneSlave", "IfDoneRelated", "IfDoneSlaveOco", "IfDoneRelatedOco": self = .exit
            case "Oco": self = .oneCancelsOther
            case "StandAlone": self = .standAlone
            default: return nil
            }
        }
    }

    static let json = JSONFields(Self()) {
        $0.required("OrderId", \.id) { reader throws(JSONError) in try reader.idOrNil() }
        $0.required("Uic", \.key.uic)
        $0.required("AssetType", \.key.assetType)
        $0.required("BuySell", \.side) { reader throws(JSONError) in try reader.sideOrNil() }
        $0.required("Amount", \.amount)
        $0.required("OpenOrderType", \.type) { reader throws(JSONError) in
            try reader.name(where: { OrderType(saxo: $0) != nil })
        }
        $0.required("Status", \.status)
        $0.optional("AccountKey", \.terms.accountKey)
        $0.optional("ExternalReference", \.terms.externalReference)
        $0.optional("OrderAmountType", \.terms.isCashAmount) { reader throws(JSONError) in
            try reader.string() == "CashAmount"
        }
        $0.optional("FilledAmount", \.terms.filledAmount)
        $0.optional("Price", \.terms.price, JSONReader.nonzero)
        $0.optional("StopLimitPrice", \.terms.stopLimitPrice, JSONReader.nonzero)
        $0.optional("TrailingStopDistanceToMarket", \.terms.trailingDistance, JSONReader.nonzero)
        $0.optional("TrailingStopStep", \.terms.trailingStep, JSONReader.nonzero)
        $0.optional("RelatedOpenOrders", \.terms.relatedIDs) { reader throws(JSONError) in
            try reader.array(of: RelatedOrder.self).compactMap(\.id)
        }
        $0.optional("OrderRelation", \.terms.relation) { reader throws(JSONError) in
            try reader.name(Relation.init(saxo:))
        }
        $0.optional("Duration", \.terms.duration)
        // The reference does not have its type.
        $0.optional("ExecuteAtTradingSession", \.terms.isForAllSessions) { reader throws(JSONError) in
            try reader.readable { reader throws(JSONError) in
                try reader.name { name in ["All": true, "Regular": false][name] }
            }
        }
        $0.optional("OrderTime", \.terms.time) { reader throws(JSONError) in try reader.timeOrNil() }
        $0.optional("DisplayAndFormat", \.terms.format)
    }

    private struct RelatedOrder: JSONObjectDecodable {
        var id: String?

        static let json = JSONFields(Self()) {
            $0.optional("OrderId", \.id) { reader throws(JSONError) in try reader.idOrNil() }
        }
    }
}

extension SaxoOpenOrder {
    /// The order as an `Order` of Portico.
    ///
    /// Related orders are separate items of the list and become its legs there.
    package func order(of listing: SaxoListing, fetchedAt: Instant) -> Order {
        let isPartlyFilled = terms.filledAmount.map { !$0.isZero && $0 < amount } ?? false
        var order = Order(
            id: id, symbol: listing.symbol, side: side,
            state: OrderState(saxo: status, isPartlyFilled: isPartlyFilled),
            provenance: Provenance(source: .saxo, fetchedAt: fetchedAt))
        order.accountID = terms.accountKey
        order.clientOrderID = terms.externalReference.flatMap { $0.isEmpty ? nil : $0 }
        order.type = OrderType(saxo: type)
        order.timeInForce = terms.duration.type.flatMap { TimeInForce(saxo: $0) }
        order.isExtendedHours = terms.isForAllSessions
        order.quantity = terms.isCashAmount ? nil : amount
        order.notional = terms.isCashAmount ? amount : nil
        order.filledQuantity = terms.filledAmount
        order.providerState = status
        order.submittedAt = terms.time
        order.expiresAt = terms.duration.expiresAt
        switch order.type {
        case .limit: order.limitPrice = listing.major(price: terms.price)
        case .stop: order.stopPrice = listing.major(price: terms.price)
        case .trailingStop:
            order.stopPrice = listing.major(price: terms.price)
            order.trailAmount = listing.major(price: terms.trailingDistance)
        case .stopLimit:
            order.stopPrice = listing.major(price: terms.price)
            order.limitPrice = listing.major(price: terms.stopLimitPrice)
        case .market, nil: break
        }
        return order
    }
}

extension OrderType {
    /// Saxo's type of an order; nil for one that Portico has no name for.
    init?(saxo name: String) {
        switch name {
        case "Market": self = .market
        case "Limit": self = .limit
        case "Stop", "StopIfTraded", "StopIfBid", "StopIfOffered": self = .stop
        case "StopLimit": self = .stopLimit
        case "TrailingStop", "TrailingStopIfTraded", "TrailingStopIfBid", "TrailingStopIfOffered":
            self = .trailingStop
        default: return nil
        }
    }
}

extension TimeInForce {
    /// Saxo's `DurationType`; nil for one that Portico has no name for.
    init?(saxo name: String) {
        switch name {
        case "DayOrder": self = .day
        case "GoodTillCancel": self = .goodTillCanceled
        case "GoodTillDate": self = .goodTillDate
        case "ImmediateOrCancel": self = .immediateOrCancel
        case "FillOrKill": self = .fillOrKill
        case "AtTheOpening": self = .opening
        case "AtTheClose": self = .closing
        default: return nil
        }
    }

    var saxo: String {
        switch self {
        case .day: "DayOrder"
        case .goodTillCanceled: "GoodTillCancel"
        case .goodTillDate: "GoodTillDate"
        case .immediateOrCancel: "ImmediateOrCancel"
        case .fillOrKill: "FillOrKill"
        case .opening: "AtTheOpening"
        case .closing: "AtTheClose"
        }
    }
}

extension OrderSide {
    var saxo: String {
        switch self {
        case .buy: "Buy"
        case .sell: "Sell"
        }
    }
}

extension OrderState {
    /// Maps Saxo's `Status` of an open order.
    ///
    /// Saxo lists only orders that it has, so an unknown status is `accepted` at least.
    init(saxo status: String, isPartlyFilled: Bool) {
        switch status {
        case "Working": self = isPartlyFilled ? .partiallyFilled : .open
        case "Filled": self = .filled
        case "WorkingLockedCancelPending", "NotWorkingLockedCancelPending": self = .pendingCancel
        case "WorkingLockedChangePending", "NotWorkingLockedChangePending": self = .pendingReplace
        default: self = .accepted
        }
    }
}

extension SaxoClient {
    /// All open orders: `GET /port/v1/orders/me`, page after page; those tied to another are its legs too.
    ///
    /// - Throws: `ProviderFailure`, never with the cause `notFound`: a 404 for the list does not show whether
    ///   an order exists.
    func openOrders(in context: CallContext) async throws(ProviderFailure) -> OrderPage {
        do throws(ProviderFailure) {
            return try await readOpenOrders(in: context)
        } catch {
            throw error.cause == .notFound ? ProviderFailure(.saxo, .unavailable) : error
        }
    }

    private func readOpenOrders(in context: CallContext) async throws(ProviderFailure) -> OrderPage {
        let list = try await openRows(in: context)
        let listings = try await listings(of: list.items.map { ($0.key, $0.terms.format) }, in: context)
        let fetchedAt = clock.wallTime()
        var unreadable = list.unreadable
        var sent: [SaxoOpenOrder] = []
        var orders: [Order] = []
        for item in list.items {
            guard let listing = listings[item.key] else {
                unreadable.append("Data: Uic and AssetType of an order name no instrument")
                continue
            }
            sent.append(item)
            orders.append(item.order(of: listing, fetchedAt: fetchedAt))
        }
        let byID = Dictionary(orders.map { ($0.id, $0) }) { first, _ in first }
        let entries = Set(sent.filter { $0.terms.relation == .entry }.map(\.id))
        for (place, item) in sent.enumerated() {
            let related = item.terms.relatedIDs
            switch item.terms.relation {
            case .entry, nil:
                orders[place].legs = related.compactMap { byID[$0] }
                // One of the orders that cannot be read may be the missing leg.
                if orders[place].legs.count < related.count { orders[place].unreadableLegs = unreadable }
            case .exit: orders[place].parentID = related.first(where: entries.contains)
            case .oneCancelsOther:
                guard let other = related.lazy.compactMap({ byID[$0] }).first else { continue }
                if orders[place].precedes(other) {
                    orders[place].legs = [other]
                } else {
                    orders[place].parentID = other.id
                }
            case .standAlone: break
            }
        }
        let parents = Dictionary(orders.compactMap { order in order.parentID.map { (order.id, $0) } }) {
            first, _ in first
        }
        for place in orders.indices {
            for leg in orders[place].legs.indices {
                orders[place].legs[leg].parentID = parents[orders[place].legs[leg].id]
            }
        }
        return OrderPage(orders: orders, unreadable: unreadable, hasMore: false)
    }

    private func openRows(
        in context: CallContext
    ) async throws(ProviderFailure) -> SaxoList<SaxoOpenOrder> {
        let url = try address(
            .portfolio, ["v1", "orders", "me"],
            // Without a status, the exits of a working order are left out.
            [("Status", "All"), ("FieldGroups", "DisplayAndFormat"), ("$top", Self.pageSize)])
        return try await list("orders", .portfolio, url, of: SaxoOpenOrder.self, in: context)
    }

    /// An open order as Saxo lists it now, with what `Order` does not have; nil if Saxo does not list it as open.
    ///
    /// - Throws: `ProviderFailure`, also if it may be one of the orders that cannot be read.
    func openRow(_ id: String, in context: CallContext) async throws(ProviderFailure) -> SaxoOpenOrder? {
        let list: SaxoList<SaxoOpenOrder>
        do throws(ProviderFailure) {
            list = try await openRows(in: context)
        } catch {
            throw error.cause == .notFound ? ProviderFailure(.saxo, .unavailable) : error
        }
        if let row = list.items.first(where: { $0.id == id }) { return row }
        guard list.failures.isEmpty else { throw ProviderFailure(.saxo, .invalidResponse(nil)) }
        return nil
    }

    /// The newest of the requested orders, and those that cannot be read.
    static func page(_ orders: [Order], _ unreadable: [String], _ query: OrderQuery) -> OrderPage {
        let symbols = query.symbols.map { Set($0) }
        let wanted = orders.filter { order in
            guard symbols?.contains(order.symbol) ?? true else { return false }
            guard let before = query.before else { return true }
            // An order without a time is not left out.
            return order.listTime.map { $0 < before } ?? true
        }.sorted { one, other in
            let (time, otherTime) = (one.listTime ?? .latest, other.listTime ?? .latest)
            if time != otherTime { return time > otherTime }
            // Saxo's ids rise.
            return (one.id.utf8.count, one.id) > (other.id.utf8.count, other.id)
        }
        let limit = min(max(query.limit, 1), 500)
        return OrderPage(
            orders: Array(wanted.prefix(limit)), unreadable: unreadable, hasMore: wanted.count > limit)
    }
}

extension Order {
    /// Whether the order is the first of a pair of which one cancels the other: the take profit, as at other
    /// brokers.
    fileprivate func precedes(_ other: Order) -> Bool {
        if (type == .limit) != (other.type == .limit) { return type == .limit }
        return (id.utf8.count, id) < (other.id.utf8.count, other.id)
    }
}
