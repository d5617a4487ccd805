/// An exact decimal number: an amount, a price or a quantity.
///
/// The value is `coefficient` ÷ 10^`scale`. The written digits are preserved: `1234.5600` has the scale 4
/// and is printed with it, but equals `1234.56`, with the same hash. The coefficient has at most 38 digits;
/// a longer number is rejected when it is read, and thrown as ``Overflow`` when it is computed. No operation
/// traps, and none rounds unless its name says so.
package struct Decimal: Sendable {
    // Two words, because an `Int128` has an alignment of 16 bytes, with which an optional number has 32 bytes instead of 24: a
    // position 1,056 instead of 896 bytes, a quote 400 instead of 328.
    @usableFromInline let highWord: Int64
    @usableFromInline let lowWord: UInt64
    private let digitsAfterPoint: UInt8

    /// The digits without the point, with the sign.
    @inlinable package var coefficient: Int128 {
        Int128(highWord) << 64 | Int128(lowWord)
    }

    /// The number of digits after the point, 0 to ``maximumScale``.
    package var scale: Int { Int(digitsAfterPoint) }

    /// The maximum number of digits after the point: ten to this power is the largest that an `Int128`
    /// holds.
    package static let maximumScale = 38

    /// `coefficient` ÷ 10^`scale`; nil unless `scale` is in 0 to ``maximumScale``.
    package init?(coefficient: Int128, scale: Int) {
        guard (0...Self.maximumScale).contains(scale) else { return nil }
        self.init(uncheckedCoefficient: coefficient, scale: scale)
    }

    /// A whole number, with no digit after the point.
    package init(_ whole: Int) {
        self.init(uncheckedCoefficient: Int128(whole), scale: 0)
    }

    /// `scale` must be in 0 to ``maximumScale``: every caller has just checked or computed that.
    init(uncheckedCoefficient coefficient: Int128, scale: Int) {
        highWord = Int64(truncatingIfNeeded: coefficient >> 64)
        lowWord = UInt64(truncatingIfNeeded: coefficient)
        self.digitsAfterPoint = UInt8(truncatingIfNeeded: scale)
    }

    package static let zero = Decimal(0)

    package var isZero: Bool { coefficient == 0 }
    package var isNegative: Bool { coefficient < 0 }

    /// The nearest binary number.
    ///
    /// It loses digits: for ratios and drawings, never for money.
    package var doubleValue: Double {
        // Both are exact up to 2^53 and 10^22, so the quotient of everyday numbers is correctly rounded. What fits into
        // a register is converted many times faster.
        let narrow = Int64(truncatingIfNeeded: coefficient)
        let digits = Int128(narrow) == coefficient ? Double(narrow) : Double(coefficient)
        return digits / PowersOfTen.nearestDouble(to: scale)
    }
}

extension Decimal: ExpressibleByIntegerLiteral {
    package init(integerLiteral value: Int) {
        self.init(value)
    }
}

extension Decimal: Hashable {
    /// Equal in value: `1.50 == 1.5`.
    package static func == (left: Decimal, right: Decimal) -> Bool {
        if left.digitsAfterPoint == right.digitsAfterPoint {
            return left.coefficient == right.coefficient
        }
        return !(left < right) && !(right < left)
    }

    package func hash(into hasher: inout Hasher) {
        let shortest = withoutTrailingZeros
        hasher.combine(shortest.coefficient)
        hasher.combine(shortest.digitsAfterPoint)
    }

    /// The same value with the smallest scale: `1.500` is `1.5`, `100.00` is `100`, zero is `0`.
    package var withoutTrailingZeros: Decimal {
        var digits = coefficient
        var remaining = scale
        while remaining > 0 {
            let (quotient, remainder) = digits.quotientAndRemainder(dividingBy: 10)
            guard remainder == 0 else { break }
            digits = quotient
            remaining -= 1
        }
        return Decimal(uncheckedCoefficient: digits, scale: remaining)
    }
}

extension Decimal: Comparable {
    /// Compares values, independent of their scales.
    package static func < (left: Decimal, right: Decimal) -> Bool {
        if left.digitsAfterPoint == right.digitsAfterPoint {
            return left.coefficient < right.coefficient
        }
        // Whole parts first, then fractions at the larger scale: a fraction of n digits is below 10^n, so raising
        // it to the larger scale stays below 10^38, and nothing can overflow. Both parts carry the number's sign.
        let (wholeLeft, fractionLeft) = left.wholeAndFraction
        let (wholeRight, fractionRight) = right.wholeAndFraction
        if wholeLeft != wholeRight { return wholeLeft < wholeRight }
        let larger = max(left.scale, right.scale)
        return fractionLeft * PowersOfTen[larger - left.scale] < fractionRight
            * PowersOfTen[larger - right.scale]
    }

    private var wholeAndFraction: (Int128, Int128) {
        let (whole, fraction) = coefficient.quotientAndRemainder(dividingBy: PowersOfTen[scale])
        return (whole, fraction)
    }
}

extension Decimal {
    /// The exact result has more digits than a ``Decimal`` holds.
    package struct Overflow: Error, Hashable {
        package init() {}
    }

    /// The exact sum, with the larger of the two scales.
    package static func + (left: Decimal, right: Decimal) throws(Overflow) -> Decimal {
        if let sum = left.sum(with: right) { return sum }
        // The sum may fit without trailing zeros.
        if let sum = left.withoutTrailingZeros.sum(with: right.withoutTrailingZeros) { return sum }
        throw Overflow()
    }

    /// The exact difference, with the larger of the two scales.
    package static func - (left: Decimal, right: Decimal) throws(Overflow) -> Decimal {
        try left + right.negated
    }

    /// The exact product, with the sum of the two scales.
    package static func * (left: Decimal, right: Decimal) throws(Overflow) -> Decimal {
        if let product = left.product(with: right) { return product }
        if let product = left.withoutTrailingZeros.product(with: right.withoutTrailingZeros) {
            return product
        }
        throw Overflow()
    }

    /// The number with the other sign.
    ///
    /// Throws only for the one coefficient that has no positive twin, -2^127.
    package var negated: Decimal {
        get throws(Overflow) {
            let (opposite, over) = Int128.zero.subtractingReportingOverflow(coefficient)
            guard !over else { throw Overflow() }
            return Decimal(uncheckedCoefficient: opposite, scale: scale)
        }
    }

    /// The number without its sign; throws as ``negated`` does.
    package var magnitude: Decimal {
        get throws(Overflow) { isNegative ? try negated : self }
    }

    private func sum(with other: Decimal) -> Decimal? {
        let larger = max(scale, other.scale)
        let (left, overLeft) = coefficient.multipliedReportingOverflow(by: PowersOfTen[larger - scale])
        let (right, overRight) = other.coefficient.multipliedReportingOverflow(
            by: PowersOfTen[larger - other.scale])
        let (sum, over) = left.addingReportingOverflow(right)
        guard !overLeft, !overRight, !over else { return nil }
        return Decimal(uncheckedCoefficient: sum, scale: larger)
    }

    private func product(with other: Decimal) -> Decimal? {
        let (product, over) = coefficient.multipliedReportingOverflow(by: other.coefficient)
        guard !over else { return nil }
        return Decimal(coefficient: product, scale: scale + other.scale)
    }
}

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

    /// The number, rounded if it has more than `digits` digits after the point.
    ///
    /// A negative `digits` counts as 0.
    package func rounded(to digits: Int, _ rounding: Rounding) -> Decimal {
        let digits = max(digits, 0)
        guard scale > digits else { return self }
        let unit = PowersOfTen[scale - digits].magnitude
        let (quotient, rest) = coefficient.magnitude.quotientAndRemainder(dividingBy: unit)
        let nearest = rounding.round(quotient, remainder: rest, of: unit)
        // The number was divided by at least ten, so it fits a signed number after rounding.
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
        let (quotient, rest) = dividend.quotientAndRemainder(dividingBy: divisor)
        return try appending(exponent, to: quotient, rest: rest, of: divisor, rounding)
    }

    /// `quotient` + `rest` ÷ `divisor`, times 10^`count`, rounded.
    private static func appending(
        _ count: Int, to quotient: UInt128, rest: UInt128, of divisor: UInt128, _ rounding: Rounding
    ) throws(DivisionFailure) -> UInt128 {
        // Schoolbook division, up to 38 digits a step.
        var (quotient, rest) = (quotient, rest)
        var remaining = count
        while remaining > 0 {
            let step = min(remaining, maximumScale)
            let power = PowersOfTen[step].magnitude
            let (shifted, over) = quotient.multipliedReportingOverflow(by: power)
            // The rest is below the divisor, so this quotient is below `power` and cannot overflow.
            let (next, nextRest) = divisor.dividing(rest.fullProduct(with: power))
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

extension Decimal {
    /// This number × `factor` ÷ `divisor` with exactly `digits` digits after the point, 0 to ``maximumScale``
    /// (clamped), rounded once from the exact value, even if the product has more digits than a ``Decimal``.
    package func multiplied(
        by factor: Decimal, dividedBy divisor: Decimal, to digits: Int, _ rounding: Rounding
    ) throws(DivisionFailure) -> Decimal {
        guard !divisor.isZero else { throw .divisionByZero }
        let digits = min(max(digits, 0), Self.maximumScale)
        let unit = divisor.coefficient.magnitude
        let product = coefficient.magnitude.fullProduct(with: factor.coefficient.magnitude)
        let (high, highRest) = product.high.quotientAndRemainder(dividingBy: unit)
        let (low, rest) = unit.dividing((highRest, product.low))
        let exponent = digits + divisor.scale - scale - factor.scale
        let quotient: UInt128
        if exponent < 0 {
            quotient = try Self.removing(-exponent, from: (high, low), hasRest: rest != 0, rounding)
        } else if high == 0 {
            quotient = try Self.appending(exponent, to: low, rest: rest, of: unit, rounding)
        } else {
            throw .overflow
        }
        guard let whole = Int128(exactly: quotient) else { throw .overflow }
        let isBelowZero = (isNegative != factor.isNegative) != divisor.isNegative
        return Decimal(uncheckedCoefficient: isBelowZero ? -whole : whole, scale: digits)
    }

    /// `number` ÷ 10^`count`, rounded; `count` is at least 1, `hasRest` states that the number is a little larger.
    private static func removing(
        _ count: Int, from number: (high: UInt128, low: UInt128), hasRest: Bool, _ rounding: Rounding
    ) throws(DivisionFailure) -> UInt128 {
        var (high, low, hasRest) = (number.high, number.low, hasRest)
        var remaining = count
        while true {
            let step = min(remaining, maximumScale)
            let power = PowersOfTen[step].magnitude
            let (nextHigh, carry) = high.quotientAndRemainder(dividingBy: power)
            let (nextLow, rest) = power.dividing((carry, low))
            (high, low) = (nextHigh, nextLow)
            remaining -= step
            if remaining == 0 {
                guard high == 0, low <= Int128.max.magnitude else { throw .overflow }
                // What was cut off before decides a tie.
                return rounding.round(
                    low, remainder: hasRest && rest == power / 2 ? rest + 1 : rest, of: power)
            }
            hasRest = hasRest || rest != 0
        }
    }
}

extension Decimal.Rounding {
    /// Returns `quotient` or `quotient + 1`, depending on the remainder of the division by `unit`.
    ///
    /// The quotients of the callers are at most 2^127, so adding one cannot overflow.
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

extension Decimal {
    /// The milliseconds of a duration, to three decimal places, towards zero.
    package init(milliseconds duration: Duration) {
        self.init(
            uncheckedCoefficient: duration.attoseconds / 1_000_000_000_000, scale: 3)
    }

    /// This number in per cent of a base, to ``digitsOfPercentage`` decimal places; nil if the base is not positive.
    ///
    /// A percentage of a negative base would have the sign of the opposite.
    package func percent(of base: Decimal) -> Decimal? {
        guard base > .zero else { return nil }
        return try? (self * 100).divided(by: base, to: Self.digitsOfPercentage, .halfEven)
    }
}

/// 10^0 to 10^38, every power of ten that an `Int128` holds.
enum PowersOfTen {
    /// `exponent` must be in 0 to 38, which the scale of a ``Decimal`` always is.
    static subscript(exponent: Int) -> Int128 { table[exponent] }

    /// Exact up to 10^22; `exponent` must be in 0 to 38.
    static func nearestDouble(to exponent: Int) -> Double { doubles[exponent] }

    private static let doubles = table.map { Double($0) }

    private static let table: [Int128] = {
        var powers: [Int128] = [1]
        for _ in 0..<Decimal.maximumScale { powers.append(powers[powers.count - 1] * 10) }
        return powers
    }()
}
