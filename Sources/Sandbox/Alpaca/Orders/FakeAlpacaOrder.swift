import Brokerage

/// An order with Alpaca's data (fact sheet, "Orders").
struct FakeAlpacaOrder: Sendable {
    let id: String
    let clientOrderID: String
    var ticket: FakeAlpacaOrderTicket
    let createdAt: Instant
    var updatedAt: Instant
    var status: Status
    /// The market's second from which it can be filled.
    var workingFrom: Int
    /// The market's second at which it expires.
    let expiresAt: Int
    var filledQuantity = Decimal.zero
    /// The amount paid or received in total, without sign.
    var filledValue = Decimal.zero
    /// True once the stop price is reached, for an order with a stop.
    var isTriggered = false
    /// The best price since its submission, for a trailing stop.
    var highWaterMark: Decimal?
    /// The order that it is a leg of, and its own legs.
    var parentID: String?
    var legIDs: [String] = []
    /// True for a leg until its parent is filled.
    var isWaiting = false
    /// True for a stop loss next to a take profit: both sell the same shares, which are reserved once.
    var isAlternative = false
    var filledAt: Instant?
    var canceledAt: Instant?
    var expiredAt: Instant?
    var replacedAt: Instant?
    var replacedBy: String?
    var replaces: String?

    enum Status: String, Sendable {
        case new
        case accepted
        case partiallyFilled = "partially_filled"
        case filled
        case canceled
        case expired
        case replaced
        case held

        var isOpen: Bool {
            switch self {
            case .new, .accepted, .partiallyFilled, .held: true
            case .filled, .canceled, .expired, .replaced: false
            }
        }
    }

    /// Returns the unfilled shares; for an order by value, the shares that the rest of the value buys at the
    /// price.
    func remaining(at price: Decimal) throws -> Decimal {
        if let quantity = ticket.quantity { return try quantity - filledQuantity }
        guard let notional = ticket.notional, !price.isZero else { return .zero }
        return try (notional - filledValue).divided(by: price, to: 9, .towardZero)
    }

    /// Returns true if the order is in a group of orders.
    var isInGroup: Bool { parentID != nil || !legIDs.isEmpty }

    /// Returns the price at which a trailing stop is triggered; nil for another order, or without a price yet.
    var trailingStop: Decimal? {
        guard let mark = highWaterMark else { return nil }
        let distance: Decimal? =
            ticket.trailPrice
            ?? ticket.trailPercent.flatMap { try? (mark * $0).divided(by: 100, to: 4, .halfEven) }
        return distance.flatMap { try? ticket.side == .buy ? mark + $0 : mark - $0 }
    }

    /// Returns the average fill price, with up to 6 decimals; nil before the first fill.
    func averagePrice() throws -> Decimal? {
        filledQuantity.isZero ? nil : try filledValue.divided(by: filledQuantity, to: 6, .halfEven)
    }
}

extension FakeAlpacaOrder {
    var json: JSONDocument {
        get throws { try json(withLegs: []) }
    }

    /// Writes the order; `legs` is null without legs.
    func json(withLegs legs: [FakeAlpacaOrder]) throws -> JSONDocument {
        let type = JSONDocument.string(ticket.type.rawValue)
        func stamp(_ instant: Instant?) -> JSONDocument { .optional(instant) { .string($0.description) } }
        return [
            "id": .string(id), "client_order_id": .string(clientOrderID),
            "created_at": stamp(createdAt), "updated_at": stamp(updatedAt),
            "submitted_at": stamp(createdAt),
            "filled_at": stamp(filledAt), "expired_at": stamp(expiredAt),
            "canceled_at": stamp(canceledAt),
            "failed_at": nil, "replaced_at": stamp(replacedAt),
            "replaced_by": .optional(replacedBy) { .string($0) },
            "replaces": .optional(replaces) { .string($0) },
            "asset_id": .string(ticket.instrument.id), "symbol": .string(ticket.instrument.symbol),
            "asset_class": "us_equity", "notional": .optional(ticket.notional, JSONDocument.text),
            "qty": .optional(ticket.quantity, JSONDocument.text), "filled_qty": .text(filledQuantity),
            "filled_avg_price": .optional(try averagePrice(), JSONDocument.text),
            "order_class": .string(ticket.orderClass.rawValue),
            "order_type": type, "type": type, "side": .string(ticket.side.rawValue),
            "time_in_force": .string(ticket.timeInForce.rawValue),
            "limit_price": .optional(ticket.limitPrice, JSONDocument.text),
            "stop_price": .optional(ticket.stopPrice ?? trailingStop, JSONDocument.text),
            "status": .string(status.rawValue),
            "extended_hours": .bool(ticket.extendedHours),
            "legs": legs.isEmpty ? nil : .array(try legs.map { try $0.json }),
            "trail_percent": .optional(ticket.trailPercent, JSONDocument.text),
            "trail_price": .optional(ticket.trailPrice, JSONDocument.text),
            "hwm": .optional(highWaterMark, JSONDocument.text), "subtag": nil, "source": nil,
            "expires_at": stamp(Instant(secondsSince1970: Int64(expiresAt)) ?? .latest),
        ]
    }
}

/// The content of an order request.
struct FakeAlpacaOrderTicket: Sendable {
    let instrument: FakeInstrument
    let side: Side
    let type: OrderKind
    let timeInForce: TimeInForce
    /// Shares; nil for an order by value.
    var quantity: Decimal?
    /// Dollars; nil for an order by shares.
    var notional: Decimal?
    var limitPrice: Decimal?
    var stopPrice: Decimal?
    var extendedHours = false
    var clientOrderID: String?
    var trailPrice: Decimal?
    var trailPercent: Decimal?
    var orderClass = OrderClass.simple
    /// The limit price of the leg that takes the profit.
    var takeProfit: Decimal?
    /// The prices of the leg that limits the loss.
    var stopLoss: StopLoss?

    struct StopLoss: Sendable {
        let stop: Decimal
        let limit: Decimal?
    }

    enum OrderClass: String, Sendable {
        case simple = ""
        case bracket
        case oneCancelsOther = "oco"
        case oneTriggersOther = "oto"
    }

    enum Side: String, Sendable {
        case buy
        case sell

        var opposite: Side { self == .buy ? .sell : .buy }
    }

    enum OrderKind: String, Sendable {
        case market
        case limit
        case stop
        case stopLimit = "stop_limit"
        case trailingStop = "trailing_stop"

        var hasLimit: Bool {
            switch self {
            case .limit, .stopLimit: true
            case .market, .stop, .trailingStop: false
            }
        }

        var hasStop: Bool {
            switch self {
            case .stop, .stopLimit: true
            case .market, .limit, .trailingStop: false
            }
        }
    }

    enum TimeInForce: String, Sendable {
        case day
        case goodTillCanceled = "gtc"
        case opening = "opg"
        case closing = "cls"
        case immediateOrCancel = "ioc"
        case fillOrKill = "fok"
    }
}

extension FakeAlpacaOrderTicket {
    /// Parses the body of `POST /v2/orders`.
    ///
    /// Throws ``FakeAlpacaError`` for errors that Alpaca detects without the account's data.
    init(_ json: JSONDocument, _ settings: FakeAlpacaSettings) throws(FakeAlpacaError) {
        guard let symbol = json["symbol"]?.string, !symbol.isEmpty else {
            throw .invalid("symbol is required")
        }
        guard let instrument = FakeInstrument.listing.first(where: { $0.symbol == symbol }) else {
            throw .unprocessable("asset \"\(symbol)\" not found")
        }
        guard !settings.untradable.contains(symbol) else {
            throw .unprocessable("asset \"\(symbol)\" is not tradable")
        }
        self.init(
            instrument: instrument, side: try json.enumValue("side"), type: try json.enumValue("type"),
            timeInForce: try json.enumValue("time_in_force"), quantity: try json.amount("qty"),
            notional: try json.amount("notional"), limitPrice: try json.amount("limit_price"),
            stopPrice: try json.amount("stop_price"), extendedHours: json["extended_hours"] == .bool(true),
            clientOrderID: json["client_order_id"]?.string)
        trailPrice = try json.amount("trail_price")
        trailPercent = try json.amount("trail_percent")
        try readExits(json)
        try checkSize()
        try checkPrices()
        guard !extendedHours || (type == .limit && [.day, .goodTillCanceled].contains(timeInForce)) else {
            throw .unprocessable("extended hours order must be DAY or GTC limit orders")
        }
        guard (clientOrderID?.count ?? 0) <= 128 else {
            throw .invalid("client_order_id must be no more than 128 characters")
        }
    }

    /// Reads the class of the order and its exits; of an `oco` order the take profit is the order itself.
    private mutating func readExits(_ json: JSONDocument) throws(FakeAlpacaError) {
        guard let name = json["order_class"]?.string, name != "", name != "simple" else { return }
        guard let orderClass = OrderClass(rawValue: name) else {
            throw .invalid("invalid order_class: \(name)")
        }
        self.orderClass = orderClass
        takeProfit = try json["take_profit"]?.amount("limit_price")
        if let stop = try json["stop_loss"]?.amount("stop_price") {
            stopLoss = StopLoss(stop: stop, limit: try json["stop_loss"]?.amount("limit_price"))
        }
        let count = (takeProfit == nil ? 0 : 1) + (stopLoss == nil ? 0 : 1)
        switch orderClass {
        case .simple: break
        case .bracket, .oneCancelsOther:
            guard count == 2 else {
                throw .unprocessable(
                    "\(name) orders require take_profit.limit_price and stop_loss.stop_price")
            }
        case .oneTriggersOther:
            guard count == 1 else {
                throw .unprocessable("oto orders require one of take_profit and stop_loss")
            }
        }
        guard [.day, .goodTillCanceled].contains(timeInForce), !extendedHours else {
            throw .unprocessable("\(name) orders must be DAY or GTC orders of the regular hours")
        }
        if orderClass == .oneCancelsOther {
            guard type == .limit else { throw .unprocessable("oco orders must be limit orders") }
            limitPrice = takeProfit
        }
        if let takeProfit, let stop = stopLoss?.stop {
            let exitsBySale = (orderClass == .oneCancelsOther) == (side == .sell)
            guard exitsBySale ? takeProfit > stop : takeProfit < stop else {
                throw .unprocessable("take_profit.limit_price must be beyond stop_loss.stop_price")
            }
        }
    }

    private func checkSize() throws(FakeAlpacaError) {
        guard (quantity == nil) != (notional == nil) else {
            throw .invalid(
                quantity == nil ? "qty or notional is required" : "only one of qty or notional is accepted")
        }
        let size = quantity ?? notional ?? .zero
        let name = quantity == nil ? "notional" : "qty"
        guard size > .zero else { throw .invalid("\(name) must be > 0") }
        guard size < Self.bound else { throw .invalid("\(name) must be < \(Self.bound)") }
        let isFractional = notional != nil || size.withoutTrailingZeros.scale > 0
        guard isFractional else { return }
        guard orderClass == .simple else { throw .unprocessable("fractional orders must be simple orders") }
        guard size.withoutTrailingZeros.scale <= 9 else {
            throw .invalid("\(name) must have at most 9 decimals")
        }
        guard instrument.isFractionable else {
            throw .unprocessable("asset \"\(instrument.symbol)\" is not fractionable")
        }
        guard type == .market, timeInForce == .day else {
            throw .unprocessable("fractional orders must be DAY market orders")
        }
    }

    /// Shares and dollars below this limit can be multiplied exactly.
    private static let bound: Decimal = 1_000_000_000

    func checkPrices() throws(FakeAlpacaError) {
        guard (trailPrice != nil || trailPercent != nil) == (type == .trailingStop),
            trailPrice == nil || trailPercent == nil
        else {
            throw .invalid("trailing_stop orders require one of trail_price and trail_percent")
        }
        guard type != .trailingStop || [.day, .goodTillCanceled].contains(timeInForce) else {
            throw .unprocessable("trailing stop orders must be DAY or GTC")
        }
        if let percent = trailPercent, percent <= .zero || percent >= 100 {
            throw .invalid("trail_percent must be > 0 and < 100")
        }
        let prices = [
            ("limit_price", limitPrice, type.hasLimit), ("stop_price", stopPrice, type.hasStop),
            ("trail_price", trailPrice, trailPrice != nil),
            ("take_profit.limit_price", takeProfit, takeProfit != nil),
            ("stop_loss.stop_price", stopLoss?.stop, stopLoss != nil),
            ("stop_loss.limit_price", stopLoss?.limit, stopLoss?.limit != nil),
        ]
        for (name, price, isNeeded) in prices {
            guard (price != nil) == isNeeded else {
                throw .invalid("\(type.rawValue) orders \(isNeeded ? "require" : "must not have") a \(name)")
            }
            guard let price else { continue }
            guard price > .zero else { throw .invalid("\(name) must be > 0") }
            guard price < Self.bound else { throw .invalid("\(name) must be < \(Self.bound)") }
            guard price.withoutTrailingZeros.scale <= (price < 1 ? 4 : 2) else {
                throw .unprocessable(
                    "invalid \(name) \(price). sub-penny increment does not fulfill minimum pricing criteria")
            }
        }
    }
}

extension JSONDocument {
    /// Returns a decimal that is a string or a number; nil if it is missing.
    func amount(_ name: String) throws(FakeAlpacaError) -> Decimal? {
        switch self[name] {
        case nil, .null: return nil
        case .number(let number): return number
        case .string(let text):
            guard let number = Decimal(text) else { throw .invalid("\(name) is not a number: \(text)") }
            return number
        case .some: throw .invalid("\(name) must be a number")
        }
    }

    func enumValue<Word: RawRepresentable<String>>(_ name: String) throws(FakeAlpacaError) -> Word {
        guard let text = self[name]?.string else { throw .invalid("\(name) is required") }
        guard let word = Word(rawValue: text) else { throw .invalid("invalid \(name): \(text)") }
        return word
    }
}

/// An event of an order, as `trade_updates` sends it.
struct FakeAlpacaTradeUpdate: Sendable {
    let kind: Kind
    /// The order after the event.
    let order: FakeAlpacaOrder
    let time: Instant
    var execution: Execution?

    enum Kind: String, Sendable {
        case new
        case fill
        case partialFill = "partial_fill"
        case canceled
        case expired
        case replaced
    }

    struct Execution: Sendable {
        let id: String
        let price: Decimal
        let quantity: Decimal
        /// The position after the event, with its sign.
        let position: Decimal
    }

    var json: JSONDocument {
        get throws {
            var data: [JSONDocument.Member] = [
                .init(name: "event", value: .string(kind.rawValue)),
                .init(name: "order", value: try order.json),
                .init(name: "timestamp", value: .string(time.description)),
            ]
            if let execution {
                data += [
                    .init(name: "execution_id", value: .string(execution.id)),
                    .init(name: "price", value: .text(execution.price)),
                    .init(name: "qty", value: .text(execution.quantity)),
                    .init(name: "position_qty", value: .text(execution.position)),
                ]
            }
            return ["stream": "trade_updates", "data": .object(data)]
        }
    }
}
