/// Decimal numbers of one kind, side by side: the prices or volumes of a series.
///
/// All share one count of digits after the point, so that a number takes eight bytes and nothing is allocated for it. Values
/// stay exact: a number with more digits than those before it widens the column. A place may be empty.
package struct DecimalColumn: Hashable, Sendable {
    /// The digits of each number without the point; ``empty`` if there is none.
    package private(set) var coefficients: [Int64]
    /// Digits after the point of all of them, 0 to 18.
    package private(set) var scale: Int

    /// The element for a missing value.
    package static let empty = Int64.min

    package init(reserving capacity: Int = 0) {
        coefficients = []
        coefficients.reserveCapacity(capacity)
        scale = 0
    }

    /// A column with these places; nil unless `scale` is in 0 to 18.
    package init?(coefficients: [Int64], scale: Int) {
        guard (0...18).contains(scale) else { return nil }
        self.coefficients = coefficients
        self.scale = scale
    }

    package var count: Int { coefficients.count }

    /// The value at an index below ``count``; nil if it is empty.
    package subscript(index: Int) -> Decimal? {
        let coefficient = coefficients[index]
        return coefficient == Self.empty ? nil : Decimal(coefficient: Int128(coefficient), scale: scale)
    }

    /// Adds a value, or an empty place.
    ///
    /// - Returns: false, and adds nothing, where 18 digits do not hold the value beside the others.
    package mutating func append(_ value: Decimal?) -> Bool {
        guard let value else {
            coefficients.append(Self.empty)
            return true
        }
        // Zeros at the end say nothing that a column of prices needs to keep.
        let (coefficient, digits) =
            value.scale > scale ? Self.trimmed(value, to: scale) : (value.coefficient, value.scale)
        if digits > scale {
            // Before all others get more digits for it.
            guard digits <= 18, Self.scaled(coefficient, by: 0) != nil, widen(to: digits) else {
                return false
            }
        }
        guard let scaled = Self.scaled(coefficient, by: scale - digits) else { return false }
        coefficients.append(scaled)
        return true
    }

    /// The value without zeros at its end, down to a scale.
    private static func trimmed(_ value: Decimal, to scale: Int) -> (Int128, Int) {
        var (coefficient, digits) = (value.coefficient, value.scale)
        while digits > scale, coefficient % 10 == 0 {
            coefficient /= 10
            digits -= 1
        }
        return (coefficient, digits)
    }

    private static func scaled(_ coefficient: Int128, by digits: Int) -> Int64? {
        let (product, overflow) = coefficient.multipliedReportingOverflow(by: powersOfTen[digits])
        guard !overflow, let narrow = Int64(exactly: product), narrow != empty else { return nil }
        return narrow
    }

    private mutating func widen(to digits: Int) -> Bool {
        var wider = coefficients
        for index in wider.indices where wider[index] != Self.empty {
            guard let scaled = Self.scaled(Int128(wider[index]), by: digits - scale) else { return false }
            wider[index] = scaled
        }
        coefficients = wider
        scale = digits
        return true
    }

    /// Removes all elements after the first `count`, and the digits that only they needed.
    package mutating func truncate(to count: Int) {
        coefficients.removeLast(max(coefficients.count - count, 0))
        while scale > 0, coefficients.allSatisfy({ $0 == Self.empty || $0 % 10 == 0 }) {
            for index in coefficients.indices where coefficients[index] != Self.empty {
                coefficients[index] /= 10
            }
            scale -= 1
        }
    }

    /// Removes the first elements.
    mutating func removeFirst(_ surplus: Int) {
        coefficients.removeFirst(min(surplus, coefficients.count))
    }

    private static let powersOfTen: [Int128] = (0...18).map { digits in
        (0..<digits).reduce(1) { power, _ in power * 10 }
    }
}
