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
