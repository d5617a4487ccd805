extension Decimal {
    /// The exact result has more digits than a ``Decimal`` holds.
    package struct Overflow: Error, Hashable {
        package init() {}
    }

    /// The exact sum, with the larger of the two scales.
    package static func + (left: Decimal, right: Decimal) throws(Overflow) -> Decimal {
        if let sum = left.sum(with: right) { return sum }
        // Zeros written at the end may be all that stands in the way.
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
