package import Brokerage
package import Upstream

/// An event of an order, from `ens/v1/activities/subscriptions` (Saxo's reference: Client Activities), and with the same
/// fields from `cs/v1/audit/orderactivities`, where it may be the last event of the order.
///
/// An event contains the whole order after it.
package struct SaxoOrderEvent: JSONObjectDecodable, Hashable {
    /// The number of the event, by which a later subscription continues.
    package var sequenceID: String?
    /// True for an event of an order; the service has other activities too.
    var isOfOrder = true
    /// Its id is empty in an event without one: it is no event of an order.
    package var order = SaxoOpenOrder()
    /// The side and the amount, of which ``order`` has no value for a missing one.
    private var side: OrderSide?
    private var amount: Decimal?
    /// `AccountId`: the number of the account that people use.
    ///
    /// An entry of the log has no `AccountKey`.
    var accountNumber: String?
    /// `Confirmed`, `Rejected` or `Requested`; only a confirmed event has happened.
    var subStatus: String?
    var averagePrice: Decimal?
    /// The money to spend, for an order by money.
    var cashAmount: Decimal?
    /// The number of the entry in the log, which increases with time.
    var logID: String?
    package var time: Instant?

    package static let json = JSONFields(Self()) {
        $0.optional("SequenceId", \.sequenceID) { reader throws(JSONError) in try reader.idOrNil() }
        $0.optional("ActivityType", \.isOfOrder) { reader throws(JSONError) in
            try reader.string() == "Orders"
        }
        $0.optional("OrderId", \.order.id) { reader throws(JSONError) in try reader.idOrNil() ?? "" }
        $0.optional("Uic", \.order.key.uic)
        $0.optional("AssetType", \.order.key.assetType)
        $0.optional("BuySell", \.side) { reader throws(JSONError) in try reader.sideOrNil() }
        $0.optional("Amount", \.amount)
        $0.optional("OrderType", \.order.type)
        $0.optional("Status", \.order.status)
        $0.optional("SubStatus", \.subStatus)
        $0.optional("AccountKey", \.order.terms.accountKey)
        $0.optional("AccountId", \.accountNumber) { reader throws(JSONError) in try reader.idOrNil() }
        $0.optional("ExternalReference", \.order.terms.externalReference)
        $0.optional("FilledAmount", \.order.terms.filledAmount)
        $0.optional("AveragePrice", \.averagePrice, JSONReader.nonzero)
        $0.optional("CashAmount", \.cashAmount, JSONReader.nonzero)
        $0.optional("LogId", \.logID) { reader throws(JSONError) in try reader.idOrNil() }
        $0.optional("Price", \.order.terms.price, JSONReader.nonzero)
        $0.optional("StopLimitPrice", \.order.terms.stopLimitPrice, JSONReader.nonzero)
        $0.optional("TrailingStopDistanceToMarket", \.order.terms.trailingDistance, JSONReader.nonzero)
        $0.optional("OrderRelation", \.order.terms.relation) { reader throws(JSONError) in
            try reader.name(SaxoOpenOrder.Relation.init(saxo:))
        }
        $0.optional("Duration", \.order.terms.duration)
        $0.optional("ActivityTime", \.time) { reader throws(JSONError) in try reader.timeOrNil() }
        $0.optional("DisplayAndFormat", \.order.terms.format)
    }

    private init() {}

    /// Reads an event.
    ///
    /// - Throws: `missing` for an event of an order without its instrument or side, or without all amounts: `Amount`, `CashAmount`,
    ///   and for a final fill `FilledAmount`. Each event has them by Saxo's reference (Order events); a default would be
    ///   another order.
    package init(json reader: inout JSONReader) throws(JSONError) {
        self = try Self.json.read(from: &reader)
        guard isOfOrder, !order.id.isEmpty else { return }
        let key = order.key
        _ = try reader.required(key.uic == 0 ? nil : key.uic, "Uic")
        _ = try reader.required(key.assetType.isEmpty ? nil : key.assetType, "AssetType")
        order.side = try reader.required(side, "BuySell")
        // The final fill in an example of the log has only what was filled, which is the whole amount then.
        let whole = amount ?? (order.status == "FinalFill" ? order.terms.filledAmount : nil)
        if let whole {
            order.amount = whole
        } else {
            _ = try reader.required(cashAmount, "Amount or CashAmount")
        }
    }

    /// Reads a payload: an event, or an array of events.
    package static func events(in payload: [UInt8]) throws(JSONError) -> JSONRows<SaxoOrderEvent> {
        try JSONReader.read(payload) { reader throws(JSONError) in
            var rows = JSONRows<SaxoOrderEvent>()
            try reader.eachObject { reader throws(JSONError) in
                let place = rows.elements.count + rows.failures.count
                try rows.add(try reader.row(SaxoOrderEvent.init(json:)), at: .index(place))
            }
            return rows
        }
    }
}

extension SaxoOrderEvent {
    /// Whether the event is a change of an order that Portico reports.
    ///
    /// The placing of an exit is not: its entry has it as a leg.
    package var isReported: Bool {
        isOfOrder && !order.id.isEmpty && !isRequested
            && !(order.terms.relation == .exit && order.status == "Placed")
    }

    /// The order as an `Order` of Portico, in the state after the event.
    ///
    /// - Parameters:
    ///   - listing: The instrument.
    ///   - fetchedAt: The time of the response.
    ///   - isLast: Whether it is the last event of an order that is not open.
    /// - Returns: The order.
    package func order(of listing: SaxoListing, fetchedAt: Instant, isLast: Bool = false) -> Order {
        var order = order.order(of: listing, fetchedAt: fetchedAt)
        order.state = isLast ? lastState : state
        if let cashAmount { (order.quantity, order.notional) = (nil, cashAmount) }
        order.averageFillPrice = listing.major(price: averagePrice)
        order.updatedAt = time
        if self.order.status == "Placed" { order.submittedAt = time }
        if order.state == .canceled { order.canceledAt = time }
        if order.state == .filled {
            order.filledAt = time
            order.filledQuantity = order.filledQuantity ?? order.quantity
        }
        return order
    }

    /// The id of the account of the order: the key of the account with its number.
    ///
    /// - Parameter accounts: All accounts of the user.
    /// - Returns: The id; nil if the event names no account and the user has one at most. Otherwise a text that is the id of no
    ///   account, so that the order of an unknown account belongs to none.
    func accountID(among accounts: [SaxoAccount]) -> String? {
        if let key = order.terms.accountKey { return key }
        guard let accountNumber else { return accounts.count > 1 ? "" : nil }
        return accounts.first { $0.id == accountNumber }?.key ?? accountNumber
    }

    /// By `Status` and `SubStatus`; a change or a cancellation that Saxo rejected leaves the order as it was.
    private var state: OrderState {
        let filled = order.terms.filledAmount ?? .zero
        let open: OrderState = filled.isZero ? .open : .partiallyFilled
        switch (order.status, subStatus) {
        case ("Placed", "Rejected"): return .rejected
        case ("Placed", _) where isRequested: return .accepted
        case ("Cancelled", _) where isRequested: return .pendingCancel
        case ("Changed", _) where isRequested: return .pendingReplace
        case (_, "Rejected") where isFilled, (_, _) where isRequested && isFilled: return .filled
        case (_, _) where isRequested: return order.terms.relation == .exit ? .accepted : open
        case ("Placed", _) where order.terms.relation == .exit: return .accepted
        case (_, "Rejected"): return open
        case ("Fill", _): return .partiallyFilled
        case ("FinalFill", _): return .filled
        case ("Cancelled", _): return .canceled
        case ("Expired", _): return .expired
        // Placed, Changed, DoneForDay, TrailingStopOrderMove, Working.
        default: return order.terms.relation == .exit ? .accepted : open
        }
    }

    /// Whether the request of the event has no outcome yet: it waits for Saxo, or for the exchange to which it is routed.
    private var isRequested: Bool {
        ["Requested", "RouteRequestPending", "RouteRequested"].contains(subStatus)
    }

    /// Whether the whole amount is filled.
    private var isFilled: Bool {
        order.terms.filledAmount.map { !$0.isZero && $0 >= order.amount } ?? false
    }

    /// The state of an order that is not open, by its last event.
    ///
    /// An order of which the last event is a rejected change has ended before, or is open: the event does not show it.
    private var lastState: OrderState {
        switch order.status {
        case "Placed", "Changed", "DoneForDay", "TrailingStopOrderMove", "Working", "Fill", "FinalFill",
            "Cancelled", "Expired":
            let state = state
            return subStatus == "Rejected" && !state.isFinal ? .unknown : state
        default: return .unknown
        }
    }

    /// Whether the event is later than another one of its order.
    func isLater(than other: SaxoOrderEvent) -> Bool {
        let (log, otherLog) = (logID ?? "", other.logID ?? "")
        return (time ?? .earliest, log.utf8.count, log) > (
            other.time ?? .earliest, otherLog.utf8.count, otherLog
        )
    }
}

/// The body of `POST /ens/v1/activities/subscriptions` for the events of all orders of the user.
package struct SaxoOrderSubscriptionRequest: Hashable, Sendable {
    let referenceID: String
    /// The subscription that it takes the place of.
    let replaces: String?

    package init(referenceID: String, replaces: String?) {
        (self.referenceID, self.replaces) = (referenceID, replaces)
    }

    /// The events that a subscription begins with.
    package enum Start: Hashable, Sendable {
        /// Later events only.
        case realTime
        /// Those from an event on, which the response contains again.
        case sequence(String)
        /// Those from a time on.
        case time(Instant)
    }

    package func body(contextID: String, from start: Start) -> [UInt8] {
        var arguments = JSONObjectText()
        arguments.add("Activities", ["Orders"])
        arguments.add("FieldGroups", ["DisplayAndFormat"])
        switch start {
        case .realTime: break
        case .sequence(let id): arguments.add("SequenceId", id)
        case .time(let time): arguments.add("FromDateTime", time.description)
        }
        var text = JSONObjectText()
        text.add("ContextId", contextID)
        text.add("ReferenceId", referenceID)
        text.add("ReplaceReferenceId", replaces)
        text.add("Format", "application/json")
        text.add("Arguments", arguments)
        return text.bytes
    }
}

/// The response to a subscription to events.
package struct SaxoOrderSubscription: JSONDecodable, Hashable {
    /// The events since the requested start.
    var events: [SaxoOrderEvent]
    /// A subscription without a message for this number of seconds has ended.
    var inactivityTimeout: Int

    package init(json reader: inout JSONReader) throws(JSONError) {
        var (events, timeout) = ([SaxoOrderEvent](), Int?.none)
        try reader.object { key, reader throws(JSONError) in
            switch key {
            case "Snapshot": events = try SaxoPage<SaxoOrderEvent>(json: &reader).items
            case "InactivityTimeout": timeout = try reader.intOrNil()
            default: try reader.skip()
            }
        }
        self.events = events
        inactivityTimeout = SaxoPriceSubscription.inactivityTimeout(timeout)
    }
}
