import Brokerage

/// Something that happened to an order, as `trade_updates` tells it.
struct FakeAlpacaTradeEvent: Sendable {
    let kind: Kind
    /// The order as it was then.
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
        /// Signed: what is held afterwards.
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
