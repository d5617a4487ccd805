package import Brokerage

extension Decimal {
    /// So many per cent of the number, exactly.
    package func share(inPercent percent: Decimal) throws(Overflow) -> Decimal {
        try self * percent * Self.hundredth
    }

    private static let hundredth = Decimal("0.01") ?? .zero
}
