/// An exact decimal number: money, prices and quantities, as they were written.
///
/// The value is `coefficient` ÷ 10^`scale`. Written digits survive: `1234.5600` keeps its scale of 4 and is
/// printed again as it came, yet equals `1234.56`, with the same hash. The coefficient holds every number of 38
/// digits; what does not fit is refused where it is read, and thrown as ``Overflow`` where it is computed. No
/// operation traps, and none rounds unless its name says so.
package struct Decimal: Sendable {
    /// The digits without the point, with the sign.
    package let coefficient: Int128
    private let digitsAfterPoint: UInt8

    /// How many digits stand after the point, 0 to ``maximumScale``.
    package var scale: Int { Int(digitsAfterPoint) }

    /// The most digits that may stand after the point: ten to this power is the largest that an `Int128` holds.
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
        self.coefficient = coefficient
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
    /// Compares values, whatever their scales.
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
