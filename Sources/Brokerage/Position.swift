/// What an account holds of one instrument.
///
/// Figures that need a price are nil while the broker has none.
package struct Position: Hashable, Sendable {
    package var symbol: Symbol
    package var side: PositionSide
    /// Above zero, for shorts too; `side` tells.
    package var quantity: Decimal
    /// Not held back by open orders.
    package var availableQuantity: Decimal?
    package var averageEntryPrice: Decimal?
    package var costBasis: Decimal?
    /// As the broker values it.
    package var currentPrice: Decimal?
    /// Below zero for shorts.
    package var marketValue: Decimal?
    /// The instrument's, which may differ from the account's.
    package var currency: String
    package var unrealizedProfitLoss: Decimal?
    /// In per cent: 0.64 is 0.64 %.
    package var unrealizedProfitLossPercent: Decimal?
    package var dayProfitLoss: Decimal?
    /// In per cent.
    package var dayProfitLossPercent: Decimal?
    package var reading: Reading

    package init(symbol: Symbol, side: PositionSide, quantity: Decimal, currency: String, reading: Reading) {
        self.symbol = symbol
        self.side = side
        self.quantity = quantity
        self.currency = currency
        self.reading = reading
    }
}

/// Whether an instrument is owned (long) or owed (short).
package enum PositionSide: String, Sendable, CaseIterable {
    case long = "LONG"
    case short = "SHORT"
}
