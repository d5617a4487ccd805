import Brokerage

/// An order with Alpaca's data.
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
