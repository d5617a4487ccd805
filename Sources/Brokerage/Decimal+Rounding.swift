extension Decimal {
    /// What becomes of the digits that are dropped.
    package enum Rounding: Sendable, Hashable, CaseIterable {
        /// To the nearest; a tie goes to the even digit (banker's rounding): 2.5 → 2, 3.5 → 4.
        case halfEven
        /// To the nearest; a tie goes away from zero (commercial rounding): 2.5 → 3, -2.5 → -3.
        case halfUp
        /// Cut off: 2.9 → 2, -2.9 → -2.
        case towardZero
    }

    /// Why a quotient does not exist.
    package enum DivisionFailure: Error, Hashable {
        case divisionByZero
        case overflow
    }

    /// The number with at most `digits` digits after the point; as it is where it has no more.
    ///
    /// A negative `digits` counts as 0.
    package func rounded(to digits: Int, _ rounding: Rounding) -> Decimal {
        let digits = max(digits, 0)
        guard scale > digits else { return self }
        let unit = PowersOfTen[scale - digits].magnitude
        let (quotient, rest) = coefficient.magnitude.quotientAndRemainder(dividingBy: unit)
        let nearest = rounding.round(quotient, remainder: rest, of: unit)
        // It was divided by ten at least, so it fits a signed number whatever it was rounded to.
        let whole = Int128(nearest)
        return Decimal(uncheckedCoefficient: isNegative ? -whole : whole, scale: digits)
    }

    /// The quotient with exactly `digits` digits after the point, 0 to ``maximumScale`` (clamped), rounded once
    /// from the exact quotient.
    package func divided(
        by divisor: Decimal, to digits: Int, _ rounding: Rounding
    ) throws(DivisionFailure) -> Decimal {
        guard !divisor.isZero else { throw .divisionByZero }
        let digits = min(max(digits, 0), Self.maximumScale)
        let quotient = try Self.quotient(
            coefficient.magnitude, divisor.coefficient.magnitude,
            exponent: digits + divisor.scale - scale, rounding)
        guard let whole = Int128(exactly: quotient) else { throw .overflow }
        return Decimal(uncheckedCoefficient: isNegative == divisor.isNegative ? whole : -whole, scale: digits)
    }

    /// `dividend` × 10^`exponent` ÷ `divisor`, rounded.
    private static func quotient(
        _ dividend: UInt128, _ divisor: UInt128, exponent: Int, _ rounding: Rounding
    ) throws(DivisionFailure) -> UInt128 {
        guard exponent >= 0 else {
            let (larger, over) = divisor.multipliedReportingOverflow(by: PowersOfTen[-exponent].magnitude)
            // A dividend is at most 2^127: less than half of what overflows, so nothing is left of it. Exactly
            // half is a tie with 0, which only commercial rounding lifts, and 2^128 is no multiple of ten.
            guard !over else { return 0 }
            let (quotient, rest) = dividend.quotientAndRemainder(dividingBy: larger)
            return rounding.round(quotient, remainder: rest, of: larger)
        }
        // Schoolbook division, up to 38 digits a step.
        var (quotient, rest) = dividend.quotientAndRemainder(dividingBy: divisor)
        var remaining = exponent
        while remaining > 0 {
            let step = min(remaining, maximumScale)
            let power = PowersOfTen[step].magnitude
            let (shifted, over) = quotient.multipliedReportingOverflow(by: power)
            // The rest is below the divisor, so this quotient is below `power` and cannot overflow.
            let (next, nextRest) = divisor.dividingFullWidth(rest.multipliedFullWidth(by: power))
            let (sum, overAgain) = shifted.addingReportingOverflow(next)
            guard !over, !overAgain else { throw .overflow }
            (quotient, rest) = (sum, nextRest)
            remaining -= step
        }
        // More than a signed number holds, and so near the end of the unsigned ones that rounding might wrap around.
        guard quotient <= Int128.max.magnitude else { throw .overflow }
        return rounding.round(quotient, remainder: rest, of: divisor)
    }
}

extension Decimal.Rounding {
    /// `quotient`, or one more, by what is left of `unit`.
    ///
    /// The callers' quotients are 2^127 at most, so adding one cannot overflow.
    fileprivate func round(_ quotient: UInt128, remainder: UInt128, of unit: UInt128) -> UInt128 {
        // `unit - rest` instead of twice the rest, which might overflow.
        let opposite = unit - remainder
        switch self {
        case .towardZero: return quotient
        case .halfUp: return remainder >= opposite ? quotient &+ 1 : quotient
        case .halfEven:
            if remainder == opposite { return quotient.isMultiple(of: 2) ? quotient : quotient &+ 1 }
            return remainder > opposite ? quotient &+ 1 : quotient
        }
    }
}
