/// The terms of an instrument that is a contract about another one.
package enum InstrumentContract: Hashable, Sendable {
    case option(OptionContract)
    case future(FutureContract)
}

/// The right to buy or sell an instrument at a price.
package struct OptionContract: Hashable, Sendable {
    package let underlying: Symbol
    /// The last day of the right.
    package let expiresOn: CalendarDate
    /// The price of one unit of the underlying instrument.
    package let strike: Decimal
    package let right: Right
    /// The units of the underlying instrument of a contract; nil if it is unknown.
    package var multiplier: Decimal?
    /// Nil if it is unknown.
    package var settlement: ContractSettlement?

    /// What the holder may do.
    package enum Right: String, Sendable, CaseIterable {
        case call = "CALL"
        case put = "PUT"
    }
}

/// The obligation to buy or sell an instrument on a day.
package struct FutureContract: Hashable, Sendable {
    package let underlying: Symbol?
    package let expiresOn: CalendarDate
    package var multiplier: Decimal?
    package var settlement: ContractSettlement?
}

/// What is exchanged at the end of a contract.
package enum ContractSettlement: String, Sendable, CaseIterable {
    case cash = "CASH"
    case physical = "PHYSICAL"
}

extension OptionContract {
    /// The contract of a symbol by the symbology of the OCC without spaces: root, `yymmdd`, `C` or `P`, and the strike in
    /// thousandths in eight digits; nil for another symbol.
    ///
    /// The multiplier is not part of it: that of an adjusted contract is not 100.
    package init?(occ symbol: Symbol) {
        let text = symbol.text
        guard (16...21).contains(text.utf8.count), text.utf8.allSatisfy({ $0 < 0x80 }) else { return nil }
        let terms = text.suffix(15)
        guard let root = Symbol(String(text.dropLast(15))),
            let right = Right(occ: terms.dropFirst(6).prefix(1)),
            let year = Int(terms.prefix(2)), let month = Int(terms.dropFirst(2).prefix(2)),
            let day = Int(terms.dropFirst(4).prefix(2)),
            let expiresOn = CalendarDate(year: 2_000 + year, month: month, day: day),
            terms.suffix(8).utf8.allSatisfy({ (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }),
            let thousandths = Int128(terms.suffix(8)),
            let strike = Decimal(coefficient: thousandths, scale: 3)
        else { return nil }
        self.init(
            underlying: root, expiresOn: expiresOn, strike: strike.withoutTrailingZeros, right: right,
            multiplier: nil, settlement: nil)
    }
}

extension OptionContract.Right {
    fileprivate init?(occ letter: Substring) {
        switch letter {
        case "C": self = .call
        case "P": self = .put
        default: return nil
        }
    }
}

extension Instrument {
    /// The terms of the contract; nil for other classes, and if they are unknown.
    package var contract: InstrumentContract? {
        assetClass == .option ? OptionContract(occ: symbol).map { .option($0) } : nil
    }
}

extension Position {
    /// The number by which quantity times price is multiplied for the market value; nil if it is unknown.
    ///
    /// It is 1 if the price is that of a unit, and of an option the number with which the broker values it. The value of a
    /// position in FX can be its profit alone.
    package var multiplier: Decimal? {
        guard let assetClass = assetClass ?? probableAssetClass, assetClass != .fx else { return nil }
        if assetClass.isPricedPerUnit { return 1 }
        guard assetClass == .option, let currentPrice, let value = try? marketValue?.magnitude,
            let whole = try? quantity * currentPrice,
            let multiplier = try? value.divided(by: whole, to: 0, .halfEven), multiplier > .zero,
            (try? whole * multiplier) == value
        else { return nil }
        return multiplier
    }
}

extension Position {
    /// The number by which quantity times price is multiplied for the price of the units; nil if it is unknown.
    ///
    /// It is ``multiplier``, and also 1 for FX and where the market value is that of so many units, and a hundredth for bonds, whose price is in per cent. The market value of a
    /// bond can contain accrued interest; if it is of another size, the number is unknown.
    package var priceMultiplier: Decimal? {
        switch assetClass ?? probableAssetClass {
        case .fx: return 1
        case .bond:
            guard let ratio = valueToPrice else { return marketValue == nil ? Self.percent : nil }
            return ratio == Self.percent ? ratio : nil
        case nil, .other: return isValueOfUnits ? 1 : nil
        default: return multiplier
        }
    }

    private static let percent = Decimal(coefficient: 1, scale: 2)

    /// The market value by quantity times price, with two digits; nil if one of them is unknown.
    private var valueToPrice: Decimal? {
        guard let currentPrice, let value = try? marketValue?.magnitude,
            let whole = try? quantity * currentPrice
        else { return nil }
        return try? value.divided(by: whole, to: 2, .halfEven)
    }

    /// Whether the market value is quantity times price, rounded in the currency.
    private var isValueOfUnits: Bool {
        guard let currentPrice, let value = try? marketValue?.magnitude,
            let whole = try? quantity * currentPrice, !whole.isZero
        else { return false }
        return whole.rounded(in: currency) == value.rounded(in: currency)
    }
}

/// Values of an option besides its prices; each is nil if the source does not report it.
package struct OptionQuote: Hashable, Sendable {
    /// By the price of the option, in per cent a year.
    package var impliedVolatilityPercentage: Decimal?
    /// In contracts.
    package var openInterest: Decimal?
    package var greeks: Greeks?
}

/// The sensitivities of an option's price, for one unit of the underlying instrument.
package struct Greeks: Hashable, Sendable {
    package var delta: Decimal?
    package var gamma: Decimal?
    package var theta: Decimal?
    package var vega: Decimal?
    package var rho: Decimal?
}
