import Brokerage
import Upstream

/// How far an order has come in Alpaca's words, all of which its specification lists.
enum AlpacaOrderStatus: String, CaseIterable {
    case new
    case partiallyFilled = "partially_filled"
    case filled
    case doneForDay = "done_for_day"
    case canceled
    case expired
    case replaced
    case pendingCancel = "pending_cancel"
    case pendingReplace = "pending_replace"
    case accepted
    case pendingNew = "pending_new"
    case acceptedForBidding = "accepted_for_bidding"
    case stopped
    case rejected
    case suspended
    case calculated
    case held

    /// The same in Portico's words.
    ///
    /// - Parameters:
    ///   - isFilled: Whether all of it has been filled.
    ///   - hasFills: Whether some of it has been filled.
    /// - Returns: the state.
    func state(isFilled: Bool, hasFills: Bool) -> OrderState {
        switch self {
        case .new, .acceptedForBidding: .open
        // A trade is guaranteed, but has not occurred.
        case .stopped: hasFills ? .partiallyFilled : .open
        case .partiallyFilled: .partiallyFilled
        case .filled: .filled
        // Over for today; one that is good till cancelled goes on tomorrow.
        case .doneForDay: hasFills ? .partiallyFilled : .accepted
        // Filled or done for the day; only its settlement is still to be computed.
        case .calculated: isFilled ? .filled : hasFills ? .partiallyFilled : .accepted
        case .canceled: .canceled
        case .expired: .expired
        case .replaced: .replaced
        case .pendingCancel: .pendingCancel
        case .pendingReplace: .pendingReplace
        case .accepted, .pendingNew, .suspended, .held: hasFills ? .partiallyFilled : .accepted
        case .rejected: .rejected
        }
    }
}

extension OrderType {
    /// Nil for a kind that Portico has no name for: Alpaca's legs of option spreads have none.
    init?(alpaca name: String) {
        guard let type = OrderType.allCases.first(where: { $0.alpacaName == name }) else { return nil }
        self = type
    }

    var alpacaName: String {
        switch self {
        case .market: "market"
        case .limit: "limit"
        case .stop: "stop"
        case .stopLimit: "stop_limit"
        case .trailingStop: "trailing_stop"
        }
    }
}

extension TimeInForce {
    init?(alpaca name: String) {
        guard let time = TimeInForce.allCases.first(where: { $0.alpacaName == name }) else { return nil }
        self = time
    }

    /// Nil for what Alpaca does not have.
    var alpacaName: String? {
        switch self {
        case .day: "day"
        case .goodTillCanceled: "gtc"
        case .goodTillDate: nil
        case .immediateOrCancel: "ioc"
        case .fillOrKill: "fok"
        case .opening: "opg"
        case .closing: "cls"
        }
    }
}

extension OrderSide {
    var alpacaName: String {
        switch self {
        case .buy: "buy"
        case .sell: "sell"
        }
    }
}

extension JSONReader {
    /// Reads an order, as answers and the trade stream have it.
    ///
    /// A spread of options has neither symbol nor side of its own: it gets those of its first leg.
    mutating func alpacaOrder(fetchedAt: Instant) throws(JSONError) -> Order {
        var (id, status) = (String?.none, AlpacaOrderStatus?.none)
        var details = AlpacaOrderDetails()
        try object { key, reader throws(JSONError) in
            switch key {
            case "id": id = try reader.string()
            case "status":
                status = try reader.token(oneOf: "the statuses of orders") {
                    AlpacaOrderStatus(rawValue: $0.string)
                }
            case "legs":
                details.legs =
                    try reader.optional { reader throws(JSONError) in
                        try reader.alpacaOrders(fetchedAt: fetchedAt)
                    } ?? []
            default: try details.read(key, from: &reader)
            }
        }
        let (first, ownID, known) = (
            details.legs.first, try required(id, "id"), try required(status, "status")
        )
        let symbol =
            details.symbol.map { AlpacaSymbols.symbol($0, ofClass: details.assetClass) } ?? first?.symbol
        var order = Order(
            id: ownID, symbol: try required(symbol, "symbol"),
            side: try required(details.side ?? first?.side, "side"),
            state: known.state(isFilled: details.isFilled, hasFills: details.hasFills),
            // Alpaca does not say as of when it tells of an order; the last change was at least.
            provenance: Provenance(source: .alpaca, fetchedAt: fetchedAt, asOf: details.updatedAt))
        order.providerState = known.rawValue
        details.complete(&order)
        return order
    }

    /// Reads an array of orders.
    mutating func alpacaOrders(fetchedAt: Instant) throws(JSONError) -> [Order] {
        var orders: [Order] = []
        try array { reader throws(JSONError) in orders.append(try reader.alpacaOrder(fetchedAt: fetchedAt)) }
        return orders
    }
}

/// What an order may have or not.
private struct AlpacaOrderDetails {
    var symbol: Symbol?
    var assetClass: String?
    var side: OrderSide?
    var clientOrderID: String?
    var type: OrderType?
    var timeInForce: TimeInForce?
    var isExtendedHours: Bool?
    var quantity: Decimal?
    var notional: Decimal?
    var limitPrice: Decimal?
    var stopPrice: Decimal?
    var trailPercent: Decimal?
    var trailPrice: Decimal?
    var filledQuantity: Decimal?
    var averageFillPrice: Decimal?
    var replaces: String?
    var replacedBy: String?
    var legs: [Order] = []
    var submittedAt: Instant?
    var updatedAt: Instant?
    var filledAt: Instant?
    var canceledAt: Instant?
    var expiresAt: Instant?

    var hasFills: Bool { filledQuantity.map { !$0.isZero } ?? false }
    var isFilled: Bool { hasFills && filledQuantity == quantity }

    mutating func read(_ key: JSONKey, from reader: inout JSONReader) throws(JSONError) {
        switch key {
        case "symbol": symbol = try reader.symbolOrNone()
        case "asset_class": assetClass = try reader.textOrNone()
        case "side":
            side = try reader.optional { reader throws(JSONError) in try reader.orderSide() } ?? nil
        case "client_order_id": clientOrderID = try reader.textOrNone()
        case "type": type = try reader.textOrNone().flatMap { OrderType(alpaca: $0) }
        case "time_in_force": timeInForce = try reader.textOrNone().flatMap { TimeInForce(alpaca: $0) }
        case "extended_hours": isExtendedHours = try reader.boolOrNil()
        case "qty": quantity = try reader.decimalOrNil()
        case "notional": notional = try reader.decimalOrNil()
        case "limit_price": limitPrice = try reader.decimalOrNil()
        case "stop_price": stopPrice = try reader.decimalOrNil()
        case "trail_percent": trailPercent = try reader.decimalOrNil()
        case "trail_price": trailPrice = try reader.decimalOrNil()
        case "filled_qty": filledQuantity = try reader.decimalOrNil()
        case "filled_avg_price": averageFillPrice = try reader.decimalOrNil()
        case "replaces": replaces = try reader.textOrNone()
        case "replaced_by": replacedBy = try reader.textOrNone()
        default: try readTime(key, from: &reader)
        }
    }

    private mutating func readTime(_ key: JSONKey, from reader: inout JSONReader) throws(JSONError) {
        switch key {
        case "submitted_at": submittedAt = try reader.instantOrNil()
        case "updated_at": updatedAt = try reader.instantOrNil()
        case "filled_at": filledAt = try reader.instantOrNil()
        case "canceled_at": canceledAt = try reader.instantOrNil()
        case "expires_at": expiresAt = try reader.instantOrNil()
        default: try reader.skip()
        }
    }

    func complete(_ order: inout Order) {
        order.clientOrderID = clientOrderID
        order.type = type
        order.timeInForce = timeInForce
        order.isExtendedHours = isExtendedHours
        order.quantity = quantity
        order.notional = notional
        order.limitPrice = limitPrice
        order.stopPrice = stopPrice
        order.trailPercent = trailPercent
        order.trailAmount = trailPrice
        order.filledQuantity = filledQuantity
        order.averageFillPrice = averageFillPrice
        order.replaces = replaces
        order.replacedBy = replacedBy
        order.legs = legs
        order.submittedAt = submittedAt
        order.updatedAt = updatedAt
        order.filledAt = filledAt
        order.canceledAt = canceledAt
        order.expiresAt = expiresAt
    }
}

extension JSONReader {
    /// Reads a string; nil for an empty one and for null.
    fileprivate mutating func textOrNone() throws(JSONError) -> String? {
        let text = try stringOrNil()
        return text == "" ? nil : text
    }

    /// Reads a symbol; nil for an empty one and for null.
    fileprivate mutating func symbolOrNone() throws(JSONError) -> Symbol? {
        guard try !null() else { return nil }
        return try token(oneOf: "the symbols that markets have") { token -> Symbol?? in
            let text = token.string
            return text.isEmpty ? .some(nil) : Symbol(text).map { .some($0) }
        }
    }

    /// Reads a side; nil for an empty one.
    fileprivate mutating func orderSide() throws(JSONError) -> OrderSide? {
        try token(oneOf: "buy, sell") { token -> OrderSide?? in
            switch token {
            case "buy": .some(.buy)
            case "sell": .some(.sell)
            case "": .some(nil)
            default: nil
            }
        }
    }
}
