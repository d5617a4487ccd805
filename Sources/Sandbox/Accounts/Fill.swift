package import Brokerage

/// Shares bought or sold by an order, at its price and second.
package struct Fill: Sendable, Hashable {
    package let instrument: FakeInstrument
    /// Below zero when sold.
    package let quantity: Decimal
    /// In dollars.
    package let price: Decimal
    /// Seconds since 1970, as the market's script has it.
    package let second: Int

    package init(instrument: FakeInstrument, quantity: Decimal, price: Decimal, second: Int) {
        self.instrument = instrument
        self.quantity = quantity
        self.price = price
        self.second = second
    }
}
