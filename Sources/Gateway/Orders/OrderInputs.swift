import Brokerage
import GraphQL

/// `PlaceOrderInput` of the schema: an order with the user's key of it.
struct PlaceOrderInput: GraphQLInputObject {
    let idempotencyKey: IdempotencyKey
    let order: OrderInput

    init(_ fields: ArgumentReader) throws {
        idempotencyKey = try fields["idempotencyKey"]
        order = try OrderInput(fields)
    }
}

/// `PreviewOrderInput` of the schema: an order that is to be placed, or only previewed.
struct OrderInput {
    let account: String
    let instrument: InstrumentRef
    let side: OrderSide
    let size: OrderSizeInput
    /// Nil for a market order, and for exits that close an existing position.
    let price: OrderPriceInput?
    let exits: OrderExitsInput?
    let timeInForce: TimeInForce
    let expiresOn: CalendarDate?
    let isExtendedHours: Bool
}

extension OrderInput: GraphQLInputObject {
    static var graphQLName: String { "PreviewOrderInput" }

    init(_ fields: ArgumentReader) throws {
        account = try (fields["accountId"] as IDText).text
        instrument = try fields["instrument"]
        side = try fields["side"]
        size = try fields["size"]
        price = try fields["price"]
        exits = try fields["exits"]
        timeInForce = try fields["timeInForce"]
        expiresOn = try fields["expiresOn"]
        isExtendedHours = try fields["extendedHours"]
    }
}

/// `OrderExits` of the schema.
struct OrderExitsInput {
    let takeProfit: OrderAmount?
    let stopLoss: OrderExits.StopLoss?
    let closesPosition: Bool
}

extension OrderExitsInput: GraphQLInputObject {
    static var graphQLName: String { "OrderExits" }

    init(_ fields: ArgumentReader) throws {
        takeProfit = (try fields["takeProfit"] as TakeProfitInput?)?.limit
        stopLoss = (try fields["stopLoss"] as StopLossInput?).map {
            OrderExits.StopLoss(stop: $0.stop.value, limit: $0.limit?.value)
        }
        closesPosition = try fields["closesPosition"]
    }

    /// `TakeProfit` of the schema.
    private struct TakeProfitInput: GraphQLInputObject {
        let limit: OrderAmount

        static var graphQLName: String { "TakeProfit" }

        init(_ fields: ArgumentReader) throws {
            limit = try fields["limit"]
        }
    }

    /// `StopLoss` of the schema.
    private struct StopLossInput: GraphQLInputObject {
        let stop: OrderAmount
        let limit: OrderAmount?

        static var graphQLName: String { "StopLoss" }

        init(_ fields: ArgumentReader) throws {
            stop = try fields["stop"]
            limit = try fields["limit"]
        }
    }
}

/// `ReplaceOrderInput` of the schema.
struct ReplaceOrderInput {
    let quantity: OrderAmount?
    let price: OrderPriceInput?
    let toMarket: Bool
    let timeInForce: TimeInForce?
    let expiresOn: CalendarDate?
}

extension ReplaceOrderInput: GraphQLInputObject {
    init(_ fields: ArgumentReader) throws {
        quantity = try fields["quantity"]
        price = try fields["price"]
        toMarket = try fields["toMarket"]
        timeInForce = try fields["timeInForce"]
        expiresOn = try fields["expiresOn"]
    }

    /// - Throws: `FieldError` BAD_USER_INPUT for a price of a market order.
    func change() throws(FieldError) -> OrderReplacement {
        if toMarket, price != nil {
            throw .argument("input.price", "A market order has no price: omit `price`.")
        }
        return OrderReplacement(
            quantity: quantity?.value, price: toMarket ? .market : price?.price, timeInForce: timeInForce,
            expiresOn: expiresOn)
    }
}

/// A user's key of an order, so that a repeated request places it once.
struct IdempotencyKey: GraphQLInput {
    let text: String

    private static let maximumLength = 128

    static func bindInput(to binder: inout SchemaBinder) -> BoundType { String.bindInput(to: &binder) }

    static var sample: IdempotencyKey { IdempotencyKey(text: "sample") }

    private init(text: String) {
        self.text = text
    }

    init(input: InputValue?) throws(InputError) {
        text = try String(input: input)
        guard (1...Self.maximumLength).contains(text.utf8.count),
            text.utf8.allSatisfy({ (0x21...0x7E).contains($0) })
        else {
            throw InputError(
                "It takes 1 to \(Self.maximumLength) visible ASCII characters without spaces, such as a UUID."
            )
        }
    }
}

/// A price, a distance, a number of pieces or money to spend: above zero.
struct OrderAmount: BoundedDecimal {
    static var maximum: Decimal { 1_000_000_000_000 }
    /// As many digits after the point as a broker takes, and more.
    static var maximumFractionDigits: Int { 9 }

    let value: Decimal
}

/// `InstrumentRef` of the schema, which has exactly one of its fields.
struct InstrumentRef {
    let symbol: Symbol
    /// Which of its fields was given.
    let field: String
}

extension InstrumentRef: GraphQLInputObject {
    init(_ fields: ArgumentReader) throws {
        let id: InstrumentID? = try fields["id"]
        let symbol: Symbol? = try fields["symbol"]
        // Neither of them only while the schema is bound: coercion has refused it else.
        self.symbol = id?.symbol ?? symbol ?? .example
        field = id == nil ? "symbol" : "id"
    }
}

/// The id that the schema gives an instrument.
struct InstrumentID: GraphQLInput {
    let symbol: Symbol

    static let prefix = "Instrument:"

    static func bindInput(to binder: inout SchemaBinder) -> BoundType { String.bindInput(to: &binder) }

    static var sample: InstrumentID { InstrumentID(symbol: .example) }

    private init(symbol: Symbol) {
        self.symbol = symbol
    }

    init(input: InputValue?) throws(InputError) {
        let text = try IDText(input: input).text
        guard text.hasPrefix(Self.prefix), let symbol = Symbol(String(text.dropFirst(Self.prefix.count)))
        else {
            throw InputError("\"\(text.beginning(40))\" is not the id of an instrument.")
        }
        self.symbol = symbol
    }
}

/// `OrderSize` of the schema, which has exactly one of its fields.
struct OrderSizeInput {
    let size: OrderSize
}

extension OrderSizeInput: GraphQLInputObject {
    static var graphQLName: String { "OrderSize" }

    init(_ fields: ArgumentReader) throws {
        let quantity: OrderAmount? = try fields["quantity"]
        let notional: OrderAmount? = try fields["notional"]
        size = notional.map { .notional($0.value) } ?? .quantity(quantity?.value ?? 1)
    }
}

/// `OrderPricing` of the schema, which has exactly one of its fields.
struct OrderPriceInput {
    let price: OrderPricing
}

extension OrderPriceInput: GraphQLInputObject {
    static var graphQLName: String { "OrderPrice" }

    init(_ fields: ArgumentReader) throws {
        let limit: OrderAmount? = try fields["limit"]
        let stop: OrderAmount? = try fields["stop"]
        let stopLimit: StopLimitPrice? = try fields["stopLimit"]
        let trail: TrailInput? = try fields["trail"]
        price =
            if let limit {
                .limit(limit.value)
            } else if let stop {
                .stop(stop.value)
            } else if let stopLimit {
                .stopLimit(stop: stopLimit.stop.value, limit: stopLimit.limit.value)
            } else {
                // One of the fields has a value, except while the schema is bound.
                .trailingStop(trail?.trail ?? .amount(1))
            }
    }
}

/// `StopLimitPrice` of the schema.
struct StopLimitPrice {
    let stop: OrderAmount
    let limit: OrderAmount
}

extension StopLimitPrice: GraphQLInputObject {
    init(_ fields: ArgumentReader) throws {
        stop = try fields["stop"]
        limit = try fields["limit"]
    }
}

/// `Trail` of the schema, which has exactly one of its fields.
struct TrailInput {
    let trail: Trail
}

extension TrailInput: GraphQLInputObject {
    static var graphQLName: String { "Trail" }

    init(_ fields: ArgumentReader) throws {
        let percent: OrderAmount? = try fields["percentage"]
        let amount: OrderAmount? = try fields["amount"]
        trail = percent.map { .percent($0.value) } ?? .amount(amount?.value ?? 1)
    }
}
