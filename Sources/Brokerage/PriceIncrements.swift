/// The minimum price increments of an instrument, which may depend on the price.
package struct PriceIncrements: Hashable, Sendable {
    /// The increment of prices up to and with ``upTo``.
    package struct Range: Hashable, Sendable {
        package let upTo: Decimal
        package let increment: Decimal

        package init(upTo: Decimal, increment: Decimal) {
            self.upTo = upTo
            self.increment = increment
        }
    }

    /// The increment above all ``ranges``; nil if it is unknown.
    package let otherwise: Decimal?
    package let ranges: [Range]

    package init(otherwise: Decimal?, ranges: [Range] = []) {
        self.otherwise = otherwise
        self.ranges = ranges
    }

    /// The increment at a price; nil if it is unknown.
    package func increment(at price: Decimal) -> Decimal? {
        ranges.filter { price <= $0.upTo }.min { $0.upTo < $1.upTo }?.increment ?? otherwise
    }

    /// The increment of all prices; nil if it depends on the price.
    package var uniform: Decimal? { ranges.isEmpty ? otherwise : nil }
}
