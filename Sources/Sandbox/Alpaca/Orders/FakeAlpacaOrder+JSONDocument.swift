import Brokerage

extension FakeAlpacaOrder {
    var json: JSONDocument {
        get throws {
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
                "filled_avg_price": .optional(try averagePrice(), JSONDocument.text), "order_class": "",
                "order_type": type, "type": type, "side": .string(ticket.side.rawValue),
                "time_in_force": .string(ticket.timeInForce.rawValue),
                "limit_price": .optional(ticket.limitPrice, JSONDocument.text),
                "stop_price": .optional(ticket.stopPrice, JSONDocument.text),
                "status": .string(status.rawValue),
                "extended_hours": .bool(ticket.extendedHours), "legs": nil, "trail_percent": nil,
                "trail_price": nil, "hwm": nil, "subtag": nil, "source": nil,
                "expires_at": stamp(Instant(secondsSince1970: Int64(expiresAt)) ?? .latest),
            ]
        }
    }
}
