package import Brokerage

/// How much of each instrument a user's accounts hold, in pieces; what is owed (short) is not held.
package struct HeldQuantities: Hashable, Sendable {
    private var quantities: [Symbol: [String: Decimal]] = [:]

    package init() {}

    /// Counts what an account holds; `account` is the id that the schema gives it.
    package mutating func add(
        _ quantity: Decimal, of symbol: Symbol, in account: String
    ) throws(Decimal.Overflow) {
        let known = quantities[symbol]?[account] ?? .zero
        quantities[symbol, default: [:]][account] = try known + quantity
    }

    /// What an account holds, or all of them.
    func quantity(of symbol: Symbol, in account: String?) throws(Decimal.Overflow) -> Decimal {
        let held = quantities[symbol] ?? [:]
        if let account { return held[account] ?? .zero }
        var sum = Decimal.zero
        for quantity in held.values { sum = try sum + quantity }
        return sum
    }
}
