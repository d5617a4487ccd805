package import Brokerage

/// Units of an instrument that were bought together and are still held.
package struct TaxLot: Sendable, Hashable {
    /// The date of the purchase, with the average cost the earliest one; nil if it is unknown.
    package var acquired: CalendarDate?
    /// Negative for a short position.
    package var quantity: Decimal
    /// In the currency of the instrument, with fees; nil if it is unknown.
    ///
    /// Negative for a short position.
    package var cost: Decimal?
    /// The cost in the currency of the result, by the rates of the purchases; nil if one is unknown.
    package var convertedCost: Decimal?

    /// Divides the lot into a quantity and the rest; the sum of the costs stays the same.
    func split(at quantity: Decimal) throws -> (part: TaxLot, rest: TaxLot) {
        func divide(_ cost: Decimal?) throws -> (part: Decimal?, rest: Decimal?) {
            guard let cost else { return (nil, nil) }
            let part = try cost.proportion(quantity, of: self.quantity)
            return (part, try cost - part)
        }
        let (cost, converted) = (try divide(cost), try divide(convertedCost))
        var (part, rest) = (self, self)
        (part.quantity, part.cost, part.convertedCost) = (quantity, cost.part, converted.part)
        rest.quantity = try self.quantity - quantity
        (rest.cost, rest.convertedCost) = (cost.rest, converted.rest)
        return (part, rest)
    }

    /// The profit of a sale in the currency of the result; nil if an amount is unknown.
    ///
    /// `proceeds` are in the currency of the instrument, and `converted` are the same by the rate of the sale.
    package func convertedProfit(proceeds: Decimal?, converted: Decimal?) throws -> ConvertedProfit? {
        guard let cost, let convertedCost, let proceeds, let converted else { return nil }
        let total = try converted - convertedCost
        // The rate of the purchase; units without cost have none, and all their profit is that of the price.
        let price = try cost.isZero ? total : (proceeds - cost).proportion(convertedCost, of: cost)
        return ConvertedProfit(
            proceeds: converted, cost: convertedCost, price: price, currency: try total - price)
    }

    /// The profit of a sale without fees, if `price` is what a unit of the quantity is worth; nil if the cost is unknown.
    package func unrealizedProfit(price: Decimal) throws(Decimal.Overflow) -> Decimal? {
        guard let cost else { return nil }
        return try quantity * price - cost
    }
}

/// The part of a lot that was sold, or of a short position that was covered.
package struct LotDisposal: Sendable, Hashable {
    package var date: CalendarDate
    package var symbol: Symbol
    /// ISO 4217.
    package var currency: String
    /// The date of the purchase; nil if it is unknown.
    package var acquired: CalendarDate?
    /// Negative for units of a short position.
    package var quantity: Decimal
    /// After fees; nil if they are unknown.
    package var proceeds: Decimal?
    /// Nil if it is unknown.
    package var cost: Decimal?
    /// The profit in the currency of the result; nil if the cost, the proceeds or a rate is unknown.
    package var converted: ConvertedProfit?

    init(
        _ lot: TaxLot, of symbol: Symbol, in currency: String, proceeds: Decimal?, on date: CalendarDate,
        converted: ConvertedProfit?
    ) {
        (self.date, self.symbol, self.currency) = (date, symbol, currency)
        (acquired, quantity, cost) = (lot.acquired, lot.quantity, lot.cost)
        (self.proceeds, self.converted) = (proceeds, converted)
    }

    /// Proceeds minus cost; nil if one of them is unknown.
    package var profit: Decimal? {
        guard let proceeds, let cost else { return nil }
        return try? proceeds - cost
    }
}

/// A realised profit in another currency, divided into the effects of the price and of the exchange rate.
package struct ConvertedProfit: Sendable, Hashable {
    /// By the rate of the sale.
    package var proceeds: Decimal
    /// By the rates of the purchases.
    package var cost: Decimal
    /// The profit by the rate of the purchase.
    package var price: Decimal
    /// The rest of the profit.
    package var currency: Decimal
}
