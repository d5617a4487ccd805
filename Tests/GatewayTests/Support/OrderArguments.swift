import Brokerage

@testable import Gateway
@testable import GraphQL

/// The arguments of a purchase of three units of ``Symbol/example``, as a client sends them.
struct OrderArguments {
    var account = "Account:a:1"
    var key = "key-1"
    var side = "BUY"
    var quantity = "3"
    /// Nil for a market order.
    var limit: String?
    var timeInForce = "DAY"

    /// To place the order.
    func placing() throws -> PlaceOrderInput { try PlaceOrderInput(ArgumentReader(values)) }

    /// To change its quantity.
    func replacing() throws -> ReplaceOrderInput {
        try ReplaceOrderInput(ArgumentReader(["quantity": .string(quantity), "toMarket": .boolean(false)]))
    }

    /// To preview it.
    func preview() throws -> OrderInput { try OrderInput(ArgumentReader(values)) }

    private var values: InputObject {
        [
            "idempotencyKey": .string(key), "accountId": .string(account),
            "instrument": .object(["symbol": .string(Symbol.example.text)]), "side": .enum(side),
            "size": .object(["quantity": .string(quantity)]),
            "price": limit.map { .object(["limit": .string($0)]) } ?? .null,
            "timeInForce": .enum(timeInForce), "extendedHours": .boolean(false),
        ]
    }
}
