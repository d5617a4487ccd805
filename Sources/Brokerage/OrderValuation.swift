// The price and the value of an order before it is placed.
//
// The prices of a ticket are chosen by its client, so none of them alone is the price of the trade: a limit is the worst
// price of a buyer, but the lowest of a seller, and a stop that the market has passed is triggered at once.

extension Quote {
    /// The highest of its current prices; nil without any.
    package var highestPrice: Decimal? { [bid, ask, price, extendedHoursPrice].compactMap(\.self).max() }
}

extension OrderTicket {
    /// The value of all trades that the order can lead to, for limits of value: the quantity times the larger of the
    /// ticket's price and the market price.
    ///
    /// Of an order with exits both the entry and the larger of its exits can trade, so that both count. Exits of a
    /// position cancel each other, so that the larger counts. An order by money that has its own price counts as if the
    /// number of units were calculated with the lowest of its prices.
    ///
    /// - Parameter market: The highest current price.
    /// - Returns: The value in the currency of the price; nil for one with too many digits.
    package func countedValue(atMarket market: Decimal) -> Decimal? {
        guard let own = try? price.prices(for: side, atMarket: market), let highest = own.max(),
            let lowest = own.min()
        else { return nil }
        var perUnit = highest
        if let exits {
            guard let legs = try? exits.legs.map({ try $0.prices(for: exitSide, atMarket: market) }) else {
                return nil
            }
            let leg = legs.joined().max() ?? .zero
            guard let sum = try? exits.closesExistingPosition ? max(highest, leg) : highest + leg else {
                return nil
            }
            perUnit = sum
        }
        switch size {
        case .quantity(let quantity): return try? quantity * perUnit
        case .notional(let notional):
            return try? notional.multiplied(by: perUnit, dividedBy: lowest, to: 9, .halfUp)
        }
    }

    /// The price with which the effect of the order is estimated: the limit of a buyer; otherwise the larger of the
    /// ticket's price and the market price.
    ///
    /// - Parameter quote: The current prices.
    /// - Returns: The price; nil if it depends on a market price that is unknown.
    fileprivate func estimatedPrice(by quote: Quote?) -> Decimal? {
        let opposite = (side == .buy ? quote?.ask : quote?.bid) ?? quote?.price
        switch (price, side) {
        case (.market, _): return opposite
        case (.limit(let limit), .buy), (.stopLimit(_, let limit), .buy): return limit
        case (.limit, .sell), (.stopLimit, .sell), (.stop, _), (.trailingStop, _):
            guard let market = [opposite, quote?.price].compactMap(\.self).max() else { return nil }
            return (try? price.prices(for: side, atMarket: market))?.max()
        }
    }
}

extension OrderPreview {
    /// Sets price, quantity and value of an order by the current prices; see ``OrderPreview/price``.
    ///
    /// If the price of the class is not that of a unit, as with an option or a bond, or if the class is unknown, the value
    /// of a quantity and the quantity for a notional are unknown.
    package mutating func estimate(_ ticket: OrderTicket, by quote: Quote?, _ assetClass: AssetClass?) {
        price = ticket.estimatedPrice(by: quote)
        let unitPrice = assetClass?.isPricedPerUnit == true ? price : nil
        switch ticket.size {
        case .quantity(let quantity):
            self.quantity = quantity
            value = unitPrice.flatMap { price in
                (try? quantity * price).map { value in currency.map(value.rounded(in:)) ?? value }
            }
        case .notional(let notional):
            quantity = unitPrice.flatMap {
                $0.isZero ? nil : try? notional.divided(by: $0, to: 9, .towardZero)
            }
            value = notional
        }
    }
}

extension OrderPricing {
    /// The market price, and the prices of an order of this type: at least one.
    fileprivate func prices(for side: OrderSide, atMarket market: Decimal) throws -> [Decimal] {
        switch self {
        case .market: [market]
        case .limit(let price), .stop(let price): [market, price]
        case .stopLimit(let stop, let limit): [market, stop, limit]
        case .trailingStop(let trail):
            // The stop of a seller is below the market.
            side == .sell ? [market] : [market, try market + trail.distance(from: market)]
        }
    }
}

extension Trail {
    /// In per cent with the decimals of the price, and at least four: more are not those of a price.
    fileprivate func distance(from price: Decimal) throws -> Decimal {
        switch self {
        case .amount(let amount): amount
        case .percent(let percent): try (price * percent).divided(by: 100, to: max(price.scale, 4), .halfEven)
        }
    }
}
