package import Brokerage

/// Shares of one instrument, with what was paid for them.
package struct Holding: Sendable, Hashable {
    package let instrument: FakeInstrument
    /// Shares; below zero when sold short.
    package var quantity: Decimal
    /// What was paid, in dollars; below zero when sold short.
    package var cost: Decimal

    /// The average price of entry, with up to 9 decimals.
    package func averageEntryPrice() throws -> Decimal {
        try cost.divided(by: quantity, to: 9, .halfEven)
    }

    /// What the shares are worth at a price in ticks, in the instrument's currency.
    package func value(at price: Int) throws -> Decimal {
        try quantity * instrument.price(price)
    }
}
