package import Brokerage

/// A condition under which an alert fires.
package enum AlertCondition: Hashable, Sendable {
    /// The price is at least this.
    case priceAbove(Symbol, Decimal)
    /// The price is at most this.
    case priceBelow(Symbol, Decimal)
    /// The price is above the previous close by at least this percentage of the previous close.
    case dayRise(Symbol, percent: Decimal)
    /// The price is below the previous close by at least this percentage of the previous close.
    case dayFall(Symbol, percent: Decimal)
    /// The order, by its id in the schema, has one of the states.
    case orderState(order: String, Set<OrderState>)
    /// The value of the allocations of the goal, by its id in the store, has reached the target.
    case goalReached(goal: String)
    /// The user must connect again with the provider of the connection, by its id in the store.
    case connectionNeedsRenewal(connection: String)

    /// The name of the condition, as in the schema.
    package enum Kind: String, Sendable, CaseIterable {
        case priceAbove = "PRICE_ABOVE"
        case priceBelow = "PRICE_BELOW"
        case dayRise = "DAY_RISE"
        case dayFall = "DAY_FALL"
        case orderState = "ORDER_STATE"
        case goalReached = "GOAL_REACHED"
        case connectionNeedsRenewal = "CONNECTION_NEEDS_RENEWAL"
    }

    package var kind: Kind {
        switch self {
        case .priceAbove: .priceAbove
        case .priceBelow: .priceBelow
        case .dayRise: .dayRise
        case .dayFall: .dayFall
        case .orderState: .orderState
        case .goalReached: .goalReached
        case .connectionNeedsRenewal: .connectionNeedsRenewal
        }
    }

    /// The instrument; nil for a condition of something else.
    package var symbol: Symbol? {
        switch self {
        case .priceAbove(let symbol, _), .priceBelow(let symbol, _), .dayRise(let symbol, _),
            .dayFall(let symbol, _):
            symbol
        case .orderState, .goalReached, .connectionNeedsRenewal: nil
        }
    }

    /// The price; nil for a condition without one.
    package var price: Decimal? {
        switch self {
        case .priceAbove(_, let price), .priceBelow(_, let price): price
        case .dayRise, .dayFall, .orderState, .goalReached, .connectionNeedsRenewal: nil
        }
    }

    /// The percentage; nil for a condition without one.
    package var percent: Decimal? {
        switch self {
        case .dayRise(_, let percent), .dayFall(_, let percent): percent
        case .priceAbove, .priceBelow, .orderState, .goalReached, .connectionNeedsRenewal: nil
        }
    }

    /// The id of the order, the goal or the connection; nil for a condition of an instrument.
    package var reference: String? {
        switch self {
        case .orderState(let order, _): order
        case .goalReached(let goal): goal
        case .connectionNeedsRenewal(let connection): connection
        case .priceAbove, .priceBelow, .dayRise, .dayFall: nil
        }
    }

    /// The states of the order in the order of their names; nil for a condition of something else.
    package var orderStates: [OrderState]? {
        guard case .orderState(_, let states) = self else { return nil }
        return states.sorted { $0.rawValue < $1.rawValue }
    }
}

extension AlertCondition {
    /// Reads the columns of a condition.
    init(_ row: SQLRow) throws {
        guard let kind: Kind = try row.value("kind") else { throw CorruptedRow() }
        let subject: String = try row["subject"]
        func symbolAndLevel() throws -> (Symbol, Decimal) {
            guard let symbol = Symbol(subject), let level = try row.decimal("level") else {
                throw CorruptedRow()
            }
            return (symbol, level)
        }
        switch kind {
        case .priceAbove:
            let (symbol, price) = try symbolAndLevel()
            self = .priceAbove(symbol, price)
        case .priceBelow:
            let (symbol, price) = try symbolAndLevel()
            self = .priceBelow(symbol, price)
        case .dayRise:
            let (symbol, percent) = try symbolAndLevel()
            self = .dayRise(symbol, percent: percent)
        case .dayFall:
            let (symbol, percent) = try symbolAndLevel()
            self = .dayFall(symbol, percent: percent)
        case .orderState:
            let states = try (row["order_states"] as String).split(separator: " ").map { name in
                guard let state = OrderState(rawValue: String(name)) else { throw CorruptedRow() }
                return state
            }
            self = .orderState(order: subject, Set(states))
        case .goalReached: self = .goalReached(goal: subject)
        case .connectionNeedsRenewal: self = .connectionNeedsRenewal(connection: subject)
        }
    }
}

extension SQLColumns {
    /// Adds the columns of a condition.
    mutating func add(_ condition: AlertCondition) {
        add("kind", condition.kind.rawValue)
        add("subject", condition.symbol?.text ?? condition.reference)
        add("level", condition.price ?? condition.percent)
        add(
            "order_states", condition.orderStates.map { $0.map(\.rawValue).joined(separator: " ") })
    }
}
