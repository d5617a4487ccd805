package import Brokerage
package import Upstream

/// The status of an order in Alpaca's terms: those of its specification and its SDKs, whose list grows.
package enum AlpacaOrderStatus: String, CaseIterable {
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
    case pendingReview = "pending_review"

    /// The status as an `OrderState` of Portico.
    ///
    /// - Parameters:
    ///   - isFilled: Whether the whole quantity is filled.
    ///   - hasFills: Whether a part of the quantity is filled.
    /// - Returns: The state.
    func state(isFilled: Bool, hasFills: Bool) -> OrderState {
        switch self {
        case .new, .acceptedForBidding: .open
        // A trade is guaranteed, but has not occurred.
        case .stopped: hasFills ? .partiallyFilled : .open
        case .partiallyFilled: .partiallyFilled
        case .filled: .filled
        // Done for today; an order that is good till cancelled continues tomorrow.
        case .doneForDay: hasFills ? .partiallyFilled : .accepted
        // Filled or done for the day; only its settlement is still to be computed.
        case .calculated: isFilled ? .filled : hasFills ? .partiallyFilled : .accepted
        case .canceled: .canceled
        case .expired: .expired
        case .replaced: .replaced
        case .pendingCancel: .pendingCancel
        case .pendingReplace: .pendingReplace
        case .accepted, .pendingNew, .suspended, .held, .pendingReview:
            hasFills ? .partiallyFilled : .accepted
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

/// An order in responses and in the trade stream.
package struct AlpacaOrder: JSONObjectDecodable {
    var id = ""
    /// Alpaca's term, which may be new.
    var statusTerm = ""
    /// Symbol and side of the first leg for an options spread, which has neither itself.
    var symbol = Symbol.example
    var side = OrderSide.buy
    private var ownSymbol: Symbol?
    private var ownSide: OrderSide?
    var assetClass: String?
    /// `bracket`, `oco` or `oto` for an order with legs and for each of its legs.
    var orderClass: String?
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
    private var legRows = JSONRows<AlpacaOrder>()
    var legs: [AlpacaOrder] { legRows.elements }
    var submittedAt: Instant?
    var updatedAt: Instant?
    var filledAt: Instant?
    var canceledAt: Instant?
    var expiresAt: Instant?

    package static let json = JSONFields(Self()) {
        $0.required("id", \.id)
        $0.required("status", \.statusTerm) { reader throws(JSONError) in
            try reader.name(where: { AlpacaOrderStatus(rawValue: $0) != nil })
        }
        $0.optional("symbol", \.ownSymbol, JSONReader.nonemptySymbol)
        $0.optional("asset_class", \.assetClass, JSONReader.nonemptyString)
        $0.optional("order_class", \.orderClass, JSONReader.nonemptyString)
        $0.optional("side", \.ownSide, JSONReader.orderSide)
        $0.optional("client_order_id", \.clientOrderID, JSONReader.nonemptyString)
        $0.optional("type", \.type) { reader throws(JSONError) in
            try reader.name(OrderType.init(alpaca:))
        }
        $0.optional("time_in_force", \.timeInForce) { reader throws(JSONError) in
            try reader.name(TimeInForce.init(alpaca:))
        }
        $0.optional("extended_hours", \.isExtendedHours)
        $0.optional("qty", \.quantity)
        $0.optional("notional", \.notional)
        $0.optional("limit_price", \.limitPrice)
        $0.optional("stop_price", \.stopPrice)
        $0.optional("trail_percent", \.trailPercent)
        $0.optional("trail_price", \.trailPrice)
        $0.optional("filled_qty", \.filledQuantity)
        $0.optional("filled_avg_price", \.averageFillPrice)
        $0.optional("replaces", \.replaces, JSONReader.nonemptyString)
        $0.optional("replaced_by", \.replacedBy, JSONReader.nonemptyString)
        $0.optional("legs", \.legRows) { reader throws(JSONError) in try reader.rows() }
        $0.optional("submitted_at", \.submittedAt)
        $0.optional("updated_at", \.updatedAt)
        $0.optional("filled_at", \.filledAt)
        $0.optional("canceled_at", \.canceledAt)
        $0.optional("expires_at", \.expiresAt)
    }
}

extension AlpacaOrder {
    package init(json reader: inout JSONReader) throws(JSONError) {
        self = try Self.json.read(from: &reader)
        let symbol = ownSymbol.map { AlpacaSymbols.symbol($0, ofClass: assetClass) } ?? legs.first?.symbol
        self.symbol = try reader.required(symbol, "symbol")
        side = try reader.required(ownSide ?? legs.first?.side, "side")
    }

    /// The state; of an unknown status what the fills say, and that the order has not ended: it is read again.
    private var state: OrderState {
        guard let status = AlpacaOrderStatus(rawValue: statusTerm) else {
            return isFilled ? .filled : hasFills ? .partiallyFilled : .accepted
        }
        return status.state(isFilled: isFilled, hasFills: hasFills)
    }

    private var hasFills: Bool { filledQuantity.map { !$0.isZero } ?? false }
    private var isFilled: Bool { hasFills && filledQuantity == quantity }

    /// The order as an `Order` of Portico.
    package func order(fetchedAt: Instant) -> Order {
        var order = Order(
            id: id, symbol: symbol, side: side, state: state,
            // Alpaca does not send the time for which the order is valid; it is at least that of the last
            // change.
            provenance: Provenance(source: .alpaca, fetchedAt: fetchedAt, asOf: updatedAt))
        order.providerState = statusTerm
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
        order.legs = legs.map { leg in
            var leg = leg.order(fetchedAt: fetchedAt)
            leg.parentID = id
            leg.parentSubmittedAt = submittedAt
            return leg
        }
        order.unreadableLegs = legRows.unreadable(in: "legs")
        order.submittedAt = submittedAt
        order.updatedAt = updatedAt
        order.filledAt = filledAt
        order.canceledAt = canceledAt
        order.expiresAt = expiresAt
        return order
    }
}

extension JSONReader {
    /// Reads a symbol; nil for an empty one.
    fileprivate static func nonemptySymbol(_ reader: inout JSONReader) throws(JSONError) -> Symbol? {
        try reader.token(oneOf: "the symbols that markets have") { token -> Symbol?? in
            let text = token.string
            return text.isEmpty ? .some(nil) : Symbol(text).map { .some($0) }
        }
    }

    /// Reads a side; nil for an empty one.
    ///
    /// `sell_short` and `buy_minus`, for example, are sides too.
    fileprivate static func orderSide(_ reader: inout JSONReader) throws(JSONError) -> OrderSide? {
        try reader.token(oneOf: "buy, sell") { token -> OrderSide?? in
            switch token.string.prefix(while: { $0 != "_" }) {
            case "buy": .some(.buy)
            case "sell": .some(.sell)
            case "": .some(nil)
            default: nil
            }
        }
    }
}
