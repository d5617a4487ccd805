/// The shortest decimal that is nearer to a double than to any other: `digits × 10^exponent`, without
/// trailing zeros.
///
/// The algorithm is Schubfach (R. Giulietti, "The Schubfach way to render doubles", 2020): the interval of
/// decimals that round to the double is scaled by a power of ten, taken from a table with 126 bits of
/// precision. At most two candidates with one digit less and two with all digits remain.
struct ShortestDecimal {
    let digits: UInt64
    let exponent: Int

    /// Computes the decimal of a double.
    ///
    /// - Parameter value: A finite number greater than zero.
    init(of value: Double) {
        var (digits, exponent) = ShortestDecimal.shortest(value)
        while digits % 10 == 0 {
            digits /= 10
            exponent += 1
        }
        self.digits = digits
        self.exponent = exponent
    }

    private static func shortest(_ value: Double) -> (UInt64, Int) {
        let fraction = value.significandBitPattern
        let biased = Int(value.exponentBitPattern)
        let significand = biased != 0 ? fraction | (1 << 52) : fraction
        let exponent = (biased != 0 ? biased : 1) - 1075
        if exponent <= 0, exponent > -53, significand.trailingZeroBitCount >= -exponent {
            return (significand >> UInt64(-exponent), 0)
        }
        // The lower neighbour of a power of two is nearer than the upper one.
        let isIrregular = fraction == 0 && biased > 1
        let middle = significand << 2
        let left = middle - 2 + (isIrregular ? 1 : 0)
        let right = middle + 2
        // floor(log10(2^exponent)), or of 3/4 of it; and the shift that aligns the power of ten.
        let k = (exponent * 1_262_611 - (isIrregular ? 524_031 : 0)) >> 22
        let shift = UInt64(exponent + ((-k * 1_741_647) >> 19) + 1)
        let power = PowersOfTen.table[PowersOfTen.index(of: -k)]
        let scaledLeft = roundToOdd(power, left << shift)
        let scaled = roundToOdd(power, middle << shift)
        let scaledRight = roundToOdd(power, right << shift)
        // The ends of the interval round to this double only if its significand is even.
        let isOdd = significand & 1
        let lower = scaledLeft + isOdd
        let upper = scaledRight - isOdd
        let whole = scaled >> 2
        if whole >= 10 {
            let tens = whole / 10
            let isBelowInside = lower <= 40 * tens
            let isAboveInside = 40 * tens + 40 <= upper
            if isBelowInside != isAboveInside { return (tens + (isAboveInside ? 1 : 0), k + 1) }
        }
        let isBelowInside = lower <= 4 * whole
        let isAboveInside = 4 * whole + 4 <= upper
        if isBelowInside != isAboveInside { return (whole + (isAboveInside ? 1 : 0), k) }
        let half = 4 * whole + 2
        return (whole + (scaled > half || (scaled == half && whole & 1 != 0) ? 1 : 0), k)
    }

    /// Returns the high word of the product; its last bit is set if any lower bit was lost.
    private static func roundToOdd(_ power: PowersOfTen.Power, _ factor: UInt64) -> UInt64 {
        let carry = factor.multipliedFullWidth(by: power.low).high
        let product = factor.multipliedFullWidth(by: power.high)
        let (low, overflow) = product.low.addingReportingOverflow(carry)
        let high = product.high &+ (overflow ? 1 : 0)
        return high | (low > 1 ? 1 : 0)
    }
}

/// The leading 128 bits of the powers of ten from 10^-292 to 10^324, rounded up, computed once (0.1 ms).
private enum PowersOfTen {
    struct Power {
        var high: UInt64
        var low: UInt64
    }

    static let table = powers(from: -292, through: 324)

    static func index(of exponent: Int) -> Int { exponent + 292 }

    private static func powers(from lowest: Int, through highest: Int) -> [Power] {
        var negative: [Power] = []
        // 2^1312 / 10^n, in limbs of 32 bits, the least significant first.
        var quotient = [UInt32](repeating: 0, count: 42)
        quotient[41] = 1
        for _ in 1...(-lowest) {
            var remainder: UInt64 = 0
            for position in quotient.indices.reversed() {
                let dividend = remainder << 32 | UInt64(quotient[position])
                quotient[position] = UInt32(dividend / 10)
                remainder = dividend % 10
            }
            negative.append(leadingBits(of: quotient, isInexact: true))
        }
        var positive: [Power] = []
        var product = [UInt32](repeating: 0, count: 36)
        product[0] = 1
        for _ in 0...highest {
            positive.append(leadingBits(of: product, isInexact: false))
            var carry: UInt64 = 0
            for position in product.indices {
                let value = UInt64(product[position]) * 10 + carry
                product[position] = UInt32(truncatingIfNeeded: value)
                carry = value >> 32
            }
        }
        return negative.reversed() + positive
    }

    private static func leadingBits(of limbs: [UInt32], isInexact: Bool) -> Power {
        let used = (limbs.lastIndex { $0 != 0 } ?? 0) + 1
        let length = used * 32 - limbs[used - 1].leadingZeroBitCount
        func bit(_ position: Int) -> UInt64 {
            position < 0 ? 0 : UInt64((limbs[position >> 5] >> UInt32(position & 31)) & 1)
        }
        var power = Power(high: 0, low: 0)
        for offset in 0..<64 {
            power.high = power.high << 1 | bit(length - 1 - offset)
            power.low = power.low << 1 | bit(length - 65 - offset)
        }
        let isCut = isInexact || (0..<max(0, length - 128)).contains { bit($0) != 0 }
        guard isCut else { return power }
        let (low, overflow) = power.low.addingReportingOverflow(1)
        return Power(high: power.high &+ (overflow ? 1 : 0), low: low)
    }
}
