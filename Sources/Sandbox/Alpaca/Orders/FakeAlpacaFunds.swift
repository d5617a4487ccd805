import Brokerage

/// The free funds of an account.
struct FakeAlpacaFunds {
    /// Half of the gross value of the holdings: Regulation T.
    let initialMargin: Decimal
    /// The holder's equity that is not used as margin.
    let excess: Decimal
    /// Twice the excess, less the cost of open orders.
    let buyingPower: Decimal

    /// `without` is the id of an order that is ignored, because another replaces it.
    init(_ account: FakeAlpacaAccount, _ view: MarketView, without: String? = nil) throws {
        let valuation = try FakePortfolioValuation(account.book(view), view)
        let gross = try valuation.longValue + valuation.shortValue.magnitude
        let half = Decimal(coefficient: 5, scale: 1) ?? .zero
        initialMargin = try gross * half
        excess = try max(.zero, valuation.equity - initialMargin)
        let reserved = try account.open(.buy).filter { $0.id != without }.reduce(Decimal.zero) { sum, order in
            let ticket = order.ticket
            if let notional = ticket.notional { return try sum + notional - order.filledValue }
            let price =
                ticket.limitPrice ?? ticket.stopPrice
                ?? Decimal(cents: view.price(ticket.instrument.symbol) ?? 0)
            return try sum + order.remaining(at: price) * price
        }
        buyingPower = try max(.zero, excess * 2 - reserved)
    }
}

extension FakeAlpacaAccount {
    /// Returns the shares of a holding that open sell orders reserve; of a short holding, with its sign,
    /// those that open buy orders cover.
    func heldForOrders(_ holding: FakeHolding) throws -> Decimal {
        let isShort = holding.quantity.isNegative
        let held = try open(isShort ? .buy : .sell, of: holding.instrument)
            .reduce(Decimal.zero) { sum, order in
                guard let quantity = order.ticket.quantity else { return sum }
                return try sum + quantity - order.filledQuantity
            }
        let bound = try min(held, holding.quantity.magnitude)
        return isShort ? try bound.negated : bound
    }
}
