import Brokerage
import GraphQL
import Storage

/// `CreateAlertInput` of the schema.
struct CreateAlertInput: Sendable {
    let condition: AlertConditionInput
    let label: LabelText?
    let rearmAfter: Int?
}

extension CreateAlertInput: GraphQLInputObject {
    init(_ fields: ArgumentReader) throws {
        condition = try fields["condition"]
        label = try fields["label"]
        rearmAfter = try fields["rearmAfter"]
    }
}

/// `AlertConditionInput` of the schema, which has exactly one of its fields.
enum AlertConditionInput: Sendable {
    case price(AlertCondition, field: String)
    case order(AlertOrderInput)
    /// The `id` of the goal.
    case goal(String)
    /// The `id` of the connection.
    case connection(String)
}

extension AlertConditionInput: GraphQLInputObject {
    init(_ fields: ArgumentReader) throws {
        let above: AlertPriceInput? = try fields["priceAbove"]
        let below: AlertPriceInput? = try fields["priceBelow"]
        let rise: AlertMoveInput? = try fields["dayRise"]
        let fall: AlertMoveInput? = try fields["dayFall"]
        let order: AlertOrderInput? = try fields["orderState"]
        let goal: IDText? = try fields["goalReached"]
        let connection: IDText? = try fields["connectionNeedsRenewal"]
        if let above {
            self = .price(.priceAbove(above.symbol, above.price.value), field: "priceAbove")
        } else if let below {
            self = .price(.priceBelow(below.symbol, below.price.value), field: "priceBelow")
        } else if let rise {
            self = .price(.dayRise(rise.symbol, percent: rise.percent.value), field: "dayRise")
        } else if let fall {
            self = .price(.dayFall(fall.symbol, percent: fall.percent.value), field: "dayFall")
        } else if let order {
            self = .order(order)
        } else if let connection {
            self = .connection(connection.text)
        } else {
            // Empty only while the schema is bound: coercion has refused it else.
            self = .goal(goal?.text ?? "")
        }
    }
}

/// `AlertPriceInput` of the schema.
struct AlertPriceInput: GraphQLInputObject {
    let symbol: Symbol
    let price: AlertLevel

    init(_ fields: ArgumentReader) throws {
        symbol = try fields["symbol"]
        price = try fields["price"]
    }
}

/// `AlertMoveInput` of the schema.
struct AlertMoveInput: GraphQLInputObject {
    let symbol: Symbol
    let percent: AlertPercent

    init(_ fields: ArgumentReader) throws {
        symbol = try fields["symbol"]
        percent = try fields["percentage"]
    }
}

/// `AlertOrderInput` of the schema.
struct AlertOrderInput: GraphQLInputObject {
    let orderID: String
    let states: Set<OrderState>

    init(_ fields: ArgumentReader) throws {
        orderID = try (fields["orderId"] as IDText).text
        states = Set(try (fields["states"] as BoundedList<OrderState>).elements)
    }
}

/// `AlertPatch` of the schema.
struct AlertPatchInput: Sendable {
    let label: RemovablePatchField<LabelText>
    let rearmAfter: RemovablePatchField<Int>
    let isPaused: PatchField<Bool>

    /// - Throws: `FieldError` for a pause that is too short or too long.
    func patch() throws(FieldError) -> AlertPatch {
        var patch = AlertPatch()
        switch label {
        case .unchanged: break
        case .removed: patch.label = .removed
        case .set(let label): patch.label = label.text.isEmpty ? .removed : .set(label.text)
        }
        switch rearmAfter {
        case .unchanged: break
        case .removed: patch.rearmAfter = .removed
        case .set(let seconds):
            try FieldError.check(seconds, of: "input.rearmAfter", in: StoredAlert.pauses)
            patch.rearmAfter = .set(seconds)
        }
        patch.isPaused = isPaused.value
        return patch
    }
}

extension AlertPatchInput: GraphQLInputObject {
    static var graphQLName: String { "AlertPatch" }

    init(_ fields: ArgumentReader) throws {
        label = try fields["label"]
        rearmAfter = try fields["rearmAfter"]
        isPaused = try fields["paused"]
    }
}

extension StoredAlert {
    /// The permitted pauses in seconds: a minute to a year.
    static var pauses: ClosedRange<Int> { 60...31_536_000 }
}

/// A price of an alert's condition.
struct AlertLevel: BoundedDecimal {
    static var maximum: Decimal { 1_000_000_000_000 }
    static var maximumFractionDigits: Int { 12 }
    let value: Decimal
}

/// A percentage of an alert's condition.
struct AlertPercent: BoundedDecimal {
    static var maximum: Decimal { 1_000 }
    static var maximumFractionDigits: Int { 4 }
    let value: Decimal
}
