package import Brokerage
import Upstream

/// An item of `GET /port/v1/orders/me`; the trade service itself has none.
package struct SaxoOpenOrder: JSONDecodable, Hashable {
    package var id: String
    var key: SaxoInstrumentKey
    package var side: OrderSide
    package var amount: Decimal
    package var type: String
    var status: String
    package var terms: Terms

    /// What may be missing.
    package struct Terms: Hashable {
        var accountKey: String?
        var externalReference: String?
        /// The amount is money to spend, not pieces.
        var isCashAmount = false
        var filledAmount: Decimal?
        package var price: Decimal?
        var stopLimitPrice: Decimal?
        var trailingDistance: Decimal?
        /// Ids of orders that begin or end with this one: take-profit, stop-loss, one that cancels the other.
        var relatedIDs: [String] = []
        package var duration = SaxoDuration()
        var time: Instant?
        var format = SaxoDisplayFormat()
    }

    init(json reader: inout JSONReader) throws(JSONError) {
        var (id, type, status) = (String?.none, String?.none, String?.none)
        var (uic, assetType) = (Int?.none, String?.none)
        var (side, amount, terms) = (OrderSide?.none, Decimal?.none, Terms())
        try reader.object { key, reader throws(JSONError) in
            switch key {
            case "OrderId": id = try reader.idOrNil()
            case "Uic": uic = try reader.int()
            case "AssetType": assetType = try reader.string()
            case "BuySell": side = try reader.sideOrNil()
            case "Amount": amount = try reader.decimal()
            case "OpenOrderType": type = try reader.string()
            case "Status": status = try reader.string()
            default: try terms.read(key, json: &reader)
            }
        }
        self.id = try reader.required(id, "OrderId")
        key = SaxoInstrumentKey(
            uic: try reader.required(uic, "Uic"), assetType: try reader.required(assetType, "AssetType"))
        self.side = try reader.required(side, "BuySell")
        self.amount = try reader.required(amount, "Amount")
        self.type = try reader.required(type, "OpenOrderType")
        self.status = try reader.required(status, "Status")
        self.terms = terms
    }
}

extension SaxoOpenOrder.Terms {
    fileprivate mutating func read(_ key: JSONKey, json reader: inout JSONReader) throws(JSONError) {
        switch key {
        case "AccountKey": accountKey = try reader.stringOrNil()
        case "ExternalReference": externalReference = try reader.stringOrNil()
        case "OrderAmountType": isCashAmount = try reader.stringOrNil() == "CashAmount"
        case "FilledAmount": filledAmount = try reader.decimalOrNil()
        case "Price": price = try reader.nonzeroOrNil()
        case "StopLimitPrice": stopLimitPrice = try reader.nonzeroOrNil()
        case "TrailingStopDistanceToMarket": trailingDistance = try reader.nonzeroOrNil()
        case "RelatedOpenOrders": relatedIDs = try reader.orderIDs()
        case "Duration": duration = try reader.optional(SaxoDuration.init(json:)) ?? SaxoDuration()
        case "OrderTime": time = try reader.timeOrNil()
        case "DisplayAndFormat":
            format = try reader.optional(SaxoDisplayFormat.init(json:)) ?? SaxoDisplayFormat()
        default: try reader.skip()
        }
    }
}

extension JSONReader {
    /// Reads the `OrderId` of each of some orders; null is none.
    fileprivate mutating func orderIDs() throws(JSONError) -> [String] {
        var ids: [String] = []
        guard try !null() else { return ids }
        try array { reader throws(JSONError) in
            try reader.object { key, reader throws(JSONError) in
                switch key {
                case "OrderId": if let id = try reader.idOrNil() { ids.append(id) }
                default: try reader.skip()
                }
            }
        }
        return ids
    }
}

/// How long an order stands: `Duration` of an open one.
package struct SaxoDuration: JSONDecodable, Hashable {
    package var type: String?
    /// The last second in UTC of a date that comes without a time: when its exchange closes is not known here.
    var expiresAt: Instant?

    init() {}

    init(json reader: inout JSONReader) throws(JSONError) {
        var (expiry, hasTime) = (String?.none, false)
        try reader.object { key, reader throws(JSONError) in
            switch key {
            case "DurationType": type = try reader.stringOrNil()
            case "ExpirationDateTime": expiry = try reader.stringOrNil()
            case "ExpirationDateContainsTime": hasTime = try reader.boolOrNil() ?? false
            default: try reader.skip()
            }
        }
        expiresAt = expiry.flatMap { Self.instant($0, hasTime: hasTime) }
    }

    /// Times are in UTC, also where they do not say so.
    private static func instant(_ text: String, hasTime: Bool) -> Instant? {
        if hasTime { return Instant(text) ?? Instant(text + "Z") }
        return CalendarDate(text.prefix(10)).flatMap { Instant("\($0)T23:59:59Z") }
    }
}

extension SaxoOpenOrder {
    /// The order in Portico's words.
    ///
    /// Orders tied to it are in the list themselves, and become its legs there.
    package func order(of listing: SaxoListing, fetchedAt: Instant) -> Order {
        let currency = listing.currency
        let isPartlyFilled = terms.filledAmount.map { !$0.isZero && $0 < amount } ?? false
        var order = Order(
            id: id, symbol: listing.symbol, side: side,
            state: OrderState(saxo: status, isPartlyFilled: isPartlyFilled),
            provenance: Provenance(source: .saxo, fetchedAt: fetchedAt))
        order.accountID = terms.accountKey
        order.clientOrderID = terms.externalReference.flatMap { $0.isEmpty ? nil : $0 }
        order.type = OrderType(saxo: type)
        order.timeInForce = terms.duration.type.flatMap { TimeInForce(saxo: $0) }
        order.quantity = terms.isCashAmount ? nil : amount
        order.notional = terms.isCashAmount ? amount : nil
        order.filledQuantity = terms.filledAmount
        order.providerState = status
        order.submittedAt = terms.time
        order.expiresAt = terms.duration.expiresAt
        switch order.type {
        case .limit: order.limitPrice = currency.major(terms.price)
        case .stop: order.stopPrice = currency.major(terms.price)
        case .trailingStop:
            order.stopPrice = currency.major(terms.price)
            order.trailAmount = currency.major(terms.trailingDistance)
        case .stopLimit:
            order.stopPrice = currency.major(terms.price)
            order.limitPrice = currency.major(terms.stopLimitPrice)
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
    /// Saxo's `Status` of an open order.
    ///
    /// All that it lists are with it, so a word that is not known is `accepted` at least.
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
