import Brokerage

/// A currency as Saxo names it, which for some exchanges is a hundredth of one: GBX are pence.
struct SaxoCurrency: Hashable, Sendable {
    /// Nil for a name that is not a currency; its figures are not converted.
    private let unit: PriceUnit?
    /// ISO 4217.
    let code: String

    init(_ name: String) {
        unit = PriceUnit(name)
        code = unit?.currency ?? name
    }

    /// Converts one of Saxo's amounts to ``code`` without loss of digits; nil if the result has too many.
    func major(_ value: Decimal?) -> Decimal? {
        guard let value, let unit else { return value }
        return try? unit.amount(value)
    }

    /// Converts an amount in ``code`` to Saxo's unit; nil if the result has too many digits.
    func minor(_ value: Decimal) -> Decimal? {
        guard let unit, unit.isHundredth else { return value }
        if value.scale >= 2 { return Decimal(coefficient: value.coefficient, scale: value.scale - 2) }
        return try? value * 100
    }
}

extension SaxoCurrency? {
    /// Converts an amount to whole units; unchanged if the currency is unknown.
    func major(_ value: Decimal?) -> Decimal? {
        self.map { $0.major(value) } ?? value
    }
}
