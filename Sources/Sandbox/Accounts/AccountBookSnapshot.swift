import Brokerage

/// What an account has at one moment.
struct AccountBookSnapshot {
    var cash: Decimal
    /// In the order in which they were first bought; those that were sold have a quantity of zero.
    var holdings: [Holding] = []

    init(cash: Decimal) {
        self.cash = cash
    }

    /// Books a trade: what it closes leaves at the average price paid, what it opens comes at its own.
    mutating func apply(_ execution: AccountBook.Execution) throws {
        cash = try cash - execution.cost
        guard let index = holdings.firstIndex(where: { $0.instrument == execution.instrument }) else {
            holdings.append(
                Holding(
                    instrument: execution.instrument, quantity: execution.quantity, cost: execution.cost))
            return
        }
        let held = holdings[index]
        let quantity = try held.quantity + execution.quantity
        holdings[index].quantity = quantity
        if held.quantity.isZero || held.quantity.isNegative == execution.quantity.isNegative {
            holdings[index].cost = try held.cost + execution.cost
        } else if quantity.isZero || quantity.isNegative == held.quantity.isNegative {
            holdings[index].cost = try (held.cost * quantity).divided(by: held.quantity, to: 10, .halfEven)
        } else {
            // Sold beyond zero: what is left was all bought or sold by this trade.
            holdings[index].cost = try (execution.cost * quantity).divided(
                by: execution.quantity, to: 10, .halfEven)
        }
    }
}
