/// What a source gives prices in: a currency, or the hundredth of one that some exchanges trade in.
///
/// London quotes pence, Tel Aviv agorot, Johannesburg cents; Portico tells pounds, shekels and rand.
package struct PriceUnit: Hashable, Sendable {
    /// ISO 4217.
    package let currency: String
    /// A price is so many hundredths of the currency.
    package let isHundredth: Bool

    /// The unit that a source calls so; nil for what is no name of a currency.
    ///
    /// Case tells pence (`GBp`) from pounds, so it matters.
    package init?(_ name: String) {
        if let currency = Self.hundredths[name] {
            self.init(currency: currency, isHundredth: true)
        } else if name.utf8.count == 3, name.utf8.allSatisfy({ (0x41...0x5A).contains($0) }) {
            self.init(currency: name, isHundredth: false)
        } else {
            return nil
        }
    }

    private init(currency: String, isHundredth: Bool) {
        self.currency = currency
        self.isHundredth = isHundredth
    }

    package static let usDollar = PriceUnit(currency: "USD", isHundredth: false)

    private static let hundredths = [
        "GBX": "GBP", "GBp": "GBP", "GBx": "GBP", "ILA": "ILS", "ILa": "ILS", "ZAC": "ZAR", "ZAc": "ZAR",
    ]

    /// A price in the currency: the point moves by two places, no digit is lost.
    package func amount(_ price: Decimal) throws(Decimal.Overflow) -> Decimal {
        guard isHundredth else { return price }
        if let amount = Decimal(coefficient: price.coefficient, scale: price.scale + 2) { return amount }
        let short = price.withoutTrailingZeros
        guard let amount = Decimal(coefficient: short.coefficient, scale: short.scale + 2) else {
            throw Decimal.Overflow()
        }
        return amount
    }
}
