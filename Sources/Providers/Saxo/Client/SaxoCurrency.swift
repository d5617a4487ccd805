import Brokerage

/// A currency as Saxo names it, which for some exchanges is a hundredth of one: GBX are pence.
struct SaxoCurrency: Hashable, Sendable {
    /// Nil for a name that is none of a currency; figures stay as they are then.
    private let unit: PriceUnit?
    /// ISO 4217.
    let code: String

    init(_ name: String) {
        unit = PriceUnit(name)
        code = unit?.currency ?? name
    }

    /// A figure of Saxo's in ``code``, no digit lost; nil where it has too many.
    func major(_ value: Decimal?) -> Decimal? {
        guard let value, let unit else { return value }
        return try? unit.amount(value)
    }

    /// A figure in ``code`` as Saxo wants it; nil where it has too many digits.
    func minor(_ value: Decimal) -> Decimal? {
        guard let unit, unit.isHundredth else { return value }
        if value.scale >= 2 { return Decimal(coefficient: value.coefficient, scale: value.scale - 2) }
        return try? value * 100
    }
}

extension SaxoCurrency? {
    /// A figure in whole units; as it is where the currency is not known.
    func major(_ value: Decimal?) -> Decimal? {
        self.map { $0.major(value) } ?? value
    }
}
