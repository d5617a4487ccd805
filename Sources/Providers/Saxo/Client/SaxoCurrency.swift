import Brokerage

/// A currency as Saxo names it, or a hundredth of one: `PriceCurrency` is GBX for pence.
struct SaxoCurrency: Hashable, Sendable {
    /// Nil for a name that is not a currency; its figures are not converted.
    private let unit: PriceUnit?
    /// ISO 4217.
    let code: String

    init(_ name: String) {
        unit = PriceUnit(name)
        code = unit?.currency ?? name
    }

    /// The hundredth of a currency; nil if no exchange quotes hundredths of it.
    init?(hundredthOf code: String) {
        guard let unit = PriceUnit.hundredth(of: code) else { return nil }
        (self.unit, self.code) = (unit, code)
    }

    /// The unit of the prices of an instrument with this currency.
    ///
    /// It is the currency itself, unless exchanges quote hundredths of it: Saxo names the pound for a price in pence too. A
    /// pair is always in its currency, an index has points, and the price of a bond is in per cent.
    ///
    /// - Parameters:
    ///   - key: The instrument.
    ///   - stated: The unit by the instrument's details; nil if they are unknown.
    /// - Returns: The unit; nil if only the details state it and `stated` is not a unit of this currency.
    func priceUnit(of key: SaxoInstrumentKey, _ stated: SaxoCurrency?) -> SaxoCurrency? {
        guard let unit, !unit.isHundredth, PriceUnit.hundredth(of: code) != nil else { return self }
        switch AssetClass(saxo: key) {
        case .fx, .crypto, .index, .bond: return self
        case .equity, .etf, .option, .future, .fund, .cfd, .cash, .other:
            return stated?.code == code ? stated : nil
        }
    }

    var isHundredth: Bool { unit?.isHundredth ?? false }

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
