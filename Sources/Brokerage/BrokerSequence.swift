/// A broker's own order of rows with the same time, such as the quantity that an order has filled so far, or a number that
/// rises with each row.
///
/// ``text`` is compared byte by byte, as databases compare it.
package struct BrokerSequence: Hashable, Comparable, Sendable {
    /// The number of digits before the point in two digits, then the number without zeros at its end.
    package let text: String

    /// Nil for a number below zero.
    package init?(_ number: Decimal) {
        guard !number.isNegative else { return nil }
        let digits = number.withoutTrailingZeros.description
        let count = String(digits.utf8.prefix { $0 != UInt8(ascii: ".") }.count)
        text = (count.utf8.count < 2 ? "0" : "") + count + digits
    }

    /// The number that is the id of a row; nil for an id that is no number.
    package init?(id: some StringProtocol) {
        guard id.utf8.allSatisfy({ 0x30...0x39 ~= $0 }), let number = Decimal(String(id)) else { return nil }
        self.init(number)
    }

    /// One that was stored; nil for the empty text, which stands for none.
    package init?(stored text: String) {
        guard !text.isEmpty else { return nil }
        self.text = text
    }

    package static func < (one: BrokerSequence, other: BrokerSequence) -> Bool {
        one.text.utf8.lexicographicallyPrecedes(other.text.utf8)
    }
}
